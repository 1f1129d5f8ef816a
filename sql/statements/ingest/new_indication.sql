-- Title:      The indications of a release in their stored form, in the order of their keys
-- Reads:      staged_indication
-- Creates:    new_indication
select
    :first_id - 1 + row_number() over (
        order by
            try_cast(source_key as bigint),
            length(source_key),
            source_key,
            chembl_id,
            efo_id,
            mesh_id,
            max_phase
    ) as indication_id,
    source_key,
    upper(trim(chembl_id)) as chembl_id,
    upper(trim(parent_chembl_id)) as parent_chembl_id,
    ontology_id(nullif(trim(efo_id), '')) as efo_id,
    nullif(trim(efo_term), '') as efo_term,
    fold_name(nullif(trim(efo_term), '')) as folded_efo_term,
    ontology_id(nullif(trim(mesh_id), '')) as mesh_id,
    nullif(trim(mesh_heading), '') as mesh_heading,
    fold_name(nullif(trim(mesh_heading), '')) as folded_mesh_heading,
    cast(max_phase as double) as max_phase,
    if(
        try_cast(first_approval as double) between 1800 and :released_in,
        cast(try_cast(first_approval as double) as smallint),
        null
    ) as first_approved_in
from staged_indication
