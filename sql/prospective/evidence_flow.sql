-- Title:   From released evidence to hits
-- Result:  Verdict and overview
-- Formula: record versions in the releases of evidence_source; of the outcomes on record those of
--          scored pairs (matched), of predicted pairs, of these the prospective, and of these the
--          high-signal ones by the end of the horizon (hit); of the predicted pairs, studies that
--          the plan counts which were public by the freeze and started after it, and those that
--          started by it and became public only after it
-- Units:   n_items counts records where released, outcomes after that; n_pairs the distinct pairs
--          they belong to, NULL where released; n_announced_studies and n_late_studies where
--          predicted, NULL elsewhere; position 1 (released) to 5 (hit)
-- Grain:   slate_id, position
with released as (
    select cast(coalesce(sum(release_coverage.n_versions), 0) as bigint) as n_records
    from release_coverage
    inner join release using (release_id)
    semi join evidence_source using (source)
    cross join report_instant
    where release.ingested_at <= report_instant.as_of
),

slate_outcome as (
    select
        outcome_timing.slate_id,
        row(outcome_timing.disease_id, outcome_timing.drug_id) as pair,
        prediction.rank is not null as is_predicted,
        is_predicted and outcome_timing.timing = 'prospective' as is_prospective,
        is_prospective
        and outcome_timing.signal = 'high'
        and not outcome_timing.is_after_horizon as is_hit
    from outcome_timing
    left join prediction using (slate_id, disease_id, drug_id)
),

started_study as (
    select
        slate_id,
        count(distinct slate_event.record) filter (
            where
            slate_event.event_date > slate_event.counted_from
            and slate_event.is_public_by_freeze
        ) as n_announced,
        count(distinct slate_event.record) filter (
            where
            slate_event.event_date <= slate_event.counted_from
            and slate_event.public_after >= slate_event.counted_from
        ) as n_late
    from slate_event
    semi join prediction using (slate_id, disease_id, drug_id)
    semi join slate_study_use using (slate_id, study_use)
    where slate_event.event_type = 'trial_started'
    group by slate_id
),

flow as (
    select
        slate_id,
        any_value(coalesce(started_study.n_announced, 0)) as n_announced,
        any_value(coalesce(started_study.n_late, 0)) as n_late,
        any_value(released.n_records) as n_released,
        count(outcome.pair) as n_matched,
        count(distinct outcome.pair) as n_matched_pairs,
        count(*) filter (where outcome.is_predicted) as n_predicted,
        count(distinct outcome.pair) filter (where outcome.is_predicted) as n_predicted_pairs,
        count(*) filter (where outcome.is_prospective) as n_prospective,
        count(distinct outcome.pair) filter (where outcome.is_prospective) as n_prospective_pairs,
        count(*) filter (where outcome.is_hit) as n_hit,
        count(distinct outcome.pair) filter (where outcome.is_hit) as n_hit_pairs
    from slate
    cross join released
    left join slate_outcome as outcome using (slate_id)
    left join started_study using (slate_id)
    group by slate_id
)

select
    slate_id,
    unnest([1, 2, 3, 4, 5]) as position,
    unnest(['released', 'matched', 'predicted', 'prospective', 'hit']) as stage,
    unnest([n_released, n_matched, n_predicted, n_prospective, n_hit]) as n_items,
    unnest([null, n_matched_pairs, n_predicted_pairs, n_prospective_pairs, n_hit_pairs])
        as n_pairs,
    unnest([null, null, n_announced, null, null]) as n_announced_studies,
    unnest([null, null, n_late, null, null]) as n_late_studies
from flow
order by slate_id, position
