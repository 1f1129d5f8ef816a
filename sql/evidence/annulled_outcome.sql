-- Title:   Outcomes that were taken back
-- Result:  Hits, pair by pair
-- Formula: annulled claims of pairs that the slate predicted, or scored for a disease that it
--          predicts; they are no outcomes any more
-- Units:   outcome_id is the number that the outcome had; annulled_on is a day in UTC
-- Grain:   slate_id, disease_id, drug_id, outcome_id
-- Stored:  evidence
with annulled as (
    select
        event.*,
        annulled_event.annulled_at,
        annulled_event.reason
    from event
    inner join annulled_event using (event_id)
),

slate_pair as (
    select
        prediction.slate_id,
        prediction.disease_id,
        prediction.drug_id
    from prediction
    semi join annulled using (disease_id, drug_id)
    union
    select
        slate_id,
        candidate.disease_id,
        candidate.drug_id
    from candidate
    semi join annulled using (disease_id, drug_id)
    inner join slate_sets using (candidate_set_id)
    semi join prediction using (slate_id, disease_id)
)

select
    annulled.event_id as outcome_id,
    slate_pair.slate_id,
    slate_pair.disease_id,
    slate_pair.drug_id,
    disease.name as disease_name,
    drug.name as drug_name,
    annulled.event_type as outcome_type,
    annulled.event_date,
    annulled.source,
    annulled.record,
    annulled.event_origin as outcome_origin,
    annulled.recorded_at,
    annulled.observed_at,
    annulled.annulled_at,
    cast(annulled.annulled_at at time zone 'UTC' as date) as annulled_on,
    annulled.reason
from slate_pair
inner join annulled
    on
        slate_pair.disease_id = annulled.disease_id
        and slate_pair.drug_id = annulled.drug_id
        and (annulled.slate_id is null or slate_pair.slate_id = annulled.slate_id)
inner join disease on slate_pair.disease_id = disease.disease_id
inner join drug on slate_pair.drug_id = drug.drug_id
