-- Title:   Identifiers by which an indication is recognised again
-- Formula: the row's molecule and its parent, under every identifier that they had, each with the
--          EFO or MONDO id and with the MeSH id; without any id, with the term
-- Units:   phase 0 (none known) to 4
-- Grain:   indication_id, molecule, identifier
with identity as (
    select
        indication.indication_id,
        release_order.release_id,
        release_order.position,
        greatest(coalesce(indication.max_phase, 0), 0) as phase,
        list_distinct(
            [indication.chembl_id, coalesce(indication.parent_chembl_id, indication.chembl_id)]
        ) as molecules,
        list_distinct(
            [
                coalesce(
                    indication.efo_id,
                    indication.mesh_id,
                    indication.folded_efo_term,
                    indication.folded_mesh_heading
                ),
                indication.mesh_id
            ]
        ) as identifiers
    from indication
    inner join release_order using (release_id)
),

named_molecule as (
    select
        indication_id,
        release_id,
        position,
        phase,
        unnest(molecules) as molecule,
        identifiers
    from identity
),

known_molecule as (
    select
        indication_id,
        release_id,
        position,
        phase,
        molecule,
        identifiers
    from named_molecule
    union
    select
        named_molecule.indication_id,
        named_molecule.release_id,
        named_molecule.position,
        named_molecule.phase,
        molecule_identity.same_chembl_id as molecule,
        named_molecule.identifiers
    from named_molecule
    inner join molecule_identity on named_molecule.molecule = molecule_identity.chembl_id
)

select
    indication_id,
    release_id,
    position,
    phase,
    molecule,
    unnest(identifiers) as identifier
from known_molecule
