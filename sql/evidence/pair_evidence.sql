-- Title:   Evidence of a pair in words
-- Formula: the pair's outcomes on record, earliest first, each with its date, timing, source,
--          record, the study's numbers elsewhere, the day it was recorded, the day a file claims it
--          was observed, and any withdrawal since
-- Units:   text, outcomes separated by '; '; an outcome without a date comes last
-- Grain:   slate_id, disease_id, drug_id
-- Portability: make_timestamp(epoch_us(x)) is DuckDB's, a time in UTC
with told_outcome as (
    select
        outcome_id,
        slate_id,
        disease_id,
        drug_id,
        outcome_timing.event_date,
        concat(
            replace(outcome_timing.outcome_type, '_', ' '),
            ' (',
            coalesce(cast(outcome_timing.event_date as varchar), 'no date'),
            ', ',
            outcome_timing.timing,
            ', ',
            concat_ws(' ', outcome_timing.source, nullif(outcome_card.record, '')),
            ', also ' || outcome_card.other_numbers,
            ', ',
            outcome_card.outcome_origin,
            ' ',
            cast(make_timestamp(epoch_us(outcome_card.recorded_at)) as date),
            ', claimed as observed '
            || cast(make_timestamp(epoch_us(outcome_card.claimed_observed_at)) as date),
            '; since withdrawn: ' || outcome_card.withdrawal,
            ')'
        ) as description
    from outcome_timing
    inner join outcome_card using (slate_id, disease_id, drug_id, outcome_id)
)

select
    slate_id,
    disease_id,
    drug_id,
    count(*) as n_outcomes,
    string_agg(description, '; ' order by event_date nulls last, outcome_id) as evidence
from told_outcome
group by slate_id, disease_id, drug_id
