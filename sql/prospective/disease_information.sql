-- Title:   What it says of a drug that it is known for a disease
-- Formula: log2((n_drugs + 1) / (n_known_drugs + 1)), of drugs with a label above 0 in the slate's
--          labels: those with any, and those with one for the disease or a narrower one
-- Units:   bits; diseases that the slate predicts for, and those with such a label at or below them
-- Grain:   slate_id, disease_id
with known as (
    select
        slate_sets.slate_id,
        labeled_pair.disease_id,
        labeled_pair.drug_id
    from labeled_pair
    inner join slate_sets using (label_set_id)
    where labeled_pair.label > 0
),

known_below as (
    from known
    union
    select
        slate_id,
        broader_disease.broader_disease_id as disease_id,
        known.drug_id
    from known
    inner join broader_disease using (slate_id, disease_id)
    union
    select
        slate_id,
        disease_id,
        null as drug_id
    from prediction
),

counted as (
    select
        slate_id,
        disease_id,
        count(drug_id) as n_known_drugs
    from known_below
    group by slate_id, disease_id
),

labeled as (
    select
        slate_id,
        count(distinct drug_id) as n_drugs
    from known
    group by slate_id
)

select
    slate_id,
    counted.disease_id,
    coalesce(labeled.n_drugs, 0) as n_drugs,
    counted.n_known_drugs,
    log2((coalesce(labeled.n_drugs, 0) + 1) / (counted.n_known_drugs + 1)) as information
from counted
left join labeled using (slate_id)
