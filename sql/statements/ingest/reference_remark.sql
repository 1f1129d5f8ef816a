-- Title:      What of references and years of first approval dates nothing, by record
-- Reads:      staged_reference, staged_indication
with remark as (
    select
        'has a reference without a type' as remark,
        source_key
    from staged_reference
    where coalesce(trim(ref_type), '') = ''
    union all
    select
        'refers to ClinicalTrials.gov without a number of a study' as remark,
        source_key
    from staged_reference
    where
        ref_type = 'ClinicalTrials'
        and not regexp_matches(upper(coalesce(ref_id, '')), 'NCT[0-9]{8}')
    union all
    select
        'has a year of first approval that is none, or after the release' as remark,
        source_key
    from staged_indication
    where
        trim(first_approval) <> ''
        and not coalesce(try_cast(first_approval as double) between 1800 and :released_in, false)
)

select
    remark,
    count(distinct source_key) as n_records,
    list(distinct source_key order by length(source_key), source_key) as records
from remark
group by remark
order by remark
