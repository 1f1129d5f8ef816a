-- Title:   Studies resolved to pairs
-- Formula: an intervention or another name of one is a name of the drug, and a condition, or the
--          MeSH id derived from it, a key of the disease; only interventional studies are trials
-- Source:  docs/metrics.md#trial_pair
-- Units:   a row for each version of a study; the aliases are the first of the keys that matched
-- Grain:   slate_id, disease_id, drug_id, trial_id
with condition_key as (
    select
        trial_id,
        unnest(list_distinct([folded_name, mesh_id])) as value
    from trial_condition
),

matched_disease as (
    select
        slate_disease_key.slate_id,
        slate_disease_key.disease_id,
        condition_key.trial_id,
        min(slate_disease_key.value) as disease_alias
    from condition_key
    inner join slate_disease_key using (value)
    group by slate_disease_key.slate_id, slate_disease_key.disease_id, condition_key.trial_id
),

matched_drug as (
    select
        slate_drug_key.slate_id,
        slate_drug_key.drug_id,
        trial_intervention.trial_id,
        min(slate_drug_key.value) as drug_alias
    from trial_intervention
    inner join slate_drug_key on trial_intervention.folded_name = slate_drug_key.value
    where not trial_intervention.is_mesh_term
    group by slate_drug_key.slate_id, slate_drug_key.drug_id, trial_intervention.trial_id
)

select
    matched_drug.slate_id,
    matched_disease.disease_id,
    matched_drug.drug_id,
    matched_drug.trial_id,
    matched_drug.drug_alias,
    matched_disease.disease_alias
from matched_drug
inner join matched_disease using (slate_id, trial_id)
inner join trial using (trial_id)
where coalesce(trial.study_type, 'INTERVENTIONAL') = 'INTERVENTIONAL'
