-- Title:   Newest estimates
-- Result:  Estimates and the scoreboard
-- Formula: for each subject and view, the estimates computed last; where an earlier version
--          stored several of one figure at once, the last of them
-- Units:   as in the table estimate; estimates computed after the as-of instant are left out
-- Grain:   estimate_id
with ranked_estimate as (
    select
        estimate_id,
        rank() over (
            partition by slate_id, evaluation_id, submission_id, view_name
            order by computed_at desc
        ) as run_number,
        row_number() over (
            partition by
                slate_id,
                evaluation_id,
                submission_id,
                view_name,
                metric,
                evidence_window,
                population,
                tier,
                row_key
            order by computed_at desc, estimate_id desc
        ) as figure_number
    from estimate
    where
        computed_at <= (select report_instant.as_of from report_instant)
)

select
    estimate_id,
    estimate.computed_at,
    estimate.slate_id,
    estimate.evaluation_id,
    estimate.submission_id,
    estimate.view_name,
    estimate.metric,
    estimate.evidence_window,
    estimate.population,
    estimate.tier,
    estimate.row_key,
    estimate.n,
    estimate.n_units,
    estimate.value,
    estimate.low,
    estimate.high,
    estimate.level,
    estimate.method,
    estimate.unit,
    estimate.p_value,
    estimate.p_adjusted,
    estimate.test,
    estimate.seed,
    estimate.n_replicates,
    estimate.n_events_needed,
    estimate.reason
from ranked_estimate
inner join estimate using (estimate_id)
where
    ranked_estimate.run_number = 1
    and ranked_estimate.figure_number = 1
