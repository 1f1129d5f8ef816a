-- Title:   What became of pairs that entered a phase
-- Formula: pairs with a prospective high-signal outcome of the phase; of them, those with one of a
--          later phase, or an approval, on or after that day; of the others, those of which a trial
--          failed
-- Source:  docs/metrics.md#phase_success
-- Units:   phase 1, 2 or 3; listed is 'predicted' or 'other candidates'; success_rate is a
--          fraction 0..1 of those entered, NULL where none was
-- Grain:   slate_id, population, phase, listed
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
),

listed_pair as (
    select
        followed.*,
        if(prediction.slate_id is null, 'other candidates', 'predicted') as listed,
        unnest(if(novel.is_known, ['all'], ['all', 'novel'])) as population
    from followed
    inner join novel
        on
            followed.slate_id = novel.slate_id
            and followed.disease_id = novel.disease_id
            and followed.drug_id = novel.drug_id
    left join prediction
        on
            followed.slate_id = prediction.slate_id
            and followed.disease_id = prediction.disease_id
            and followed.drug_id = prediction.drug_id
),

cell as (
    select
        slate.slate_id,
        population.population,
        phase.phase,
        listed.listed
    from slate
    cross join (values ('all'), ('novel')) as population (population)
    cross join (values (1), (2), (3)) as phase (phase)
    cross join (values ('predicted'), ('other candidates')) as listed (listed)
)

select
    slate_id,
    population,
    phase,
    listed,
    count(listed_pair.drug_id) as n_entered,
    count(*) filter (where listed_pair.has_succeeded) as n_succeeded,
    count(*) filter (where listed_pair.has_failed and not listed_pair.has_succeeded) as n_failed,
    count(*) filter (where listed_pair.has_succeeded)
    / nullif(count(listed_pair.drug_id), 0) as success_rate,
    if(count(listed_pair.drug_id) = 0, 'no pair entered the phase', null) as reason
from cell
left join listed_pair using (slate_id, population, phase, listed)
group by slate_id, population, phase, listed
