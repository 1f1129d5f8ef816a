-- Title:   AUROC by ranks is the area under the ROC curve by counts
-- When:    audit
-- Grain:   submission_id, target
-- Note:    auroc ranks all items at once, and both of its columns rest on those ranks. roc_point
--          counts the classes at each distinct score and adds them up; the two share only the
--          tables. Areas in counts are whole, so each side is rounded once, on division.
with counted_area as (
    select
        submission_id,
        target,
        cast(
            sum(
                cast(n_negative_at_threshold as hugeint) * (2 * tp - n_positive_at_threshold)
            ) as double
        )
        / nullif(2 * cast(max(tp) as double) * max(fp), 0) as area
    from roc_point
    group by submission_id, target
)

select
    submission_id,
    target,
    'the rank definition and the area under the curve of counts differ by more than 1e-12'
        as reason
from auroc
full outer join counted_area using (submission_id, target)
where
    (
        auroc.auroc is distinct from counted_area.area
        and coalesce(abs(auroc.auroc - counted_area.area) > 1e-12, true)
    )
    or (
        auroc.auroc is distinct from auroc.auroc_trapezoid
        and coalesce(abs(auroc.auroc - auroc.auroc_trapezoid) > 1e-12, true)
    )
