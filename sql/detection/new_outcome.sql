-- Title:   Outcomes not yet in the ledger
-- Formula: the rows of the other detection views for the pairs a slate predicted, and for those
--          it scored in the diseases it predicts
-- Source:  docs/metrics.md#new_outcome
-- Units:   as in the ledger
-- Grain:   slate_id, disease_id, drug_id, outcome_type, source, release_id, detail
with detected as (
    select
        slate_id,
        disease_id,
        drug_id,
        outcome_type,
        event_date,
        first_public_on,
        source,
        release_id,
        detail
    from new_chembl_advance
    union all by name
    select
        slate_id,
        disease_id,
        drug_id,
        outcome_type,
        event_date,
        first_public_on,
        source,
        release_id,
        detail
    from new_first_trial
    union all by name
    select
        slate_id,
        disease_id,
        drug_id,
        outcome_type,
        event_date,
        first_public_on,
        source,
        release_id,
        detail
    from new_trial_advance
    union all by name
    select
        slate_id,
        disease_id,
        drug_id,
        outcome_type,
        event_date,
        first_public_on,
        source,
        release_id,
        detail
    from new_status_transition
    union all by name
    select
        slate_id,
        disease_id,
        drug_id,
        outcome_type,
        event_date,
        first_public_on,
        source,
        release_id,
        detail
    from new_drug_level_approval
)

select
    detected.slate_id,
    detected.disease_id,
    detected.drug_id,
    detected.outcome_type,
    detected.event_date,
    detected.first_public_on,
    detected.source,
    detected.release_id,
    detected.detail
from detected
inner join slate using (slate_id)
where
    exists (
        select prediction.drug_id
        from prediction
        where
            prediction.slate_id = detected.slate_id
            and prediction.disease_id = detected.disease_id
            and prediction.drug_id = detected.drug_id
    )
    or (
        exists (
            select candidate.drug_id
            from candidate
            where
                candidate.candidate_set_id = slate.candidate_set_id
                and candidate.disease_id = detected.disease_id
                and candidate.drug_id = detected.drug_id
        )
        and exists (
            select prediction.disease_id
            from prediction
            where
                prediction.slate_id = detected.slate_id
                and prediction.disease_id = detected.disease_id
        )
    )
