-- Title:      The rows of a slate: each ranked pair with tier, identifiers and falsification
--             criterion
-- Reads:      disease_identifier, drug_identifier, prediction_row
-- Writes:     frozen_row
-- Parameters: high, moderate
with pair_phase as (
    select
        disease_id,
        drug_id,
        score,
        rank,
        known_label,
        known_max_phase,
        first_approval_year,
        case
            when rank <= :high then 'high'
            when rank <= :moderate then 'moderate'
            else 'exploratory'
        end as tier,
        greatest(coalesce(known_label, 0), coalesce(known_max_phase, 0)) as known_phase
    from prediction_row
)

select
    pair_phase.disease_id,
    pair_phase.drug_id,
    disease_identifier.identifier as disease_identifier,
    drug_identifier.identifier as drug_identifier,
    pair_phase.score,
    pair_phase.rank,
    pair_phase.tier,
    pair_phase.known_label,
    pair_phase.known_max_phase,
    pair_phase.first_approval_year,
    case
        when pair_phase.known_phase >= 4 then 'monitor'
        when pair_phase.known_phase > 0 then 'exceed_phase'
        when pair_phase.tier = 'exploratory' then 'any_activity'
        else 'reach_phase'
    end as criterion,
    cast(case
        when pair_phase.known_phase >= 4 then null
        when pair_phase.known_phase > 0 then pair_phase.known_phase
        when pair_phase.tier = 'high' then 2
        when pair_phase.tier = 'moderate' then 1
    end as double) as criterion_min_phase,
    case
        when pair_phase.known_phase >= 4 then null
        when pair_phase.known_phase > 0 or pair_phase.tier = 'high' then 3
        else 5
    end as criterion_horizon_years
from pair_phase
inner join disease_identifier using (disease_id)
inner join drug_identifier using (drug_id)
