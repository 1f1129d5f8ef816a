-- Title:   Candidates and predictions by disease and breadth
-- Formula: crude_activity = a disease's hits / sum over its candidates of their stratum's hit rate;
--          crude_rate of a stratum = its hits / sum of crude_activity over its candidates; activity
--          = the same, each prediction counted crude_ratio times, Mantel and Haenszel's crude ratio
-- Source:  docs/metrics.md#matched_cell
-- Units:   counts; activities are 1 in a disease as active as its strata, crude_rate is hits per
--          candidate there; crude_ratio is at least 0.001
-- Grain:   slate_id, match_kind, evidence_window, population, tier, disease_id, breadth
-- Note:    a stratum is a breadth x degree_class; crude_ratio and activity are NULL where none has
--          both predictions and hits of other candidates; hits are those of counted_match
with counted as materialized (
    select * from counted_match
),

kind_cell as (
    select
        counted.slate_id,
        counted.match_kind,
        counted.evidence_window,
        counted.population,
        candidate_hit.disease_id,
        candidate_hit.breadth,
        count(*) as n_hits
    from counted
    inner join candidate_hit
        on
            counted.slate_id = candidate_hit.slate_id
            and counted.evidence_window = candidate_hit.evidence_window
            and counted.strength >= candidate_hit.match_strength
    where counted.population = 'all' or not candidate_hit.is_known
    group by
        counted.slate_id,
        counted.match_kind,
        counted.evidence_window,
        counted.population,
        candidate_hit.disease_id,
        candidate_hit.breadth
),

breadth_cell as (
    select
        counted.slate_id,
        counted.match_kind,
        counted.evidence_window,
        counted.population,
        disease_breadth_count.disease_id,
        disease_breadth_count.breadth_group as breadth,
        disease_breadth_count.n_candidates,
        if(
            counted.strength is null,
            disease_breadth_count.n_candidate_hits,
            coalesce(kind_cell.n_hits, 0)
        ) as n_candidate_hits
    from counted
    inner join disease_breadth_count
        on
            counted.slate_id = disease_breadth_count.slate_id
            and counted.evidence_window = disease_breadth_count.evidence_window
            and counted.population = disease_breadth_count.population
    left join kind_cell
        on
            counted.slate_id = kind_cell.slate_id
            and counted.match_kind = kind_cell.match_kind
            and disease_breadth_count.disease_id = kind_cell.disease_id
            and disease_breadth_count.breadth_group = kind_cell.breadth
    where
        disease_breadth_count.grouping_kind = 'breadth' and disease_breadth_count.n_candidates > 0
),

candidate_cell as materialized (
    select
        breadth_cell.slate_id,
        breadth_cell.match_kind,
        breadth_cell.evidence_window,
        breadth_cell.population,
        breadth_cell.disease_id,
        disease_activity.degree_class,
        breadth_cell.breadth,
        breadth_cell.n_candidates,
        breadth_cell.n_candidate_hits,
        sum(breadth_cell.n_candidate_hits) over stratum
        / sum(breadth_cell.n_candidates) over stratum as stratum_rate
    from breadth_cell
    inner join disease_activity
        on
            breadth_cell.slate_id = disease_activity.slate_id
            and breadth_cell.disease_id = disease_activity.disease_id
    window
        stratum as (
            partition by
                breadth_cell.slate_id,
                breadth_cell.match_kind,
                breadth_cell.evidence_window,
                breadth_cell.population,
                disease_activity.degree_class,
                breadth_cell.breadth
        )
),

tier_pair as (
    select
        population_pair.slate_id,
        counted.match_kind,
        population_pair.evidence_window,
        population_pair.population,
        unnest([population_pair.tier, 'all']) as tier,
        population_pair.disease_id,
        drug_breadth.breadth,
        population_pair.is_hit
        and coalesce(population_pair.match_strength <= counted.strength, true) as is_counted_hit
    from population_pair
    inner join counted
        on
            population_pair.slate_id = counted.slate_id
            and population_pair.evidence_window = counted.evidence_window
            and population_pair.population = counted.population
    inner join drug_breadth
        on
            population_pair.slate_id = drug_breadth.slate_id
            and population_pair.drug_id = drug_breadth.drug_id
),

predicted_cell as materialized (
    select
        slate_id,
        match_kind,
        evidence_window,
        population,
        tier,
        disease_id,
        breadth,
        count(*) as n_predictions,
        count(*) filter (where is_counted_hit) as n_hits
    from tier_pair
    group by slate_id, match_kind, evidence_window, population, tier, disease_id, breadth
),

