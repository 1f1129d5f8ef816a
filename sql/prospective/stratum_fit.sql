-- Title:   What a pair adds to the logarithm of a ratio
-- Formula: q = hits of all / (others + ratio x predictions); a predicted pair adds others /
--          candidates x (hit - ratio x q) / r, another one -ratio x predictions / candidates x
--          (hit - q) / r, each over 1 - the share, at most 0.95, that the pair has in its own fit;
--          hit is the weight of a hit and 0 of another pair
-- Units:   units of ln(ratio), by what the pair is and whether it came true, a hit of weight 1;
--          weight shares are what is expected of a pair in these units; squares = sum of the
--          squares of what all pairs add; influence is what the stratum adds, and chance its part
--          of the variance by chance alone
-- Grain:   slate_id, list_number, disease_id, breadth_class
-- Note:    r, s and the ratio r / s are of the list, as in stratified_ratio, also where that has no
--          ratio since the predictions are their own baseline
with list_total as (
    select
        *,
        candidates - listed_pairs as others,
        candidate_hits - listed_hits as other_hits,
        candidate_squares - listed_squares as other_squares,
        sum(r) over list_sum as list_r,
        sum(s) over list_sum as list_s
    from list_stratum
    window list_sum as (
        partition by slate_id, list_number
        order by disease_id, breadth_class
        rows between unbounded preceding and unbounded following
    )
),

added as (
    select
        *,
        list_r / list_s as ratio,
        candidates + (ratio - 1) * listed_pairs as fitted_pairs,
        candidate_hits / fitted_pairs as q,
        others / candidates / list_r as predicted_weight,
        -ratio * listed_pairs / candidates / list_r as other_weight,
        1 - least(ratio / fitted_pairs, 0.95) as without_predicted,
        1 - least(1 / fitted_pairs, 0.95) as without_other,
        predicted_weight * (1 - ratio * q) / without_predicted as predicted_hit,
        -predicted_weight * ratio * q / without_predicted as predicted_miss,
        other_weight * (1 - q) / without_other as other_hit,
        -other_weight * q / without_other as other_miss
    from list_total
    where list_r > 0 and list_s > 0 and others > 0
)

select
    slate_id,
    list_number,
    disease_id,
    breadth_class,
    predicted_hit,
    predicted_miss,
    other_hit,
    other_miss,
    predicted_weight * ratio * q as predicted_weight_share,
    other_weight * q as other_weight_share,
    listed_pairs * predicted_miss ** 2
    + 2 * listed_hits * predicted_miss * (predicted_hit - predicted_miss)
    + listed_squares * (predicted_hit - predicted_miss) ** 2
    + others * other_miss ** 2
    + 2 * other_hits * other_miss * (other_hit - other_miss)
    + other_squares * (other_hit - other_miss) ** 2 as squares,
    r / list_r - s / list_s as influence,
    ratio * q * listed_pairs * others / candidates as weight_share,
    (listed_pairs * others * candidate_squares - listed_hits * other_hits * candidates)
    / candidates ** 2 / (list_r * list_s) as chance
from added
