-- Title:      Appends the warnings of a release
-- Reads:      staged_warning
-- Writes:     drug_warning
-- Note:       What has no type says nothing. A molecule that is flagged as withdrawn has a row of
--             its own only where no withdrawal of the release is of it, or of the same parent.
with given as (
    select
        nullif(trim(warning_id), '') as warning_id,
        upper(trim(chembl_id)) as chembl_id,
        nullif(upper(trim(parent_chembl_id)), '') as parent_chembl_id,
        trim(warning_type) as warning_type,
        nullif(trim(warning_class), '') as warning_class,
        nullif(trim(warning_description), '') as warning_description,
        nullif(trim(warning_country), '') as warning_country,
        cast(nullif(trim(warning_year), '') as double) as warning_year,
        ontology_id(nullif(trim(efo_id), '')) as efo_id,
        nullif(trim(efo_term), '') as efo_term
    from staged_warning
    where trim(warning_type) <> ''
),

withdrawn_molecule as (
    select distinct coalesce(parent_chembl_id, chembl_id) as molecule
    from given
    where warning_id is not null and lower(warning_type) = 'withdrawn'
)

select
    cast(:release_id as integer) as release_id,
    coalesce(given.warning_id, given.chembl_id) as record,
    given.chembl_id,
    given.parent_chembl_id,
    given.warning_type,
    given.warning_class,
    given.warning_description,
    given.warning_country,
    cast(given.warning_year as integer) as warning_year,
    given.efo_id,
    given.efo_term
from given
left join withdrawn_molecule
    on coalesce(given.parent_chembl_id, given.chembl_id) = withdrawn_molecule.molecule
where given.warning_id is not null or withdrawn_molecule.molecule is null
