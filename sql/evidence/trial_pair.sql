-- Title:   Studies resolved to pairs
-- Formula: an intervention or another name of one is a name of the drug, and a condition, or the
--          MeSH id derived from it, a key of the disease; only interventional studies are trials,
--          and not of what stands in comparator arms alone
-- Source:  docs/metrics.md#trial_pair
-- Units:   a row for each version of a study; of several keys that matched, the aliases are
--          unshared ones, then those known first, then the first by value; known_since is when
--          both aliases were there
-- Grain:   disease_id, drug_id, trial_id
with condition_key as (
    select
        trial_id,
        unnest(list_distinct([folded_name, mesh_id])) as value
    from trial_condition
),

matched_disease as (
    select
        disease_key.disease_id,
        condition_key.trial_id,
        min_by(
            disease_key.value, (disease_key.is_shared, disease_key.known_since, disease_key.value)
        ) as disease_alias,
        min_by(
            disease_key.known_since,
            (disease_key.is_shared, disease_key.known_since, disease_key.value)
        ) as known_since
    from condition_key
    inner join disease_key using (value)
    group by disease_key.disease_id, condition_key.trial_id
),

matched_drug as (
    select
        drug_key.drug_id,
        trial_intervention.trial_id,
        min_by(
            drug_key.value, (drug_key.is_shared, drug_key.known_since, drug_key.value)
        ) as drug_alias,
        min_by(
            drug_key.known_since, (drug_key.is_shared, drug_key.known_since, drug_key.value)
        ) as known_since
    from trial_intervention
    inner join drug_key on trial_intervention.folded_name = drug_key.value
    where
        not trial_intervention.is_mesh_term
        and trial_intervention.arm_role is distinct from 'comparator'
    group by drug_key.drug_id, trial_intervention.trial_id
)

select
    matched_disease.disease_id,
    matched_drug.drug_id,
    matched_drug.trial_id,
    matched_drug.drug_alias,
    matched_disease.disease_alias,
    greatest(matched_drug.known_since, matched_disease.known_since) as known_since
from matched_drug
inner join matched_disease using (trial_id)
inner join trial using (trial_id)
where coalesce(trial.study_type, 'INTERVENTIONAL') = 'INTERVENTIONAL'
