-- Title:   Started trials of pairs
-- Formula: the first release that shows the study with the pair, with a start date, and as begun;
--          and again the first through aliases that were known earlier
-- Units:   as in the ledger; event date is the start; public as the study was registered
-- Grain:   disease_id, drug_id, record, drug_alias, disease_alias, match_kind
with started_trial as (
    select *
    from trial_pair_version
    where start_date is not null and started_position is not null
    qualify
        known_since < coalesce(
            min(known_since) over (
                partition by disease_id, drug_id, nct_id, level, is_shared
                order by started_position, from_position
                rows between unbounded preceding and 1 preceding
            ),
            'infinity'
        )
),

first_version as (
    select
        started_trial.disease_id,
        started_trial.drug_id,
        started_trial.nct_id,
        started_trial.from_position,
        started_trial.level,
        started_trial.known_since,
        started_trial.is_shared,
        min_by(trial_pair_version.trial_id, trial_pair_version.from_position) as trial_id
    from started_trial
    inner join trial_pair_version
        on
            started_trial.disease_id = trial_pair_version.disease_id
            and started_trial.drug_id = trial_pair_version.drug_id
            and started_trial.nct_id = trial_pair_version.nct_id
            and started_trial.is_shared = trial_pair_version.is_shared
            and started_trial.level >= trial_pair_version.level
            and started_trial.known_since >= trial_pair_version.known_since
    group by
        started_trial.disease_id,
        started_trial.drug_id,
        started_trial.nct_id,
        started_trial.from_position,
        started_trial.level,
        started_trial.known_since,
        started_trial.is_shared
)

select
    started_trial.disease_id,
    started_trial.drug_id,
    'trial_started' as event_type,
    started_trial.reached_phase as phase,
    started_trial.start_date as event_date,
    trial_version.public_after,
    trial_version.public_by,
    release_order.source,
    release_order.release_id,
    started_trial.nct_id as record,
    started_trial.drug_alias,
    started_trial.disease_alias,
    started_trial.match_kind,
    json_object(
        'record', started_trial.nct_id,
        'phase', started_trial.reached_phase,
        'status', started_trial.overall_status,
        'start_precision', trial.start_precision,
        'start_type', trial.start_type,
        'use', started_trial.study_use,
        'n_conditions', started_trial.n_conditions,
        'drug_alias', started_trial.drug_alias,
        'disease_alias', started_trial.disease_alias
    ) as detail
from started_trial
inner join first_version
    using (disease_id, drug_id, nct_id, from_position, level, known_since, is_shared)
inner join trial on started_trial.trial_id = trial.trial_id
inner join trial_version on first_version.trial_id = trial_version.trial_id
inner join release_order
    on
        started_trial.started_position = release_order.position
        and release_order.tells_of = 'studies'
