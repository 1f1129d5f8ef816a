-- Title:      The outcomes of a slate as tracker outcome list shows them
-- Reads:      annulled_outcome, outcome_card, prediction
-- Note:       Of any drug or disease where its id is NULL. What was annulled is listed, and no hit.
with listed as (
    select
        slate_id,
        disease_id,
        drug_id,
        outcome_id,
        rank,
        disease_name,
        drug_name,
        outcome_type,
        event_date,
        counts_as,
        record,
        timing,
        failure,
        drug_withdrawn,
        source,
        tier,
        version,
        withdrawal,
        outcome_origin,
        recorded_at,
        claimed_observed_at
    from outcome_card
    union all by name
    select
        annulled_outcome.outcome_id,
        slate_id,
        disease_id,
        drug_id,
        prediction.rank,
        prediction.tier,
        annulled_outcome.disease_name,
        annulled_outcome.drug_name,
        annulled_outcome.outcome_type,
        annulled_outcome.event_date,
        'annulled' as counts_as,
        annulled_outcome.record,
        annulled_outcome.source,
        concat('annulled on ', annulled_outcome.annulled_on, ': ', annulled_outcome.reason)
            as withdrawal,
        annulled_outcome.outcome_origin,
        annulled_outcome.recorded_at,
        nullif(annulled_outcome.observed_at, annulled_outcome.recorded_at) as claimed_observed_at
    from annulled_outcome
    left join prediction using (slate_id, disease_id, drug_id)
)

select * exclude (slate_id, disease_id, drug_id)
from listed
where
    slate_id = :slate_id
    and drug_id = coalesce(:drug_id, drug_id)
    and disease_id = coalesce(:disease_id, disease_id)
    and (counts_as = 'hit' or not :only_hits)
order by outcome_id
