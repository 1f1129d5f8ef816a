-- Title:      The studies of a snapshot in the store's vocabulary, each with its content hash
-- Reads:      staged_condition, staged_detail, staged_intervention, staged_study
-- Creates:    given_trial
-- Note:       A study's hash covers everything stored of it except the order of its names and the
--             source's row numbers, which AACT renumbers with every export. A sum over the rows
--             needs no sorting. Nor does it cover the roles of interventions: a study that was
--             stored before its arms were read, or from files without them, has not changed, and an
--             edit of the arms moves last_update_posted_on. Where nothing is said of purpose,
--             stop, results and last known status, the hash is what it was before they were read.
with entry as (
    select
        source_key,
        concat_ws(
            chr(31),
            name,
            if(is_mesh_term, 'mesh term', 'condition'),
            coalesce(mesh_id, chr(30))
        ) as content
    from staged_condition
    union all
    select
        source_key,
        concat_ws(
            chr(31),
            name,
            case
                when is_mesh_term then 'mesh term'
                when is_other_name then 'other name'
                else 'intervention'
            end,
            coalesce(if(is_mesh_term, mesh_id, intervention_type), chr(30))
        ) as content
    from staged_intervention
),

entry_digest as (
    select
        source_key,
        concat_ws(':', count(*), sum(md5_number_lower(content))) as digest
    from entry
    group by source_key
),

detail as (
    select
        source_key,
        max(code_word(primary_purpose)) as primary_purpose,
        max(trim(why_stopped)) as why_stopped,
        max(strict_date(results_posted_on)) as results_posted_on,
        max(status_word(last_known_status)) as last_known_status
    from staged_detail
    group by source_key
),

study as (
    select
        staged_study.nct_id,
        staged_study.source_key,
        trim(staged_study.title) as title,
        code_word(staged_study.study_type) as study_type,
        phase_word(staged_study.phase) as phase,
        status_word(staged_study.overall_status) as overall_status,
        as_date(staged_study.start_date) as start_date,
        date_precision(staged_study.start_date) as start_precision,
        code_word(staged_study.start_type) as start_type,
        as_date(staged_study.primary_completion_date) as primary_completion_date,
        date_precision(staged_study.primary_completion_date) as primary_completion_precision,
        as_date(staged_study.completion_date) as completion_date,
        date_precision(staged_study.completion_date) as completion_precision,
        strict_date(staged_study.first_posted_on) as first_posted_on,
        strict_date(staged_study.last_update_posted_on) as last_update_posted_on,
        entry_digest.digest,
        if(
            detail.primary_purpose = 'EDUCATIONAL/COUNSELING/TRAINING',
            'ECT',
            nullif(detail.primary_purpose, '')
        ) as primary_purpose,
        nullif(detail.why_stopped, '') as why_stopped,
        detail.results_posted_on,
        nullif(detail.last_known_status, '') as last_known_status
    from staged_study
    left join detail on staged_study.source_key = detail.source_key
    left join entry_digest on staged_study.source_key = entry_digest.source_key
)

select
    nct_id,
    source_key,
    title,
    study_type,
    phase,
    overall_status,
    start_date,
    start_precision,
    start_type,
    primary_completion_date,
    primary_completion_precision,
    completion_date,
    completion_precision,
    first_posted_on,
    last_update_posted_on,
    sha256(
        concat_ws(
            chr(31),
            coalesce(title, chr(30)),
            coalesce(study_type, chr(30)),
            coalesce(phase, chr(30)),
            coalesce(overall_status, chr(30)),
            coalesce(cast(start_date as varchar), chr(30)),
            coalesce(start_precision, chr(30)),
            coalesce(start_type, chr(30)),
            coalesce(cast(primary_completion_date as varchar), chr(30)),
            coalesce(primary_completion_precision, chr(30)),
            coalesce(cast(completion_date as varchar), chr(30)),
            coalesce(completion_precision, chr(30)),
            coalesce(cast(first_posted_on as varchar), chr(30)),
            coalesce(cast(last_update_posted_on as varchar), chr(30)),
            coalesce(digest, chr(30)),
            'purpose ' || primary_purpose,
            'stopped ' || why_stopped,
            'results ' || cast(results_posted_on as varchar),
            'last known ' || last_known_status
        )
    ) as content_sha256,
    primary_purpose,
    why_stopped,
    results_posted_on,
    last_known_status
from study
