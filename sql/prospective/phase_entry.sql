-- Title:   Pairs that entered a phase
-- Formula: pairs with a prospective high-signal outcome of the phase by the end of the horizon; a
--          pair has succeeded with one of a later phase, or an approval, on or after that day, and
--          failed with a trial of it that failed since
-- Units:   phase 1, 2 or 3; listed is 'predicted' or 'other candidates'; a pair may have both
--          succeeded and failed
-- Grain:   slate_id, population, phase, listed, disease_id, drug_id
with novel as (
    select
        slate_id,
        disease_id,
        drug_id,
        is_known
    from marked_candidate
    union all
    select
        prediction.slate_id,
        prediction.disease_id,
        prediction.drug_id,
        pair_known_phase.is_known
    from prediction
    inner join pair_known_phase using (slate_id, disease_id, drug_id)
    anti join marked_candidate using (slate_id, disease_id, drug_id)
),

entry as (
    select
        slate_id,
        disease_id,
        drug_id,
        phase,
        min(event_date) as entered_on
    from outcome_timing
    where
        signal = 'high'
        and timing = 'prospective'
        and not is_after_horizon
        and phase in (1, 2, 3)
    group by slate_id, disease_id, drug_id, phase
),

followed as (
    select
        entry.slate_id,
        entry.disease_id,
        entry.drug_id,
        entry.phase,
        coalesce(
            bool_or(
                later.signal = 'high'
                and (
                    later.phase > entry.phase
                    or later.outcome_type in ('fda_approved', 'ema_approved', 'approved')
                )
            ),
            false
        ) as has_succeeded,
        coalesce(bool_or(later.outcome_type = 'trial_failed'), false) as has_failed
    from entry
    left join outcome_timing as later
        on
            entry.slate_id = later.slate_id
            and entry.disease_id = later.disease_id
            and entry.drug_id = later.drug_id
            and entry.entered_on <= later.event_date
            and later.timing = 'prospective'
    group by entry.slate_id, entry.disease_id, entry.drug_id, entry.phase
)

select
    slate_id,
    disease_id,
    drug_id,
    followed.phase,
    followed.has_succeeded,
    followed.has_failed,
    if(prediction.slate_id is null, 'other candidates', 'predicted') as listed,
    unnest(if(novel.is_known, ['all'], ['all', 'novel'])) as population
from followed
inner join novel using (slate_id, disease_id, drug_id)
left join prediction using (slate_id, disease_id, drug_id)
