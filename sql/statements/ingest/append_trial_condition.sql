-- Title:      Appends the conditions of studies that are new or changed
-- Reads:      new_trial, staged_condition
-- Writes:     trial_condition
select
    new_trial.trial_id,
    row_number() over (
        partition by new_trial.trial_id
        order by
            staged_condition.is_mesh_term,
            staged_condition.ordinal,
            staged_condition.rowid
    ) as position,
    staged_condition.name,
    fold_name(staged_condition.name) as folded_name,
    staged_condition.is_mesh_term,
    staged_condition.mesh_id
from staged_condition
inner join new_trial on staged_condition.source_key = new_trial.source_key
where new_trial.is_changed
