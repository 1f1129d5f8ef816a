-- Title:   Two slates compared by disease
-- Formula: hit rate of the slate minus hit rate of the other slate, for each disease of both
-- Source:  docs/metrics.md#slate_versus
-- Units:   fractions 0..1; difference -1..1, NULL where a slate has no prediction of the population
-- Grain:   slate_id, versus_slate_id, evidence_window, population, disease_id
select
    own.slate_id,
    other.slate_id as versus_slate_id,
    own.evidence_window,
    own.population,
    own.disease_id,
    own.n_predictions,
    other.n_predictions as versus_n_predictions,
    own.n_hits,
    other.n_hits as versus_n_hits,
    own.hit_rate,
    other.hit_rate as versus_hit_rate,
    own.hit_rate - other.hit_rate as hit_rate_difference,
    case
        when own.n_predictions = 0 then 'the slate has no predictions of this population'
        when other.n_predictions = 0 then 'the other slate has no predictions of this population'
    end as reason
from disease_performance as own
inner join disease_performance as other
    on
        own.evidence_window = other.evidence_window
        and own.population = other.population
        and own.disease_id = other.disease_id
        and own.slate_id <> other.slate_id
