-- Title:   Candidates with their score bin
-- Formula: the bin of positive_range into which each candidate's score falls
-- Source:  docs/metrics.md#candidate_score_bin
-- Units:   bin 1 to 262138; 0 is below every positive, 262139 above
-- Grain:   evaluation_id, disease_id, drug_id
-- Bounds:  262137 is the last place within the range
with placed as (
    select
        positive_range.evaluation_id,
        candidate.disease_id,
        candidate.drug_id,
        candidate.score,
        (candidate.score / 2 - positive_range.half_lowest) * positive_range.bins_per_half as place
    from candidate
    inner join positive_range using (candidate_set_id)
),

rounded as (
    select
        *,
        -- NULL for a place too far away for a whole number.
        try_cast(place as bigint) as whole_place
    from placed
)

select
    evaluation_id,
    disease_id,
    drug_id,
    score,
    -- Each step is monotone: a higher score never has a lower bin.
    cast(
        case
            when whole_place between 0 and 262137 then whole_place + 1
            when place > 0 then 262139
            else 0
        end as integer
    ) as score_bin
from rounded
