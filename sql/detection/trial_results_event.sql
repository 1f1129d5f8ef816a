-- Title:   Results of trials of pairs
-- Formula: the first version of a study with a day on which results were posted, if it names the
--          pair
-- Units:   as in the ledger; event date is the day of posting, public on that day, or on the day
--          of the release if that is earlier
-- Grain:   disease_id, drug_id, record, drug_alias, disease_alias, match_kind
with first_result as (
    select
        trial_state.nct_id,
        min(trial_state.from_position) as from_position
    from trial_state
    inner join trial using (trial_id)
    where trial.results_posted_on is not null
    group by trial_state.nct_id
),

posted_result as (
    select
        trial_pair_version.*,
        trial.release_id,
        release_order.source,
        least(trial.results_posted_on, release_order.released_on) as posted_on
    from trial_pair_version
    inner join first_result using (nct_id, from_position)
    inner join trial using (trial_id)
    inner join release_order on trial.release_id = release_order.release_id
)

select
    disease_id,
    drug_id,
    'trial_results' as event_type,
    cast(null as double) as phase,
    posted_on as event_date,
    cast(posted_on - 1 as date) as public_after,
    posted_on as public_by,
    source,
    release_id,
    nct_id as record,
    drug_alias,
    disease_alias,
    match_kind,
    json_object(
        'record', nct_id,
        'use', study_use,
        'n_conditions', n_conditions,
        'drug_alias', drug_alias,
        'disease_alias', disease_alias
    ) as detail
from posted_result
