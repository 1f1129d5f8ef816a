-- Title:      Problems of staged indications, by record
-- Reads:      staged_indication
-- Parameters: limit
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
)

select
    if(
        source_key like 'row %', source_key, concat_ws(' ', 'drug_indication', source_key)
    ) as record,
    message,
    count(*) over () as n_problems
from problem
where message is not null
order by record, message
limit :limit
