-- Title:   Lists by which two slates are compared
-- Formula: of each tier that both slates have, and of all, the predictions of comparison_prediction
--          that are listed
-- Units:   as in prediction_list; list_number numbers the lists of a slate, rule_number the hits
--          that they count, by the other slate and the population, and knowledge_number what was
--          known before it can be compared with the other
-- Grain:   slate_id, versus_slate_id, population, tier
with tiers as (
    select
        slate_id,
        unnest([tier, 'all']) as tier
    from prediction
    union
    select
        slate_id,
        'all' as tier
    from slate
)

select
    slate_id,
    comparison_window.versus_slate_id,
    row_number() over (
        partition by slate_id
        order by comparison_window.versus_slate_id, population.population, tiers.tier
    ) as list_number,
    'tier' as list_kind,
    tiers.tier as list_name,
    'common' as evidence_window,
    population.population,
    cast(null as varchar) as nearness,
    tiers.tier,
    false as is_empty,
    dense_rank() over (
        partition by slate_id order by comparison_window.versus_slate_id, population.population
    ) as rule_number,
    dense_rank() over (
        partition by slate_id order by comparison_window.versus_slate_id
    ) as knowledge_number
from comparison_window
inner join tiers using (slate_id)
semi join tiers as other
    on comparison_window.versus_slate_id = other.slate_id and tiers.tier = other.tier
cross join (values ('all'), ('novel')) as population (population)
