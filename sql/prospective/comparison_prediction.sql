-- Title:   Predictions of two slates in lists of equal length
-- Result:  Comparisons and models
-- Formula: by disease of both the best-ranked, as many as the slate with fewer has
-- Units:   place from 1, in the slate's own list; is_listed is false for what was cut
-- Grain:   slate_id, versus_slate_id, population, tier, disease_id, drug_id
with ranked as (
    select
        slate_id,
        comparison_window.versus_slate_id,
        population.population,
        unnest([prediction.tier, 'all']) as tier,
        prediction.disease_id,
        prediction.drug_id,
        prediction.rank
    from comparison_window
    inner join prediction using (slate_id)
    left join comparison_known using (slate_id, versus_slate_id, disease_id, drug_id)
    cross join (values ('all'), ('novel')) as population (population)
    where
        comparison_window.reason is null
        and (population.population = 'all' or comparison_known.slate_id is null)
),

placed as materialized (
    select
        *,
        row_number() over (tier_list order by rank, drug_id) as place,
        count(*) over tier_list as n_predictions
    from ranked
    window tier_list as (partition by slate_id, versus_slate_id, population, tier, disease_id)
),

other_length as (
    select distinct
        versus_slate_id as slate_id,
        slate_id as versus_slate_id,
        population,
        tier,
        disease_id,
        n_predictions
    from placed
),

-- Each list is cut to the length of the other; a disease of one slate alone has none.
listed as materialized (
    select
        placed.*,
        placed.place <= other_length.n_predictions as is_listed
    from placed
    inner join other_length using (slate_id, versus_slate_id, population, tier, disease_id)
)

select
    listed.slate_id,
    listed.versus_slate_id,
    listed.population,
    listed.tier,
    listed.disease_id,
    listed.drug_id,
    listed.place,
    listed.is_listed,
    listed.is_listed and coalesce(other.is_listed, false) as is_listed_by_both,
    comparison_hit.outcome_id is not null as is_hit,
    comparison_hit.outcome_id
from listed
left join comparison_hit using (slate_id, versus_slate_id, disease_id, drug_id)
left join listed as other
    on
        listed.slate_id = other.versus_slate_id
        and listed.versus_slate_id = other.slate_id
        and listed.population = other.population
        and listed.tier = other.tier
        and listed.disease_id = other.disease_id
        and listed.drug_id = other.drug_id