crude_disease as materialized (
    select
        slate_id,
        match_kind,
        evidence_window,
        population,
        disease_id,
        sum(n_candidate_hits) as disease_hits,
        coalesce(
            sum(n_candidate_hits) / nullif(sum(n_candidates * stratum_rate order by breadth), 0), 0
        ) as crude_activity
    from candidate_cell
    group by slate_id, match_kind, evidence_window, population, disease_id
),

crude_stratum as materialized (
    select
        slate_id,
        match_kind,
        evidence_window,
        population,
        candidate_cell.degree_class,
        candidate_cell.breadth,
        sum(candidate_cell.n_candidate_hits) as stratum_hits,
        sum(candidate_cell.n_candidates * crude_disease.crude_activity order by disease_id)
            as exposure
    from candidate_cell
    inner join crude_disease using (slate_id, match_kind, evidence_window, population, disease_id)
    group by
        slate_id,
        match_kind,
        evidence_window,
        population,
        candidate_cell.degree_class,
        candidate_cell.breadth
),

tier_stratum as materialized (
    select
        slate_id,
        match_kind,
        evidence_window,
        population,
        predicted_cell.tier,
        candidate_cell.degree_class,
        breadth,
        sum(predicted_cell.n_hits) as n_hits,
        sum(predicted_cell.n_predictions * crude_disease.crude_activity order by disease_id)
            as predicted_exposure
    from predicted_cell
    inner join candidate_cell
        using (slate_id, match_kind, evidence_window, population, disease_id, breadth)
    inner join crude_disease using (slate_id, match_kind, evidence_window, population, disease_id)
    group by
        slate_id,
        match_kind,
        evidence_window,
        population,
        predicted_cell.tier,
        candidate_cell.degree_class,
        breadth
),

tier_sum as (
    select
        slate_id,
        match_kind,
        evidence_window,
        population,
        tier_stratum.tier,
        sum(
            tier_stratum.n_hits
            * greatest(1 - tier_stratum.predicted_exposure / crude_stratum.exposure, 0)
            order by degree_class, breadth
        ) as weighted_hits,
        sum(
            (crude_stratum.stratum_hits - tier_stratum.n_hits)
            * least(tier_stratum.predicted_exposure / crude_stratum.exposure, 1)
            order by degree_class, breadth
        ) as weighted_other_hits
    from tier_stratum
    inner join
        crude_stratum
        using (slate_id, match_kind, evidence_window, population, degree_class, breadth)
    where crude_stratum.exposure > 0
    group by slate_id, match_kind, evidence_window, population, tier_stratum.tier
),

tier_ratio as (
    select
        slate_id,
        match_kind,
        evidence_window,
        population,
        tier,
        if(
            weighted_other_hits > 0, greatest(weighted_hits / weighted_other_hits, 0.001), null
        ) as crude_ratio
    from tier_sum
),

known_tier as materialized (
    select
        tiers.slate_id,
        tiers.match_kind,
        tiers.evidence_window,
        tiers.population,
        tiers.tier,
        tier_ratio.crude_ratio
    from (
        select distinct
            slate_id,
            match_kind,
            evidence_window,
            population,
            tier
        from predicted_cell
    ) as tiers
    left join tier_ratio
        on
            tiers.slate_id = tier_ratio.slate_id
            and tiers.match_kind = tier_ratio.match_kind
            and tiers.evidence_window = tier_ratio.evidence_window
            and tiers.population = tier_ratio.population
            and tiers.tier = tier_ratio.tier
),

