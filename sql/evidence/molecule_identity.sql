-- Title:   Identifiers of one molecule
-- Formula: the identifiers that changes lead to from one another, in either direction
-- Units:   ChEMBL ids; a molecule that never changed has no row
-- Grain:   chembl_id, same_chembl_id
with recursive link as (
    select
        chembl_id,
        new_chembl_id as same_chembl_id
    from molecule_change
    union
    select
        new_chembl_id as chembl_id,
        chembl_id as same_chembl_id
    from molecule_change
),

reached as (
    select
        chembl_id,
        same_chembl_id
    from link
    union
    select
        reached.chembl_id,
        link.same_chembl_id
    from reached
    inner join link on reached.same_chembl_id = link.chembl_id
)

select
    chembl_id,
    same_chembl_id
from reached
where chembl_id <> same_chembl_id
