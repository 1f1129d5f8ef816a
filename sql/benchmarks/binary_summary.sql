-- Title:   Binary summary
-- Result:  Benchmarks
-- Formula: means over the submitted targets of AUROC and of average precision
-- Units:   0..1; NULL if any submitted target has none; reason is that of mean_auroc
-- Grain:   submission_id
select
    auroc.submission_id,
    count(*) as n_targets,
    if(count(auroc.auroc) = count(*), avg(auroc.auroc order by auroc.target), null) as mean_auroc,
    if(
        count(average_precision.average_precision) = count(*),
        avg(average_precision.average_precision order by auroc.target),
        null
    ) as mean_average_precision,
    arg_min(concat(auroc.target, ': ', auroc.reason), auroc.target)
    filter (where auroc.auroc is null)
        as reason,
    -- Without a true value there is no row of average_precision, and that is why.
    arg_min(
        concat(auroc.target, ': ', coalesce(average_precision.reason, auroc.reason)), auroc.target
    ) filter (where average_precision.average_precision is null)
        as average_precision_reason
from auroc
left join average_precision
    on
        auroc.submission_id = average_precision.submission_id
        and auroc.target = average_precision.target
        and average_precision.lowest_class = 0
        and average_precision.min_class = 1
group by auroc.submission_id
