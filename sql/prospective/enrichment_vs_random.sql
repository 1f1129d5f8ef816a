-- Title:   Enrichment versus random
-- Result:  Hit rates and enrichment
-- Formula: hit rate of the tier / hit rate of all pairs of the slate
-- Units:   ratio, 1 = no better than the slate as a whole; NULL where the slate has no hit
-- Grain:   slate_id, evidence_window, population, tier
select
    tier_rate.slate_id,
    tier_rate.evidence_window,
    tier_rate.population,
    tier_rate.tier,
    tier_rate.hit_rate,
    overall_rate.hit_rate as overall_hit_rate,
    tier_rate.hit_rate / nullif(overall_rate.hit_rate, 0) as enrichment_vs_random,
    case
        when tier_rate.reason is not null then tier_rate.reason
        when overall_rate.n_hits = 0 then 'no hits in the slate in this window and population'
    end as reason
from tier_hit_rate as tier_rate
inner join tier_hit_rate as overall_rate
    on
        tier_rate.slate_id = overall_rate.slate_id
        and tier_rate.evidence_window = overall_rate.evidence_window
        and tier_rate.population = overall_rate.population
        and overall_rate.tier = 'all'
