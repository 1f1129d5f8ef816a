-- Title:   Registered studies of pairs
-- Formula: the first version of each study that names the pair, and again the first that does so
--          through aliases that were known earlier
-- Units:   as in the ledger; event date is the first posting, without one public_by
-- Grain:   disease_id, drug_id, record, drug_alias, disease_alias, match_kind
with named_pair as (
    select *
    from trial_pair_version
    qualify
        known_since < coalesce(
            min(known_since) over (
                partition by disease_id, drug_id, nct_id, level, is_shared
                order by from_position
                rows between unbounded preceding and 1 preceding
            ),
            'infinity'
        )
)

select
    named_pair.disease_id,
    named_pair.drug_id,
    'trial_registered' as event_type,
    named_pair.reached_phase as phase,
    coalesce(trial.first_posted_on, trial_version.public_by) as event_date,
    trial_version.public_after,
    trial_version.public_by,
    release_order.source,
    trial.release_id,
    named_pair.nct_id as record,
    named_pair.drug_alias,
    named_pair.disease_alias,
    named_pair.match_kind,
    json_object(
        'record', named_pair.nct_id,
        'phase', named_pair.reached_phase,
        'status', named_pair.overall_status,
        'start_precision', trial.start_precision,
        'start_type', trial.start_type,
        'use', named_pair.study_use,
        'n_conditions', named_pair.n_conditions,
        'drug_alias', named_pair.drug_alias,
        'disease_alias', named_pair.disease_alias
    ) as detail
from named_pair
inner join trial using (trial_id)
inner join trial_version using (trial_id)
inner join release_order on trial.release_id = release_order.release_id
