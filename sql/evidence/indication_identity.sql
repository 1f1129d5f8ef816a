-- Title:   Identifiers by which an indication is recognised again
-- Formula: the row's molecule and its parent, each with the EFO or MONDO id and with the MeSH id;
--          without any id, with the term
-- Source:  docs/metrics.md#indication_identity
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

molecule_identity as (
    select
        indication_id,
        release_id,
        position,
        phase,
        unnest(molecules) as molecule,
        identifiers
    from identity
)

select
    indication_id,
    release_id,
    position,
    phase,
    molecule,
    unnest(identifiers) as identifier
from molecule_identity
