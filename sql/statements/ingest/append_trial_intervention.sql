-- Title:      Appends the interventions of studies that are new or changed
-- Reads:      intervention_role, new_trial, staged_intervention
-- Writes:     trial_intervention
-- Note:       A MeSH term has a number of its own, and no role: arms do not refer to it. AACT gives
--             another name no type: it has that of its intervention.
select
    new_trial.trial_id,
    row_number() over (
        partition by new_trial.trial_id
        order by
            staged_intervention.is_mesh_term,
            staged_intervention.ordinal,
            staged_intervention.is_other_name,
            staged_intervention.rowid
    ) as position,
    coalesce(
        staged_intervention.intervention_type,
        max(staged_intervention.intervention_type) over (
            partition by
                new_trial.trial_id,
                staged_intervention.ordinal,
                staged_intervention.is_mesh_term
        )
    ) as intervention_type,
    staged_intervention.name,
    fold_name(staged_intervention.name) as folded_name,
    staged_intervention.is_other_name,
    intervention_role.arm_role,
    staged_intervention.is_mesh_term,
    staged_intervention.mesh_id
from staged_intervention
inner join new_trial on staged_intervention.source_key = new_trial.source_key
left join intervention_role
    on
        staged_intervention.source_key = intervention_role.source_key
        and staged_intervention.ordinal = intervention_role.ordinal
        and not staged_intervention.is_mesh_term
where new_trial.is_changed
