-- Title:   Phase of an indication, and the release that first showed it
-- Formula: of the rows of the same indication in this release and earlier ones, the first in this
--          phase or a higher one; rows are of the same indication if they share molecule or parent,
--          and EFO, MONDO or MeSH id; without any id, the term
-- Units:   phase 0 (none known) to 4; first_position in the order of ChEMBL's releases
-- Grain:   indication_id
with reached_phase as (
    select
        molecule,
        identifier,
        phase,
        min(position) as position
    from indication_identity
    group by molecule, identifier, phase
)

select
    indication_identity.indication_id,
    indication_identity.release_id,
    indication_identity.position,
    indication_identity.phase,
    min(reached_phase.position) as first_position
from indication_identity
inner join reached_phase
    on
        indication_identity.molecule = reached_phase.molecule
        and indication_identity.identifier = reached_phase.identifier
        and indication_identity.phase <= reached_phase.phase
        and indication_identity.position >= reached_phase.position
group by
    indication_identity.indication_id,
    indication_identity.release_id,
    indication_identity.position,
    indication_identity.phase
