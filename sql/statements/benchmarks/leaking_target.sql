-- Title:      Targets that a submission predicts better than is plausible without the truth
-- Reads:      spearman
-- Parameters: submission_id, bound
select
    target,
    spearman
from spearman
where submission_id = :submission_id and fold = 'aggregated' and spearman > :bound
order by target
