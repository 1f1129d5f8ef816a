-- Title:      The role of each intervention in the arms of its study
-- Reads:      staged_arm, staged_arm_intervention
-- Creates:    intervention_role
-- Note:       comparator: every arm with the intervention is an active, placebo or sham comparator,
--             and the study has an experimental arm to compare it with. background: it is in every
--             arm, in no experimental one alone, and another of an experimental arm is not. An
--             intervention of no arm, or only of arms without a type, as in observational studies,
--             has no role.
with arm as (
    select
        source_key,
        arm_number,
        nullif(code_word(arm_type), '') as arm_type
    from staged_arm
),

study as (
    select
        source_key,
        count(*) as n_arms,
        coalesce(bool_or(arm_type = 'EXPERIMENTAL'), false) as is_compared
    from arm
    group by source_key
),

arm_intervention as (
    select distinct
        source_key,
        arm_number,
        ordinal
    from staged_arm_intervention
),

listed as (
    select
        source_key,
        arm_number,
        arm_intervention.ordinal,
        arm.arm_type,
        coalesce(arm.arm_type = 'EXPERIMENTAL', false) as is_experimental,
        count(*) over (partition by source_key, arm_number) as n_listed
    from arm_intervention
    inner join arm using (source_key, arm_number)
),

placed as (
    select
        source_key,
        listed.ordinal,
        count(listed.arm_type) as n_typed,
        count(*) = study.n_arms as is_in_every_arm,
        bool_or(listed.is_experimental) as is_experimental,
        bool_or(listed.is_experimental and listed.n_listed = 1) as is_alone,
        study.is_compared
        and bool_and(
            coalesce(
                listed.arm_type in (
                    'ACTIVE_COMPARATOR', 'PLACEBO_COMPARATOR', 'SHAM_COMPARATOR'
                ),
                false
            )
        ) as is_comparator
    from listed
    inner join study using (source_key)
    group by source_key, listed.ordinal, study.n_arms, study.is_compared
)

select
    source_key,
    ordinal,
    case
        when is_comparator then 'comparator'
        when
            is_in_every_arm
            and not is_alone
            and bool_or(is_experimental and not is_in_every_arm) over (partition by source_key)
            then 'background'
        else 'experimental'
    end as arm_role
from placed
where n_typed > 0
