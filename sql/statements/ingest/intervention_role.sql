-- Title:      The role of each intervention in the arms of its study
-- Reads:      staged_arm, staged_arm_intervention
-- Creates:    intervention_role
-- Parameters: none
-- Note:       comparator: every arm with the intervention is an active, placebo or sham comparator,
--             and the study has an experimental arm to compare it with. An intervention of no arm,
--             or only of arms without a type, as in observational studies, has no role.
with arm as (
    select
        source_key,
        arm_number,
        nullif(code_word(arm_type), '') as arm_type
    from staged_arm
),

compared_study as (
    select distinct source_key
    from arm
    where arm_type = 'EXPERIMENTAL'
)

select
    staged_arm_intervention.source_key,
    staged_arm_intervention.ordinal,
    if(
        count(compared_study.source_key) > 0
        and bool_and(
            coalesce(
                arm.arm_type in ('ACTIVE_COMPARATOR', 'PLACEBO_COMPARATOR', 'SHAM_COMPARATOR'),
                false
            )
        ),
        'comparator',
        'experimental'
    ) as arm_role
from staged_arm_intervention
inner join arm
    on
        staged_arm_intervention.source_key = arm.source_key
        and staged_arm_intervention.arm_number = arm.arm_number
left join compared_study on staged_arm_intervention.source_key = compared_study.source_key
group by staged_arm_intervention.source_key, staged_arm_intervention.ordinal
having count(arm.arm_type) > 0
