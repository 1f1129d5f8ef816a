-- Title:   Candidate hits that count, and how much
-- Formula: hits of subset_hit, each 1; in the subset 'information' log2((n + 1) / (m + 1)) / its
--          mean over those hits: m drugs are known for the disease, and n for the one of fewest
--          known drugs among broader diseases that the same record made a hit of the drug, else n
--          are all drugs with a known disease
-- Source:  docs/metrics.md#counted_hit
-- Units:   as in subset_hit; weight 1 = a hit, or one of mean information
-- Grain:   slate_id, versus, subset, evidence_window, population, disease_id, drug_id
-- Note:    where no hit has information, the subset has none
-- Portability: sums of decimal(38, 18) are the same whatever the number of threads
with hit as materialized (
    from subset_hit
),

broader_hit as (
    select
        hit.slate_id,
        hit.disease_id,
        hit.drug_id,
        min(broader.n_known_drugs) as n_known_drugs
    from hit
    inner join broader_disease
        on
            hit.slate_id = broader_disease.slate_id
            and hit.disease_id = broader_disease.disease_id
    inner join hit as other
        on
            hit.slate_id = other.slate_id
            and hit.subset = other.subset
            and hit.drug_id = other.drug_id
            and hit.record = other.record
            and broader_disease.broader_disease_id = other.disease_id
    inner join disease_information as broader
        on other.slate_id = broader.slate_id and other.disease_id = broader.disease_id
    where hit.subset = 'information'
    group by hit.slate_id, hit.disease_id, hit.drug_id
),

informative as (
    select
        hit.*,
        log2(
            (coalesce(broader_hit.n_known_drugs, disease_information.n_drugs) + 1)
            / (disease_information.n_known_drugs + 1)
        ) as information
    from hit
    inner join disease_information using (slate_id, disease_id)
    left join broader_hit using (slate_id, disease_id, drug_id)
    where hit.subset = 'information'
),

compared as (
    select
        *,
        cast(sum(cast(information as decimal(38, 18))) over (partition by slate_id) as double)
        / count(*) over (partition by slate_id) as mean_information
    from informative
)

select
    hit.*,
    coalesce(compared.information / compared.mean_information, 1) as weight
from hit
left join compared using (slate_id, subset, disease_id, drug_id)
where hit.subset <> 'information' or compared.mean_information > 0
