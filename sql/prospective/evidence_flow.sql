-- Title:   From released evidence to hits
-- Formula: record versions in the releases; of the outcomes on record those of scored pairs
--          (matched), of predicted pairs, of these the prospective, and of these the high-signal
--          ones by the end of the horizon (hit)
-- Source:  docs/metrics.md#evidence_flow
-- Units:   n_items counts records where released, outcomes after that; n_pairs the distinct pairs
--          they belong to, NULL where released; position 1 (released) to 5 (hit)
-- Grain:   slate_id, position
with released as (
    select cast(coalesce(sum(release_coverage.n_versions), 0) as bigint) as n_records
    from release_coverage
    inner join release using (release_id)
    anti join vocabulary_release using (release_id)
    cross join report_instant
    where release.ingested_at <= report_instant.as_of
),

slate_outcome as (
    select
        outcome_timing.slate_id,
        row(outcome_timing.disease_id, outcome_timing.drug_id) as pair,
        prediction.rank is not null as is_predicted,
        prediction.rank is not null and outcome_timing.timing = 'prospective' as is_prospective,
        prediction.rank is not null
        and outcome_timing.timing = 'prospective'
        and outcome_timing.signal = 'high'
        and not outcome_timing.is_after_horizon as is_hit
    from outcome_timing
    left join prediction using (slate_id, disease_id, drug_id)
),

flow as materialized (
    select
        slate_id,
        count(*) as n_matched,
        count(distinct pair) as n_matched_pairs,
        count(*) filter (where is_predicted) as n_predicted,
        count(distinct pair) filter (where is_predicted) as n_predicted_pairs,
        count(*) filter (where is_prospective) as n_prospective,
        count(distinct pair) filter (where is_prospective) as n_prospective_pairs,
        count(*) filter (where is_hit) as n_hit,
        count(distinct pair) filter (where is_hit) as n_hit_pairs
    from slate_outcome
    group by slate_id
),

stage (position, stage) as (
    values (1, 'released'), (2, 'matched'), (3, 'predicted'), (4, 'prospective'), (5, 'hit')
)

select
    slate.slate_id,
    stage.position,
    stage.stage,
    case stage.stage
        when 'released' then released.n_records
        when 'matched' then coalesce(flow.n_matched, 0)
        when 'predicted' then coalesce(flow.n_predicted, 0)
        when 'prospective' then coalesce(flow.n_prospective, 0)
        else coalesce(flow.n_hit, 0)
    end as n_items,
    case stage.stage
        when 'matched' then coalesce(flow.n_matched_pairs, 0)
        when 'predicted' then coalesce(flow.n_predicted_pairs, 0)
        when 'prospective' then coalesce(flow.n_prospective_pairs, 0)
        when 'hit' then coalesce(flow.n_hit_pairs, 0)
    end as n_pairs
from slate
cross join stage
cross join released
left join flow on slate.slate_id = flow.slate_id
order by slate.slate_id, stage.position
