-- Title:      Problems of staged studies, by record
-- Reads:      staged_detail, staged_study
-- Note:       Lists the first records with a problem; a date is valid only in the format used by
--             the store.
with problem as (
    select
        source_key,
        case
            when not coalesce(regexp_full_match(nct_id, 'NCT[0-9]{8}'), false)
                then coalesce('''' || nullif(nct_id, '') || ''' is not an NCT id', 'has no NCT id')
            when start_date is not null and as_date(start_date) is null
                then 'start date ''' || start_date || ''' is not a date'
            when primary_completion_date is not null and as_date(primary_completion_date) is null
                then 'primary completion date ''' || primary_completion_date || ''' is not a date'
            when completion_date is not null and as_date(completion_date) is null
                then 'completion date ''' || completion_date || ''' is not a date'
            when first_posted_on is not null and strict_date(first_posted_on) is null
                then 'first posted date ''' || first_posted_on || ''' is not a date'
            when last_update_posted_on is not null and strict_date(last_update_posted_on) is null
                then 'last update date ''' || last_update_posted_on || ''' is not a date'
            when not regexp_full_match(phase_word(phase), '((EARLY_PHASE1|PHASE[1-4]|NA)(\||$))+')
                then 'phase ''' || phase || ''' is unknown'
        end as message
    from staged_study
    union all
    select
        source_key,
        'results date ''' || results_posted_on || ''' is not a date' as message
    from staged_detail
    where results_posted_on is not null and strict_date(results_posted_on) is null
    union all
    select
        source_key,
        'occurs twice' as message
    from staged_study
    group by source_key
    having count(*) > 1
)

select
    source_key,
    message,
    count(*) over () as n_problems
from problem
where message is not null
order by source_key, message
limit :limit
