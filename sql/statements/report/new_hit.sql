-- Title:      Predictions of a slate that came true and were not known to have before an instant
-- Reads:      pair_outcome, outcome_card, prediction
select
    outcome_card.slate_id,
    outcome_card.disease_name,
    outcome_card.drug_name,
    prediction.tier,
    prediction.rank,
    outcome_card.outcome_type,
    outcome_card.event_date,
    outcome_card.public_by,
    outcome_card.source,
    outcome_card.record,
    outcome_card.version,
    outcome_card.drug_alias,
    outcome_card.disease_alias,
    outcome_card.recorded_at
from outcome_card
inner join pair_outcome
    on
        outcome_card.slate_id = pair_outcome.slate_id
        and outcome_card.disease_id = pair_outcome.disease_id
        and outcome_card.drug_id = pair_outcome.drug_id
inner join prediction
    on
        outcome_card.slate_id = prediction.slate_id
        and outcome_card.disease_id = prediction.disease_id
        and outcome_card.drug_id = prediction.drug_id
where
    outcome_card.slate_id = :slate_id
    and pair_outcome.evidence_window = 'prospective'
    and pair_outcome.is_hit
    and outcome_card.timing = 'prospective'
    and outcome_card.signal = 'high'
    and not outcome_card.is_after_horizon
qualify
    row_number() over (
        partition by outcome_card.disease_id, outcome_card.drug_id
        order by outcome_card.recorded_at, outcome_card.event_date, outcome_card.outcome_id
    ) = 1
    and outcome_card.recorded_at > cast(:since as timestamptz)
order by prediction.rank, outcome_card.disease_name, outcome_card.drug_name
