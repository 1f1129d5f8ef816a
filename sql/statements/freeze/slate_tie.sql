-- Title:      How many predictions of a slate were drawn from ties, and where scores are too few
-- Reads:      candidate, disease, pair_known_phase, prediction
-- Note:       Drawn are the predictions with the lowest score of a disease's list where more
--             candidates have it than are listed. Distinct scores are counted only where an
--             estimate of their number is not far above that of the predictions. With novel_only
--             pairs that were known could not be listed, and tie with none.
with known_pair as (
    select
        disease_id,
        drug_id
    from pair_known_phase
    where slate_id = cast(:slate_id as uuid) and is_known and cast(:novel_only as boolean)
),

listed_score as (
    select
        disease_id,
        score,
        count(*) as n_listed,
        count(distinct tier) as n_tiers
    from prediction
    where slate_id = :slate_id
    group by disease_id, score
),

disease_list as (
    select
        disease_id,
        cast(sum(n_listed) as bigint) as n_predictions,
        arg_min(n_listed, score) as n_lowest,
        min(score) as lowest_score,
        coalesce(sum(n_listed) filter (where n_tiers > 1), 0) as n_over_tiers
    from listed_score
    group by disease_id
),

scored as (
    select
        candidate.disease_id,
        candidate.score
    from candidate
    anti join known_pair
        on
            candidate.disease_id = known_pair.disease_id
            and candidate.drug_id = known_pair.drug_id
    where
        candidate.candidate_set_id = :candidate_set_id
        and candidate.disease_id in (select disease_list.disease_id from disease_list)
),

disease_score as (
    select
        disease_id,
        count(*) filter (where scored.score = disease_list.lowest_score) as n_equal,
        approx_count_distinct(scored.score) < 2 * any_value(disease_list.n_predictions) as is_few
    from scored
    inner join disease_list using (disease_id)
    group by disease_id
),

few_score as (
    select
        disease_id,
        count(distinct scored.score) as n_scores
    from scored
    inner join disease_score using (disease_id)
    where disease_score.is_few
    group by disease_id
),

model_score as (
    select count(distinct score) as n_scores
    from scored
    where
        (select approx_count_distinct(every_score.score) from scored as every_score)
        < 2 * (select sum(disease_list.n_predictions) from disease_list)
),

disease_tie as (
    select
        disease.name,
        disease_list.n_predictions,
        disease_list.n_over_tiers,
        if(disease_score.n_equal > disease_list.n_lowest, disease_list.n_lowest, 0) as n_drawn,
        disease_score.n_equal,
        coalesce(few_score.n_scores < disease_list.n_predictions, false) as is_coarse
    from disease_list
    inner join disease using (disease_id)
    inner join disease_score using (disease_id)
    left join few_score using (disease_id)
)

select
    count(*) as n_diseases,
    cast(coalesce(sum(n_drawn), 0) as bigint) as n_drawn,
    cast(coalesce(sum(n_equal) filter (where n_drawn > 0), 0) as bigint) as n_drawn_from,
    count(*) filter (where n_drawn > 0) as n_drawn_diseases,
    cast(coalesce(sum(n_over_tiers), 0) as bigint) as n_over_tiers,
    count(*) filter (where n_over_tiers > 0) as n_over_tiers_diseases,
    count(*) filter (where is_coarse) as n_coarse_diseases,
    coalesce(list_sort(list(name) filter (where is_coarse)), [])[1:3] as coarse_diseases,
    if(
        (select model_score.n_scores from model_score)
        between 1 and sum(n_predictions) - 1,
        (select model_score.n_scores from model_score),
        null
    ) as n_coarse_scores
from disease_tie
