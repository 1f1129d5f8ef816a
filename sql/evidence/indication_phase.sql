-- Title:   Phase of an indication, and what earlier releases had of it
-- Formula: an earlier row is of the same indication if it shares molecule or parent, and EFO,
--          MONDO or MeSH id; without any id, the term
-- Source:  METRICS section 2, phase scale and identifier churn
-- Units:   phase 0 (none known) to 4; prior_phase is NULL where no earlier release has it
-- Grain:   indication_id
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
),

named_identity as (
    select
        indication_id,
        release_id,
        position,
        phase,
        molecule,
        unnest(identifiers) as identifier
    from molecule_identity
),

followed_identity as (
    select
        indication_id,
        release_id,
        position,
        phase,
        max(phase) over (
            partition by molecule, identifier
            order by position
            range between unbounded preceding and 1 preceding
        ) as prior_phase
    from named_identity
)

select
    indication_id,
    release_id,
    position,
    phase,
    max(prior_phase) as prior_phase
from followed_identity
group by indication_id, release_id, position, phase
