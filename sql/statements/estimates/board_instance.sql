-- Title:      The scores of each instance at one k of submissions to a benchmark
-- Reads:      instance_score, submission
select
    instance_score.submission_id,
    '' as target,
    instance_score.item_id,
    instance_score.instance_precision,
    instance_score.instance_nr,
    instance_score.instance_ndcg
from instance_score
inner join submission using (submission_id)
where
    submission.benchmark_id = :benchmark_id
    and instance_score.k = :k
order by instance_score.submission_id, instance_score.item_id
