-- Title:   Studies resolved to pairs
-- Formula: an intervention or another name of one is a name of the drug, and a condition, or the
--          MeSH id derived from it, a key of the disease; only interventional studies are trials,
--          and not of what stands in comparator arms alone
-- Source:  docs/metrics.md#trial_pair
-- Units:   a row for each version of a study; of several keys that matched, the aliases are those
--          known first, then the first by value; known_since is when both were there; is_shared
--          where one of them has since become another entity's too, and means neither to slates
--          recorded after that
-- Grain:   disease_id, drug_id, trial_id, is_shared
with condition_key as (
    select
        trial_id,
        unnest(list_distinct([folded_name, mesh_id])) as value
    from trial_condition
),

disease_match as (
    select
        disease_key.disease_id,
        condition_key.trial_id,
        disease_key.is_shared,
        min_by(disease_key.value, (disease_key.known_since, disease_key.value)) as disease_alias,
        min(disease_key.known_since) as known_since
    from condition_key
    inner join disease_key using (value)
    group by disease_key.disease_id, disease_key.is_shared, condition_key.trial_id
),

drug_match as (
    select
        drug_key.drug_id,
        trial_intervention.trial_id,
        drug_key.is_shared,
        min_by(drug_key.value, (drug_key.known_since, drug_key.value)) as drug_alias,
        min(drug_key.known_since) as known_since
    from trial_intervention
    inner join drug_key on trial_intervention.folded_name = drug_key.value
    where trial_intervention.arm_role is distinct from 'comparator'
    group by drug_key.drug_id, drug_key.is_shared, trial_intervention.trial_id
)

select
    disease_match.disease_id,
    drug_match.drug_id,
    drug_match.trial_id,
    drug_match.drug_alias,
    disease_match.disease_alias,
    greatest(drug_match.known_since, disease_match.known_since) as known_since,
    drug_match.is_shared or disease_match.is_shared as is_shared
from drug_match
inner join disease_match using (trial_id)
inner join trial using (trial_id)
where coalesce(trial.study_type, 'INTERVENTIONAL') = 'INTERVENTIONAL'
qualify
    row_number() over (
        partition by
            disease_match.disease_id,
            drug_match.drug_id,
            drug_match.trial_id,
            drug_match.is_shared or disease_match.is_shared
        order by
            greatest(drug_match.known_since, disease_match.known_since),
            drug_match.drug_alias,
            disease_match.disease_alias
    ) = 1
