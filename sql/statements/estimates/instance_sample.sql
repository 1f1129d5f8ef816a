-- Title:      The scores of each instance of a submission by cutoff
-- Reads:      instance_score
select
    k,
    instance_precision,
    instance_nr,
    instance_ndcg,
    instance_ndcg_full_ideal
from instance_score
where submission_id = :submission_id
order by k, item_id
