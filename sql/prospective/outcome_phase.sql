-- Title:   Phase that an outcome proves
-- Formula: an approval proves phase 4, any other high-signal outcome the phase of its event
-- Source:  docs/metrics.md#outcome_phase
-- Units:   phase 0..4; NULL where the event names none on the scale, or the signal is low;
--          is_approval of the FDA's and EMA's approvals, and of phase 4 in ChEMBL
-- Grain:   slate_id, disease_id, drug_id, outcome_id
select
    outcome_id,
    slate_id,
    disease_id,
    drug_id,
    event_date,
    timing,
    case
        when outcome_type in ('fda_approved', 'ema_approved', 'approved') then 4
        when signal = 'high' then phase
    end as phase,
    outcome_type in ('fda_approved', 'ema_approved')
    or coalesce(
        outcome_type = 'phase_advanced'
        and outcome_origin = 'detected'
        and source = 'chembl'
        and phase = 4,
        false
    ) as is_approval
from outcome_timing
