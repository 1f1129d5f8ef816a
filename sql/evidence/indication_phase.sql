-- Title:   Phase of an indication, and its highest phase in earlier releases
-- Formula: an earlier row is of the same indication if it shares molecule or parent, and EFO,
--          MONDO or MeSH id; without any id, the term
-- Source:  docs/metrics.md#indication_phase
-- Units:   phase 0 (none known) to 4; prior_phase is NULL where no earlier release has it
-- Grain:   indication_id
with followed_identity as (
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
    from indication_identity
)

select
    indication_id,
    release_id,
    position,
    phase,
    max(prior_phase) as prior_phase
from followed_identity
group by indication_id, release_id, position, phase
