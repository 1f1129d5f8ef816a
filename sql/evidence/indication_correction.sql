-- Title:   Indications that ChEMBL withdrew or lowered
-- Formula: an indication of a release that the next one lacks, or has in a lower phase, under its
--          molecule or parent and either of its identifiers
-- Source:  docs/metrics.md#indication_correction
-- Units:   release_id is the release with the change; phase_after is NULL where the row is gone
-- Grain:   indication_id
with identity_phase as (
    select
        molecule,
        identifier,
        position,
        max(phase) as phase
    from indication_identity
    group by molecule, identifier, position
),

-- An indication may continue under either identifier, so the higher phase of the two counts.
followed_indication as (
    select
        indication_identity.indication_id,
        indication_identity.position + 1 as position,
        any_value(indication_identity.phase) as phase_before,
        max(identity_phase.phase) as phase_after
    from indication_identity
    left join identity_phase
        on
            indication_identity.molecule = identity_phase.molecule
            and indication_identity.identifier = identity_phase.identifier
            and identity_phase.position = indication_identity.position + 1
    group by indication_identity.indication_id, indication_identity.position
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
