-- Title:   Variance of the logarithm of a ratio
-- Formula: chance + drugs + diseases: chance as in stratified_ratio; drugs = sum over drugs of
--          influence^2, less that over pairs; diseases = sum over diseases of influence^2 / (1 -
--          share), less chance, 1 - share being at least 0.05; neither below 0
-- Source:  docs/metrics.md#ratio_variance
-- Units:   variances of ln(ratio); effective numbers of drugs and diseases are (sum of stake^2)^2 /
--          sum of stake^4, of diseases with their share
-- Grain:   slate_id, versus, list_kind, list_name, evidence_window, population
with pair_square as (
    select
        slate_id,
        versus,
        list_kind,
        list_name,
        evidence_window,
        population,
        sum(squares order by disease_id, breadth_class) as squares
    from stratum_fit
    group by slate_id, versus, list_kind, list_name, evidence_window, population
),

drug_square as (
    select
        slate_id,
        versus,
        list_kind,
        list_name,
        evidence_window,
        population,
        sum(influence ** 2 order by drug_id) as squares,
        sum(stake ** 2 order by drug_id) ** 2 / nullif(sum(stake ** 4 order by drug_id), 0)
            as effective_drugs
    from ratio_drug
    group by slate_id, versus, list_kind, list_name, evidence_window, population
),

disease_square as (
    select
        slate_id,
        versus,
        list_kind,
        list_name,
        evidence_window,
        population,
        sum(influence ** 2 / greatest(1 - share, 0.05) order by disease_id) as squares,
        sum(share ** 2 order by disease_id) ** 2 / nullif(sum(share ** 4 order by disease_id), 0)
            as effective_diseases
    from ratio_disease
    group by slate_id, versus, list_kind, list_name, evidence_window, population
)

select
    slate_id,
    versus,
    list_kind,
    list_name,
    evidence_window,
    population,
    stratified_ratio.chance,
    greatest(drug_square.squares - pair_square.squares, 0) as drugs,
    greatest(disease_square.squares - stratified_ratio.chance, 0) as diseases,
    drug_square.effective_drugs,
    disease_square.effective_diseases
from stratified_ratio
inner join pair_square
    using (slate_id, versus, list_kind, list_name, evidence_window, population)
inner join drug_square
    using (slate_id, versus, list_kind, list_name, evidence_window, population)
inner join disease_square
    using (slate_id, versus, list_kind, list_name, evidence_window, population)
