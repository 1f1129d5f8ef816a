-- Title:   Ordinal average precision
-- Result:  Benchmarks
-- Formula: mean over the thresholds of ordinal_threshold; severity_ordering_ap = average
--          precision of the top class among items of class >= 1
-- Units:   0..1 (nap: 0 at chance); a mean is NULL if a threshold has none;
--          reason is that of ordinal_auprc
-- Grain:   submission_id
with threshold_mean as (
    select
        submission_id,
        max(k) as top_class,
        max(auprc) filter (where k = 1) as auprc_ge_1,
        max(auprc) filter (where k = 2) as auprc_ge_2,
        if(count(auprc) = count(*), avg(auprc order by k), null) as ordinal_auprc,
        max(nap) filter (where k = 1) as nap_ge_1,
        max(nap) filter (where k = 2) as nap_ge_2,
        if(count(nap) = count(*), avg(nap order by k), null) as ordinal_nap,
        arg_min(concat('class ', k, ': ', reason), k) filter (where auprc is null) as reason,
        arg_min(concat('class ', k, ': ', reason), k) filter (where nap is null) as nap_reason
    from ordinal_threshold
    group by submission_id
)

select
    threshold_mean.submission_id,
    threshold_mean.auprc_ge_1,
    threshold_mean.auprc_ge_2,
    threshold_mean.ordinal_auprc,
    threshold_mean.nap_ge_1,
    threshold_mean.nap_ge_2,
    threshold_mean.ordinal_nap,
    severity.average_precision as severity_ordering_ap,
    threshold_mean.reason,
    threshold_mean.nap_reason,
    case
        when severity.average_precision is not null then null
        when threshold_mean.top_class = 1
            then 'with two classes, no severe item is above another'
        -- Where no item reaches the top class, ordinal_auprc has no value either.
        else threshold_mean.reason
    end as severity_reason
from threshold_mean
left join average_precision as severity
    on
        threshold_mean.submission_id = severity.submission_id
        and threshold_mean.top_class = severity.min_class
        and severity.lowest_class = 1
