-- Title:   Uses in studies that count for a slate
-- Formula: those that its plan lists under studies.uses; those of the default plan for a slate
--          without one; all for a plan without the list, of when every study counted; never those
--          of several conditions, which are told apart only where the plan leaves them out
-- Units:   study_use as in study_use
-- Grain:   slate_id, study_use
select
    slate.slate_id,
    study_use.study_use
from slate
inner join study_use
    on
        study_use.study_use <> 'several conditions'
        and case
            when slate.plan is null then study_use.is_default
            when (slate.plan -> '$.studies.uses') is null then true
            else
                list_contains(
                    try_cast(slate.plan -> '$.studies.uses' as varchar[]), study_use.study_use
                )
        end
