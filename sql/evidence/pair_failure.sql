-- Title:   Failed trials of a pair in words
-- Result:  Hits, pair by pair
-- Formula: the newest trial_failed of the pair, with its day, the reason and the record, and how
--          many more there are
-- Units:   text; one without a date is older than the others
-- Grain:   slate_id, disease_id, drug_id
with numbered as (
    select
        outcome_timing.slate_id,
        outcome_timing.disease_id,
        outcome_timing.drug_id,
        outcome_timing.event_date,
        outcome_timing.record,
        event.detail ->> 'stop_reason' as stop_reason,
        row_number() over (
            partition by
                outcome_timing.slate_id, outcome_timing.disease_id, outcome_timing.drug_id
            order by outcome_timing.event_date desc nulls last, outcome_timing.outcome_id desc
        ) as nth,
        count(*) over (
            partition by
                outcome_timing.slate_id, outcome_timing.disease_id, outcome_timing.drug_id
        ) - 1 as n_more
    from outcome_timing
    inner join event on outcome_timing.outcome_id = event.event_id
    where outcome_timing.outcome_type = 'trial_failed'
)

select
    slate_id,
    disease_id,
    drug_id,
    event_date as failed_on,
    concat_ws(
        ' ',
        'trial failed',
        cast(event_date as varchar),
        case stop_reason
            when 'efficacy' then 'for lack of efficacy'
            when 'safety' then 'for safety'
        end,
        '(' || nullif(record, '') || ')',
        if(n_more > 0, concat('and ', n_more, ' more'), null)
    ) as failure
from numbered
where nth = 1
