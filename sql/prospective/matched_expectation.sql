-- Title:   Hit expected of each prediction
-- Formula: crude_rate of the drug's breadth and the disease's degree class x crude_activity of the
--          disease: what candidates of equal breadth do there, the predictions among them included
-- Source:  docs/metrics.md#matched_expectation
-- Units:   hits; over all candidates of a stratum their sum is the stratum's hits; NULL where the
--          disease has no candidate of the drug's breadth; first_event_date and match_strength as
--          in pair_event
-- Grain:   slate_id, evidence_window, population, disease_id, drug_id
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
    matched_cell.degree_class,
    matched_cell.crude_rate * matched_cell.crude_activity as expected_hits
from population_pair
left join drug_breadth
    on
        population_pair.slate_id = drug_breadth.slate_id
        and population_pair.drug_id = drug_breadth.drug_id
left join matched_cell
    on
        population_pair.slate_id = matched_cell.slate_id
        and population_pair.evidence_window = matched_cell.evidence_window
        and population_pair.population = matched_cell.population
        and population_pair.disease_id = matched_cell.disease_id
        and drug_breadth.breadth = matched_cell.breadth
        and matched_cell.subset = 'all'
