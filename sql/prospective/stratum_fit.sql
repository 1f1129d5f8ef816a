-- Title:   What a pair adds to the logarithm of a ratio
-- Formula: q = hits of all / (others + ratio x predictions); a predicted pair adds others /
--          candidates x (hit - ratio x q) / r, another one -ratio x predictions / candidates x
--          (hit - q) / r, each over 1 - the share, at most 0.95, that the pair has in its own fit
-- Source:  docs/metrics.md#stratum_fit
-- Units:   units of ln(ratio), by what the pair is and whether it came true; stakes are what is
--          expected of a pair in these units; squares = sum of the squares of what all pairs add
-- Grain:   slate_id, versus, list_kind, list_name, evidence_window, population, disease_id,
--          breadth_class
with fitted as (
    select
        slate_id,
        versus,
        list_kind,
        list_name,
        evidence_window,
        population,
        list_stratum.disease_id,
        list_stratum.breadth_class,
        list_stratum.candidates,
        list_stratum.listed_pairs,
        list_stratum.candidate_hits,
        list_stratum.listed_hits,
        list_stratum.candidates - list_stratum.listed_pairs as others,
        stratified_ratio.ratio,
        stratified_ratio.r,
        stratified_ratio.s,
        list_stratum.candidates + (stratified_ratio.ratio - 1) * list_stratum.listed_pairs
            as fitted_pairs
    from list_stratum
    inner join stratified_ratio
        using (slate_id, versus, list_kind, list_name, evidence_window, population)
    where
        stratified_ratio.ratio > 0
        and list_stratum.listed_pairs < list_stratum.candidates
        and list_stratum.list_kind <> 'unskilled'
),

weighted as (
    select
        *,
        candidate_hits / fitted_pairs as q,
        others / candidates / r as predicted_weight,
        -ratio * listed_pairs / candidates / r as other_weight,
        1 - least(ratio / fitted_pairs, 0.95) as without_predicted,
        1 - least(1 / fitted_pairs, 0.95) as without_other
    from fitted
),

added as (
    select
        *,
        predicted_weight * (1 - ratio * q) / without_predicted as predicted_hit,
        -predicted_weight * ratio * q / without_predicted as predicted_miss,
        other_weight * (1 - q) / without_other as other_hit,
        -other_weight * q / without_other as other_miss
    from weighted
)

select
    slate_id,
    versus,
    list_kind,
    list_name,
    evidence_window,
    population,
    disease_id,
    breadth_class,
    predicted_hit,
    predicted_miss,
    other_hit,
    other_miss,
    predicted_weight * ratio * q as predicted_stake,
    other_weight * q as other_stake,
    listed_hits * predicted_hit ** 2
    + (listed_pairs - listed_hits) * predicted_miss ** 2
    + (candidate_hits - listed_hits) * other_hit ** 2
    + (others - candidate_hits + listed_hits) * other_miss ** 2 as squares,
    listed_hits * others / candidates / r
    - (candidate_hits - listed_hits) * listed_pairs / candidates / s as influence,
    ratio * q * listed_pairs * others / candidates as stake
from added
