-- Title:   Wins of positives over candidates
-- Formula: 2 x candidates scored below a positive + candidates scored equal to it, summed over the
--          positives; in a bin with few distinct scores of positives, by bins for lower bins and by
--          comparison within the bin; in a bin with many, by search for each score. The bin of a
--          candidate is that of positive_range into which its score falls
-- Units:   half wins, whole numbers; a positive is a candidate too and ties with itself
-- Grain:   evaluation_id, counting
-- Bounds:  262137 is the last place within the range: bin 0 is below every positive, 262139 above;
--          four bins at a time and 32768 make a number of two bytes: the engine counts rows of so
--          few numbers in an array, without a hash table
with placed as (
    select
        positive_range.evaluation_id,
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
),

candidate_bin as (
    select
        evaluation_id,
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
),

four_bin_size as (
    -- To place every candidate here and below is cheaper than to keep their places.
    select
        evaluation_id,
        cast(score_bin // 4 - 32768 as smallint) as short_number,
        count(*) as n_candidates,
        count(*) filter (where score_bin % 4 < 1) as n_in_first,
        count(*) filter (where score_bin % 4 < 2) as n_in_first_two,
        count(*) filter (where score_bin % 4 < 3) as n_in_first_three
    from candidate_bin
    group by evaluation_id, cast(score_bin // 4 - 32768 as smallint)
),

four_bin_count as (
    select
        *,
        short_number + 32768 as four_bins,
        cast(coalesce(
            sum(n_candidates) over (
                partition by evaluation_id
                order by short_number
                rows between unbounded preceding and 1 preceding
            ),
            0
        ) as bigint) as n_below
    from four_bin_size
),

few_score as (
    select
        evaluation_id,
        score_bin,
        score_bin // 4 as four_bins,
        score,
        n_positive
    from positive_score
    where not has_many_scores
)

select
    evaluation_id,
    'lower bins' as counting,
    sum(
        2 * few_score.n_positive * (
            four_bin_count.n_below + case few_score.score_bin % 4
                when 0 then 0
                when 1 then four_bin_count.n_in_first
                when 2 then four_bin_count.n_in_first_two
                else four_bin_count.n_in_first_three
            end
        )
    ) as n_half_wins
from few_score
inner join four_bin_count using (evaluation_id, four_bins)
group by evaluation_id
union all
select
    evaluation_id,
    'compared' as counting,
    sum(case
        when candidate_bin.score < few_score.score then 2 * few_score.n_positive
        when candidate_bin.score = few_score.score then few_score.n_positive
        else 0
    end) as n_half_wins
from candidate_bin
inner join few_score using (evaluation_id, score_bin)
group by evaluation_id
union all
select
    evaluation_id,
    'searched' as counting,
    sum(n_positive * (2 * n_below + n_tied)) as n_half_wins
from crowded_score_count
group by evaluation_id
