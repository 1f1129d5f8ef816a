-- Title:      Names of the molecules of a staged release
-- Reads:      drug_alias, new_indication, staged_name
-- Creates:    new_name
-- Note:       All of them, so that a drug loaded later finds the molecule that it is. Earlier
--             versions, whose releases a replay makes again, kept those of the families of
--             indicated molecules and of drugs already in the store.
with family as (
    select distinct coalesce(parent_chembl_id, chembl_id) as family_chembl_id from new_indication
),

folded as (
    select
        chembl_id,
        parent_chembl_id,
        kind,
        trim(name) as name,
        fold_name(trim(name)) as folded_name
    from staged_name
    where trim(name) <> ''
),

wanted as (
    select folded.chembl_id
    from folded
    where :is_whole
    union
    select folded.chembl_id
    from folded
    inner join family
        on family.family_chembl_id = coalesce(folded.parent_chembl_id, folded.chembl_id)
    union
    select folded.chembl_id
    from folded
    inner join drug_alias on folded.folded_name = drug_alias.value
    where drug_alias.kind in ('name', 'synonym')
    union
    select value as chembl_id from drug_alias
    where kind = 'chembl_id'
)

select
    folded.chembl_id,
    any_value(folded.parent_chembl_id) as parent_chembl_id,
    folded.kind,
    folded.folded_name,
    min(folded.name) as name
from folded
inner join wanted on folded.chembl_id = wanted.chembl_id
group by folded.chembl_id, folded.kind, folded.folded_name
