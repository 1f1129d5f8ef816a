-- Title:      What releases of ChEMBL gave, as lines that can be compared between stores
-- Reads:      drug_warning, indication, indication_reference, molecule, molecule_key,
--             molecule_name, release
-- Note:       Lines as in event_line. Rows that no key ties to their release may lack it. What
--             earlier versions did not read is not compared: years of first approval, and
--             references without a type.
select
    'indication' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(release.sha256, indication.source_key) as varchar) as subject,
    concat_ws(' ', indication.source_key, 'in ChEMBL', release.version) as record,
    json_object(
        'chembl_id', indication.chembl_id,
        'parent_chembl_id', indication.parent_chembl_id,
        'efo_id', indication.efo_id,
        'efo_term', indication.efo_term,
        'folded_efo_term', fold_marks(indication.folded_efo_term),
        'mesh_id', indication.mesh_id,
        'mesh_heading', indication.mesh_heading,
        'folded_mesh_heading', fold_marks(indication.folded_mesh_heading),
        'max_phase', indication.max_phase
    ) as content,
    indication.indication_id as row_id
from indication
inner join release on indication.release_id = release.release_id
union all
select
    'indication_reference' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(release.sha256, indication.source_key) as varchar) as subject,
    concat_ws(' ', indication.source_key, 'in ChEMBL', release.version) as record,
    json_object(
        'ref_type', indication_reference.ref_type,
        'ref_id', indication_reference.ref_id
    ) as content,
    cast(null as bigint) as row_id
from indication_reference
inner join indication on indication_reference.indication_id = indication.indication_id
inner join release on indication.release_id = release.release_id
where indication_reference.ref_type <> 'not stated'
union all
select
    'molecule' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(release.sha256, molecule.chembl_id) as varchar) as subject,
    concat_ws(' ', molecule.chembl_id, 'in ChEMBL', release.version) as record,
    json_object('parent_chembl_id', molecule.parent_chembl_id) as content,
    cast(null as bigint) as row_id
from molecule
inner join release on molecule.release_id = release.release_id
union all
select
    'molecule_name' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(release.sha256, molecule_name.chembl_id) as varchar) as subject,
    concat_ws(' ', molecule_name.chembl_id, 'in ChEMBL', release.version) as record,
    json_object(
        'kind', molecule_name.kind,
        'folded_name', fold_marks(molecule_name.folded_name),
        'name', molecule_name.name
    ) as content,
    cast(null as bigint) as row_id
from molecule_name
left join release on molecule_name.release_id = release.release_id
union all
select
    'molecule_key' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(release.sha256, molecule_key.chembl_id) as varchar) as subject,
    concat_ws(' ', molecule_key.chembl_id, 'in ChEMBL', release.version) as record,
    json_object('kind', molecule_key.kind, 'value', molecule_key.value) as content,
    cast(null as bigint) as row_id
from molecule_key
left join release on molecule_key.release_id = release.release_id
union all
select
    'drug_warning' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(release.sha256, drug_warning.record) as varchar) as subject,
    concat_ws(' ', drug_warning.record, 'in ChEMBL', release.version) as record,
    json_object(
        'chembl_id', drug_warning.chembl_id,
        'parent_chembl_id', drug_warning.parent_chembl_id,
        'warning_type', drug_warning.warning_type,
        'warning_class', drug_warning.warning_class,
        'warning_description', drug_warning.warning_description,
        'warning_country', drug_warning.warning_country,
        'warning_year', drug_warning.warning_year,
        'efo_id', drug_warning.efo_id,
        'efo_term', drug_warning.efo_term
    ) as content,
    cast(null as bigint) as row_id
from drug_warning
inner join release on drug_warning.release_id = release.release_id
