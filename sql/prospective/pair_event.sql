-- Title:   Pairs with an event
-- Formula: a pair's outcomes in the window, folded into one row; a hit has a high-signal one by the
--          end of the slate's horizon
-- Source:  docs/metrics.md#pair_event
-- Units:   first_event_date is the first dated high-signal outcome by the end of the horizon;
--          match_strength is that of the best matched one, as in match_kind, 0 for a claim
-- Grain:   slate_id, disease_id, drug_id, evidence_window
with window_outcome as (
    select
        slate_id,
        disease_id,
        drug_id,
        signal,
        event_date,
        is_after_horizon,
        coalesce(match_strength, 0) as match_strength,
        unnest(if(timing = 'prospective', ['all', 'prospective'], ['all'])) as evidence_window
    from outcome_timing
)

select
    slate_id,
    disease_id,
    drug_id,
    evidence_window,
    bool_or(not is_after_horizon) as has_any_outcome,
    bool_or(signal = 'high' and not is_after_horizon) as is_hit,
    bool_or(signal = 'high') and not bool_or(signal = 'high' and not is_after_horizon)
        as is_later_hit,
    min(event_date) filter (where signal = 'high' and not is_after_horizon) as first_event_date,
    min(match_strength) filter (where signal = 'high' and not is_after_horizon) as match_strength
from window_outcome
group by slate_id, disease_id, drug_id, evidence_window
