-- Title:      Targets that a submission predicts better than is plausible without the truth
-- Reads:      truth_agreement
select
    target,
    statistic,
    agreement
from truth_agreement
where submission_id = :submission_id and agreement > :bound
order by target
