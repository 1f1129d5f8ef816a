-- Title:      The version of each study that counts, its key, and whether it is new or changed
-- Reads:      given_trial, trial
-- Creates:    new_trial
-- Parameters: first_id
-- Note:       If several files contain a study, the version updated last counts, whatever the
--             order of the files. Only narrow rows are sorted, to find that version and its key.
with counted as (
    select
        nct_id,
        source_key,
        content_sha256,
        case
            when contains(phase, 'PHASE4') then 4
            when contains(phase, 'PHASE3') then 3
            when contains(phase, 'PHASE2') then 2
            when contains(replace(phase, 'EARLY_PHASE1', ''), 'PHASE1') then 1
            when contains(phase, 'EARLY_PHASE1') then 0.5
        end as reached_phase,
        row_number() over (
            partition by nct_id
            order by last_update_posted_on desc nulls last, content_sha256 asc, source_key asc
        ) as nth
    from given_trial
),

held as (
    select
        nct_id,
        arg_max(content_sha256, trial_id) as content_sha256
    from trial
    group by nct_id
)

select
    counted.nct_id,
    counted.source_key,
    counted.reached_phase,
    (held.content_sha256 is distinct from counted.content_sha256) as is_changed,
    :first_id - 1 + row_number() over (order by is_changed desc, counted.nct_id asc) as trial_id
from counted
left join held on counted.nct_id = held.nct_id
where counted.nth = 1
