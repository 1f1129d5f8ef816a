-- Title:   What became of pairs that entered a phase
-- Result:  Hit rates and enrichment
-- Formula: pairs of phase_entry; of them, those that succeeded; of the others, those that failed
-- Units:   phase 1, 2 or 3; listed is 'predicted' or 'other candidates'; success_rate and
--          failure_rate are fractions 0..1 of those entered, NULL where none was
-- Grain:   slate_id, population, phase, listed
with cell as (
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
    count(phase_entry.drug_id) as n_entered,
    count(*) filter (where phase_entry.has_succeeded) as n_succeeded,
    count(*) filter (where phase_entry.has_failed and not phase_entry.has_succeeded) as n_failed,
    count(*) filter (where phase_entry.has_succeeded)
    / nullif(count(phase_entry.drug_id), 0) as success_rate,
    count(*) filter (where phase_entry.has_failed and not phase_entry.has_succeeded)
    / nullif(count(phase_entry.drug_id), 0) as failure_rate,
    case
        when count(phase_entry.drug_id) > 0 then null
        when listed = 'other candidates' and slate_sets.candidate_set_id is null
            then 'the slate has no candidate set'
        else 'no pair entered the phase'
    end as reason
from cell
inner join slate_sets using (slate_id)
left join phase_entry using (slate_id, population, phase, listed)
group by slate_id, population, phase, listed, slate_sets.candidate_set_id
