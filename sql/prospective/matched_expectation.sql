-- Title:   Hit expected of each prediction
-- Formula: crude_rate of the drug's breadth and the disease's degree class x crude_activity of the
--          disease: what candidates of equal breadth do there, the predictions among them included
-- Source:  docs/metrics.md#matched_expectation
-- Units:   hits; over all candidates of a stratum their sum is the stratum's hits; NULL where the
--          disease has no candidate of the drug's breadth; first_event_date and match_strength as
--          in pair_event
-- Grain:   slate_id, evidence_window, population, disease_id, drug_id
with population_cell as (
    select
        slate_id,
        unnest(['all', 'novel']) as population,
        disease_id,
        breadth,
        unnest([n_candidates, n_candidates - n_known]) as n_candidates
    from breadth_cell
),

candidate_cell as (
    select
        population_cell.slate_id,
        population_cell.population,
        population_cell.disease_id,
        population_cell.breadth,
        disease_activity.degree_class
    from population_cell
    inner join disease_activity
        on
            population_cell.slate_id = disease_activity.slate_id
            and population_cell.disease_id = disease_activity.disease_id
    where population_cell.n_candidates > 0
)

select
    population_pair.slate_id,
    population_pair.evidence_window,
    population_pair.population,
    population_pair.disease_id,
    population_pair.drug_id,
    population_pair.tier,
    population_pair.is_hit,
    population_pair.first_event_date,
    population_pair.match_strength,
    drug_breadth.breadth,
    candidate_cell.degree_class,
    matched_stratum.crude_rate * coalesce(matched_disease.crude_activity, 0) as expected_hits
from population_pair
left join drug_breadth
    on
        population_pair.slate_id = drug_breadth.slate_id
        and population_pair.drug_id = drug_breadth.drug_id
left join candidate_cell
    on
        population_pair.slate_id = candidate_cell.slate_id
        and population_pair.population = candidate_cell.population
        and population_pair.disease_id = candidate_cell.disease_id
        and drug_breadth.breadth = candidate_cell.breadth
left join matched_stratum
    on
        population_pair.slate_id = matched_stratum.slate_id
        and matched_stratum.subset = 'all'
        and population_pair.evidence_window = matched_stratum.evidence_window
        and population_pair.population = matched_stratum.population
        and candidate_cell.degree_class = matched_stratum.degree_class
        and candidate_cell.breadth = matched_stratum.breadth
left join matched_disease
    on
        population_pair.slate_id = matched_disease.slate_id
        and matched_disease.subset = 'all'
        and population_pair.evidence_window = matched_disease.evidence_window
        and population_pair.population = matched_disease.population
        and population_pair.disease_id = matched_disease.disease_id
