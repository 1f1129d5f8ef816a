-- Title:   Versions of a pair's studies, and when the studies had started
-- Formula: trial_pair, for each time that releases showed the version, with the release by which
--          the study had begun
-- Units:   positions in the order of the registry's releases; started_position as in trial_start;
--          study_use as in trial_pair; n_conditions counts the condition texts that the version
--          lists, however written, MeSH terms aside
-- Grain:   disease_id, drug_id, nct_id, from_position, level, known_since, is_shared
with condition_count as (
    select
        trial_id,
        count(distinct folded_name) as n_conditions
    from trial_condition
    where not is_mesh_term
    group by trial_id
)

select
    trial_pair.disease_id,
    trial_pair.drug_id,
    trial_start.nct_id,
    trial_start.from_position,
    trial_start.trial_id,
    trial.reached_phase,
    trial.overall_status,
    trial.start_date,
    trial_start.started_position,
    trial_pair.drug_alias,
    trial_pair.disease_alias,
    trial_pair.level,
    trial_pair.match_kind,
    trial_pair.known_since,
    trial_pair.is_shared,
    trial_pair.study_use,
    coalesce(condition_count.n_conditions, 0) as n_conditions
from trial_pair
inner join trial_start on trial_pair.trial_id = trial_start.trial_id
inner join trial on trial_pair.trial_id = trial.trial_id
left join condition_count on trial_pair.trial_id = condition_count.trial_id
