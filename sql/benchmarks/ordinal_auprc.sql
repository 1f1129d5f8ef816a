-- Title:   Ordinal average precision
-- Result:  Benchmarks
-- Formula: mean over the thresholds of ordinal_threshold; severity_ordering_ap = average
--          precision of the top class among items of class >= 1
-- Units:   0..1 (nap: 0 at chance); a mean is NULL if a threshold has none
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
        concat(
            'class ', min(k) filter (where reason is not null), ': ',
            arg_min(reason, k) filter (where reason is not null)
        ) as reason,
        count(reason) as n_reasons
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
    if(threshold_mean.n_reasons > 0, threshold_mean.reason, null) as reason
from threshold_mean
left join average_precision as severity
    on
        threshold_mean.submission_id = severity.submission_id
        and threshold_mean.top_class = severity.min_class
        and severity.lowest_class = 1
