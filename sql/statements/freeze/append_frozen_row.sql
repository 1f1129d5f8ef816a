-- Title:      The rows of a slate: each ranked pair with tier, identifiers and falsification
--             criterion
-- Reads:      disease_identifier, drug_identifier, prediction_row
-- Writes:     frozen_row
with tiered_pair as (
    select
        disease_id,
        drug_id,
        score,
        rank,
        known_label,
        known_max_phase,
        first_approval_year,
        known_phase,
        is_known,
        is_approved,
        case
            when rank <= :high then 'high'
            when rank <= :moderate then 'moderate'
            else 'exploratory'
        end as tier
    from prediction_row
)

select
    tiered_pair.disease_id,
    tiered_pair.drug_id,
    disease_identifier.identifier as disease_identifier,
    drug_identifier.identifier as drug_identifier,
    tiered_pair.score,
    tiered_pair.rank,
    tiered_pair.tier,
    tiered_pair.known_label,
    tiered_pair.known_max_phase,
    tiered_pair.first_approval_year,
    -- docs/metrics.md#falsification-criteria
    case
        when tiered_pair.is_approved then 'monitor'
        when tiered_pair.known_phase > 0 then 'exceed_phase'
        when tiered_pair.tier = 'exploratory' and not tiered_pair.is_known then 'any_activity'
        else 'reach_phase'
    end as criterion,
    cast(case
        when tiered_pair.is_approved then null
        when tiered_pair.known_phase > 0 then tiered_pair.known_phase
        when tiered_pair.tier = 'high' then 2
        when tiered_pair.tier = 'moderate' or tiered_pair.is_known then 1
    end as double) as criterion_min_phase,
    case
        when tiered_pair.is_approved then null
        when tiered_pair.known_phase > 0 or tiered_pair.tier = 'high' then 3
        else 5
    end as criterion_horizon_years
from tiered_pair
inner join disease_identifier using (disease_id)
inner join drug_identifier using (drug_id)
