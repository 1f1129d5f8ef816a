-- Title:   Indications that ChEMBL took back
-- Formula: an indication of a release that the next one lacks, or has in a lower phase, under its
--          molecule or parent and either of its identifiers
-- Source:  METRICS section 2, corrections and identifier churn
-- Units:   release_id is the release that took it back; phase_after is NULL where it is gone
-- Grain:   indication_id
with indicated as (
    select
        indication.indication_id,
        release_order.position,
        greatest(coalesce(indication.max_phase, 0), 0) as phase,
        coalesce(indication.parent_chembl_id, indication.chembl_id) as molecule,
        unnest(
            list_distinct(
                [coalesce(indication.efo_id, indication.mesh_id), indication.mesh_id]
            )
        ) as identifier
    from indication
    inner join release_order using (release_id)
),

indicated_phase as (
    select
        molecule,
        identifier,
        position,
        max(phase) as phase
    from indicated
    group by molecule, identifier, position
),

-- An indication lives on under either identifier, so the best of both counts.
followed_indication as (
    select
        indicated.indication_id,
        indicated.position + 1 as position,
        any_value(indicated.phase) as phase_before,
        max(indicated_phase.phase) as phase_after
    from indicated
    left join indicated_phase
        on
            indicated.molecule = indicated_phase.molecule
            and indicated.identifier = indicated_phase.identifier
            and indicated_phase.position = indicated.position + 1
    group by indicated.indication_id, indicated.position
)

select
    followed_indication.indication_id,
    release_order.release_id,
    followed_indication.phase_before,
    followed_indication.phase_after
from followed_indication
inner join release_order
    on
        release_order.source = 'chembl'
        and followed_indication.position = release_order.position
where coalesce(followed_indication.phase_after, -1) < followed_indication.phase_before
