-- Title:   When the phase of an indication became public, by its own references
-- Formula: with the first of its studies that had reached the phase; where the store knows none,
--          with one of those whose phase it does not know, or else of all: after the first of them
--          and by the last
-- Units:   reference_types are those of all references, in alphabetical order; public_after,
--          public_by and dated_by as in indication_study, NULL where no study dates the phase
-- Grain:   indication_id
-- Note:    indications without a reference have no row; a study does not date an approval, phase 4
with reference_type as (
    select
        indication_id,
        string_agg(distinct ref_type, ', ' order by ref_type) filter (
            where ref_type <> 'not stated'
        ) as reference_types
    from indication_reference
    group by indication_id
),

judged_study as (
    select
        indication_study.*,
        case
            when indication_study.phase >= coalesce(indication.max_phase, 0) then 1
            when indication_study.phase is null then 2
            else 3
        end as place
    from indication_study
    inner join indication using (indication_id)
    where coalesce(indication.max_phase, 0) < 4
),

dated_phase as (
    select
        indication_id,
        case
            when place = 1 then min_by(public_after, public_by)
            when count(public_after) = count(*) then min(public_after)
        end as public_after,
        if(place = 1, min(public_by), max(public_by)) as public_by,
        min(dated_by) as dated_by
    from judged_study
    group by indication_id, place
    qualify place = min(place) over (partition by indication_id)
)

select
    indication_id,
    reference_type.reference_types,
    dated_phase.public_after,
    dated_phase.public_by,
    dated_phase.dated_by
from reference_type
left join dated_phase using (indication_id)