adjusted_cell as (
    select
        known_tier.slate_id,
        known_tier.match_kind,
        known_tier.evidence_window,
        known_tier.population,
        known_tier.tier,
        candidate_cell.disease_id,
        candidate_cell.breadth,
        (
            candidate_cell.n_candidates
            + (known_tier.crude_ratio - 1)
            * least(coalesce(predicted_cell.n_predictions, 0), candidate_cell.n_candidates)
        )
        * coalesce(
            crude_stratum.stratum_hits
            / nullif(
                crude_stratum.exposure
                + (known_tier.crude_ratio - 1)
                * least(
                    coalesce(tier_stratum.predicted_exposure, 0), crude_stratum.exposure
                ),
                0
            ),
            0
        ) as adjusted_hits
    from known_tier
    inner join candidate_cell
        on
            known_tier.slate_id = candidate_cell.slate_id
            and known_tier.match_kind = candidate_cell.match_kind
            and known_tier.evidence_window = candidate_cell.evidence_window
            and known_tier.population = candidate_cell.population
    inner join crude_stratum
        on
            candidate_cell.slate_id = crude_stratum.slate_id
            and candidate_cell.match_kind = crude_stratum.match_kind
            and candidate_cell.evidence_window = crude_stratum.evidence_window
            and candidate_cell.population = crude_stratum.population
            and candidate_cell.degree_class = crude_stratum.degree_class
            and candidate_cell.breadth = crude_stratum.breadth
    left join tier_stratum
        on
            known_tier.slate_id = tier_stratum.slate_id
            and known_tier.match_kind = tier_stratum.match_kind
            and known_tier.evidence_window = tier_stratum.evidence_window
            and known_tier.population = tier_stratum.population
            and known_tier.tier = tier_stratum.tier
            and candidate_cell.degree_class = tier_stratum.degree_class
            and candidate_cell.breadth = tier_stratum.breadth
    left join predicted_cell
        on
            known_tier.slate_id = predicted_cell.slate_id
            and known_tier.match_kind = predicted_cell.match_kind
            and known_tier.evidence_window = predicted_cell.evidence_window
            and known_tier.population = predicted_cell.population
            and known_tier.tier = predicted_cell.tier
            and candidate_cell.disease_id = predicted_cell.disease_id
            and candidate_cell.breadth = predicted_cell.breadth
    where known_tier.crude_ratio is not null
),

adjusted_disease as (
    select
        slate_id,
        match_kind,
        evidence_window,
        population,
        tier,
        disease_id,
        sum(adjusted_hits order by breadth) as adjusted_hits
    from adjusted_cell
    group by slate_id, match_kind, evidence_window, population, tier, disease_id
)

select
    known_tier.slate_id,
    known_tier.match_kind,
    known_tier.evidence_window,
    known_tier.population,
    known_tier.tier,
    candidate_cell.disease_id,
    candidate_cell.breadth,
    candidate_cell.degree_class,
    candidate_cell.n_candidates,
    candidate_cell.n_candidate_hits,
    coalesce(predicted_cell.n_predictions, 0) as n_predictions,
    coalesce(predicted_cell.n_hits, 0) as n_hits,
    crude_disease.crude_activity,
    coalesce(crude_stratum.stratum_hits / nullif(crude_stratum.exposure, 0), 0) as crude_rate,
    known_tier.crude_ratio,
    if(
        known_tier.crude_ratio is null,
        null,
        coalesce(crude_disease.disease_hits / nullif(adjusted_disease.adjusted_hits, 0), 0)
    ) as activity
from known_tier
inner join candidate_cell
    on
        known_tier.slate_id = candidate_cell.slate_id
        and known_tier.match_kind = candidate_cell.match_kind
        and known_tier.evidence_window = candidate_cell.evidence_window
        and known_tier.population = candidate_cell.population
inner join crude_disease
    on
        candidate_cell.slate_id = crude_disease.slate_id
        and candidate_cell.match_kind = crude_disease.match_kind
        and candidate_cell.evidence_window = crude_disease.evidence_window
        and candidate_cell.population = crude_disease.population
        and candidate_cell.disease_id = crude_disease.disease_id
inner join crude_stratum
    on
        candidate_cell.slate_id = crude_stratum.slate_id
        and candidate_cell.match_kind = crude_stratum.match_kind
        and candidate_cell.evidence_window = crude_stratum.evidence_window
        and candidate_cell.population = crude_stratum.population
        and candidate_cell.degree_class = crude_stratum.degree_class
        and candidate_cell.breadth = crude_stratum.breadth
left join predicted_cell
    on
        known_tier.slate_id = predicted_cell.slate_id
        and known_tier.match_kind = predicted_cell.match_kind
        and known_tier.evidence_window = predicted_cell.evidence_window
        and known_tier.population = predicted_cell.population
        and known_tier.tier = predicted_cell.tier
        and candidate_cell.disease_id = predicted_cell.disease_id
        and candidate_cell.breadth = predicted_cell.breadth
left join adjusted_disease
    on
        known_tier.slate_id = adjusted_disease.slate_id
        and known_tier.match_kind = adjusted_disease.match_kind
        and known_tier.evidence_window = adjusted_disease.evidence_window
        and known_tier.population = adjusted_disease.population
        and known_tier.tier = adjusted_disease.tier
        and candidate_cell.disease_id = adjusted_disease.disease_id
