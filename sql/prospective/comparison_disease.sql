-- Title:   Two slates compared by disease
-- Result:  Comparisons and models
-- Formula: listed predictions of each slate that came true in the common window
-- Units:   counts; n_predictions is the length of either list; n_shared: listed by both
-- Grain:   slate_id, versus_slate_id, population, tier, disease_id
with own as materialized (
    select
        slate_id,
        versus_slate_id,
        population,
        tier,
        disease_id,
        count(*) filter (where is_listed) as n_predictions,
        count(*) filter (where is_listed_by_both) as n_shared,
        count(*) filter (where not is_listed) as n_cut,
        count(*) filter (where is_listed and is_hit) as n_hits,
        count(*) filter (where is_listed_by_both and is_hit) as n_shared_hits
    from comparison_prediction
    group by slate_id, versus_slate_id, population, tier, disease_id
)

select
    own.slate_id,
    own.versus_slate_id,
    own.population,
    own.tier,
    own.disease_id,
    own.n_predictions,
    own.n_shared,
    own.n_cut,
    other.n_cut as n_versus_cut,
    own.n_hits,
    other.n_hits as n_versus_hits,
    own.n_shared_hits
from own
inner join own as other
    on
        own.slate_id = other.versus_slate_id
        and own.versus_slate_id = other.slate_id
        and own.population = other.population
        and own.tier = other.tier
        and own.disease_id = other.disease_id
