-- Title:   Predictions of two slates in lists of equal length
-- Formula: by disease of both the best-ranked, as many as the slate with fewer has
-- Source:  docs/metrics.md#comparison_prediction
-- Units:   place from 1, in the slate's own list; is_listed is false for what was cut; is_shared:
--          listed by both
-- Grain:   slate_id, versus_slate_id, population, tier, disease_id, drug_id
with known as materialized (
    select * from comparison_known
),

came_true as materialized (
    select * from comparison_hit
),

ranked as (
    select
        comparison_window.slate_id,
        comparison_window.versus_slate_id,
        population.population,
        unnest([prediction.tier, 'all']) as tier,
        prediction.disease_id,
        prediction.drug_id,
        prediction.rank
    from comparison_window
    inner join prediction on comparison_window.slate_id = prediction.slate_id
    left join known
        on
            comparison_window.slate_id = known.slate_id
            and comparison_window.versus_slate_id = known.versus_slate_id
            and prediction.disease_id = known.disease_id
            and prediction.drug_id = known.drug_id
    cross join (values ('all'), ('novel')) as population (population)
    where
        comparison_window.reason is null
        and (population.population = 'all' or known.drug_id is null)
),

placed as materialized (
    select
        slate_id,
        versus_slate_id,
        population,
        tier,
        disease_id,
        drug_id,
        row_number() over (
            partition by slate_id, versus_slate_id, population, tier, disease_id
            order by rank, drug_id
        ) as place,
        count(*) over (
            partition by slate_id, versus_slate_id, population, tier, disease_id
        ) as n_predictions
    from ranked
),

list_length as (
    select distinct
        slate_id,
        versus_slate_id,
        population,
        tier,
        disease_id,
        n_predictions
    from placed
),

-- Each list is cut to the length of the other; a disease of one slate alone has none.
listed as materialized (
    select
        placed.slate_id,
        placed.versus_slate_id,
        placed.population,
        placed.tier,
        placed.disease_id,
        placed.drug_id,
        placed.place,
        placed.place <= list_length.n_predictions as is_listed
    from placed
    inner join list_length
        on
            placed.slate_id = list_length.versus_slate_id
            and placed.versus_slate_id = list_length.slate_id
            and placed.population = list_length.population
            and placed.tier = list_length.tier
            and placed.disease_id = list_length.disease_id
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
    listed.is_listed and coalesce(other.is_listed, false) as is_shared,
    came_true.drug_id is not null as is_hit,
    came_true.outcome_id
from listed
left join listed as other
    on
        listed.slate_id = other.versus_slate_id
        and listed.versus_slate_id = other.slate_id
        and listed.population = other.population
        and listed.tier = other.tier
        and listed.disease_id = other.disease_id
        and listed.drug_id = other.drug_id
left join came_true
    on
        listed.slate_id = came_true.slate_id
        and listed.versus_slate_id = came_true.versus_slate_id
        and listed.disease_id = came_true.disease_id
        and listed.drug_id = came_true.drug_id
