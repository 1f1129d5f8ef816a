-- Title:      Diseases of an evaluation on which a ranker has not yet run, with their hidden drugs
-- Reads:      loo_pair, loo_trial
select
    loo_pair.disease_id,
    list(loo_pair.drug_id order by loo_pair.drug_id) as drug_ids
from loo_pair
where
    loo_pair.evaluation_id = :evaluation_id
    and loo_pair.disease_id not in (
        select loo_trial.disease_id
        from loo_trial
        where loo_trial.evaluation_id = :evaluation_id and loo_trial.ranker = :ranker
    )
group by loo_pair.disease_id
order by loo_pair.disease_id
