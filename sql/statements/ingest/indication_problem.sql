-- Title:      Problems of staged indications and warnings, by record
-- Reads:      staged_indication, staged_warning
with problem as (
    select
        source_key,
        case
            when source_key is null
                then 'an indication of ' || coalesce(chembl_id, 'no molecule') || ' has no key'
            when chembl_id is null
                then 'its molecule is not in molecule_dictionary'
            when not regexp_full_match(upper(trim(chembl_id)), 'CHEMBL[0-9]+')
                then '''' || chembl_id || ''' is not a ChEMBL id'
            when not regexp_full_match(upper(trim(parent_chembl_id)), 'CHEMBL[0-9]+')
                then '''' || parent_chembl_id || ''' is not a ChEMBL id'
            when
                max_phase is not null
                and (
                    contains(max_phase, '_')
                    or not coalesce(try_cast(max_phase as double) between -1 and 4, false)
                )
                then 'max_phase_for_ind ''' || max_phase || ''' is not between -1 and 4'
        end as message
    from staged_indication
),

warning_problem as (
    select
        warning_id,
        case
            when count(*) over (partition by trim(coalesce(warning_id, chembl_id))) > 1
                then 'occurs more than once'
            when not coalesce(regexp_full_match(upper(trim(chembl_id)), 'CHEMBL[0-9]+'), false)
                then '''' || coalesce(chembl_id, '') || ''' is not a ChEMBL id'
            when not regexp_full_match(trim(warning_year), '([0-9]{1,4}([.]0+)?)?')
                then 'warning_year ''' || warning_year || ''' is not a year'
        end as message
    from staged_warning
),

stated as (
    select
        if(
            source_key like 'row %', source_key, concat_ws(' ', 'drug_indication', source_key)
        ) as record,
        message
    from problem
    where message is not null
    union all
    select
        concat_ws(' ', 'drug_warning', warning_id) as record,
        message
    from warning_problem
    where message is not null
)

select
    record,
    message,
    count(*) over () as n_problems
from stated
order by record, message
limit :limit
