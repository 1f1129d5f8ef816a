-- Title:   Two slates compared over their common diseases
-- Formula: mean over diseases of the difference in hit rate; diseases in which each slate is better
-- Source:  docs/metrics.md#slate_versus_mean
-- Units:   difference -1..1; counts of diseases
-- Grain:   slate_id, versus_slate_id, evidence_window, population
select
    slate_id,
    versus_slate_id,
    evidence_window,
    population,
    count(hit_rate_difference) as n_diseases,
    count(*) filter (where hit_rate_difference > 0) as n_better,
    count(*) filter (where hit_rate_difference = 0) as n_equal,
    count(*) filter (where hit_rate_difference < 0) as n_worse,
    sum(hit_rate order by disease_id) filter (where hit_rate_difference is not null)
    / nullif(count(hit_rate_difference), 0) as mean_hit_rate,
    sum(versus_hit_rate order by disease_id) filter (where hit_rate_difference is not null)
    / nullif(count(hit_rate_difference), 0) as mean_versus_hit_rate,
    sum(hit_rate_difference order by disease_id)
    / nullif(count(hit_rate_difference), 0) as mean_difference,
    case
        when count(hit_rate_difference) = 0 then 'no common disease has predictions in both slates'
    end as reason
from slate_versus
group by slate_id, versus_slate_id, evidence_window, population
