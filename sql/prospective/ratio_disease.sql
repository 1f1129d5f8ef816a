-- Title:   What a disease adds to the logarithm of a ratio
-- Formula: influence = its share of r less its share of s, as in stratified_ratio; share = its
--          share of the weight sum of ratio x q x predictions x others / candidates
-- Source:  docs/metrics.md#ratio_disease
-- Units:   units of ln(ratio); q as in stratum_fit, lists as in list_member
-- Grain:   slate_id, versus, list_kind, list_name, evidence_window, population, disease_id
with disease_sum as (
    select
        slate_id,
        versus,
        list_kind,
        list_name,
        evidence_window,
        population,
        disease_id,
        sum(influence order by breadth_class) as influence,
        sum(stake order by breadth_class) as stake
    from stratum_fit
    group by slate_id, versus, list_kind, list_name, evidence_window, population, disease_id
)

select
    slate_id,
    versus,
    list_kind,
    list_name,
    evidence_window,
    population,
    disease_id,
    influence,
    stake / sum(stake) over (
        partition by slate_id, versus, list_kind, list_name, evidence_window, population
        order by disease_id
        rows between unbounded preceding and unbounded following
    ) as share
from disease_sum
