-- Title:   Phases of started trials of pairs
-- Formula: the first release that shows a study with the pair in the phase, and as begun; and again
--          the first through aliases that were known earlier
-- Units:   as in the ledger; event date is the start, else the first posting, else public_by;
--          public with the first version of the study that names the pair and the phase
-- Grain:   disease_id, drug_id, record, phase, drug_alias, disease_alias, match_kind
with started_phase as (
    select *
    from trial_pair_version
    where reached_phase is not null and started_position is not null
    qualify
        known_since < coalesce(
            min(known_since) over (
                partition by disease_id, drug_id, nct_id, reached_phase, level, is_shared
                order by started_position, from_position
                rows between unbounded preceding and 1 preceding
            ),
            'infinity'
        )
),

first_version as (
    select
        started_phase.disease_id,
        started_phase.drug_id,
        started_phase.nct_id,
        started_phase.from_position,
        started_phase.level,
        started_phase.known_since,
        started_phase.is_shared,
        min_by(trial_pair_version.trial_id, trial_pair_version.from_position) as trial_id
    from started_phase
    inner join trial_pair_version
        on
            started_phase.disease_id = trial_pair_version.disease_id
            and started_phase.drug_id = trial_pair_version.drug_id
            and started_phase.nct_id = trial_pair_version.nct_id
            and started_phase.reached_phase = trial_pair_version.reached_phase
            and started_phase.is_shared = trial_pair_version.is_shared
            and started_phase.level >= trial_pair_version.level
            and started_phase.known_since >= trial_pair_version.known_since
    group by
        started_phase.disease_id,
        started_phase.drug_id,
        started_phase.nct_id,
        started_phase.from_position,
        started_phase.level,
        started_phase.known_since,
        started_phase.is_shared
)

select
    started_phase.disease_id,
    started_phase.drug_id,
    'trial_phase' as event_type,
    started_phase.reached_phase as phase,
    coalesce(
        started_phase.start_date, trial.first_posted_on, trial_version.public_by
    ) as event_date,
    trial_version.public_after,
    trial_version.public_by,
    release_order.source,
    release_order.release_id,
    started_phase.nct_id as record,
    started_phase.drug_alias,
    started_phase.disease_alias,
    started_phase.match_kind,
    json_object(
        'record', started_phase.nct_id,
        'phase', started_phase.reached_phase,
        'status', started_phase.overall_status,
        'start_precision', trial.start_precision,
        'start_type', trial.start_type,
        'use', started_phase.study_use,
        'n_conditions', started_phase.n_conditions,
        'drug_alias', started_phase.drug_alias,
        'disease_alias', started_phase.disease_alias
    ) as detail
from started_phase
inner join first_version
    using (disease_id, drug_id, nct_id, from_position, level, known_since, is_shared)
inner join trial on started_phase.trial_id = trial.trial_id
inner join trial_version on first_version.trial_id = trial_version.trial_id
inner join release_order
    on
        started_phase.started_position = release_order.position
        and release_order.tells_of = 'studies'
