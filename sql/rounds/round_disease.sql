-- Title:   A round's diseases, entry by entry
-- Result:  Rounds
-- Formula: n_hits of n_predictions in the entry's whole list, beside expected_hits as in
--          disease_performance; r and s of list_stratum for the primary endpoint, summed over the
--          disease. Of a disease that the entry leaves out, hits and r are 0; expected_hits are
--          those of the round's baseline 'random', and s what lists as long have there by chance,
--          as in naive_list, with the variance s_variance = sum of candidate_hits x
--          (listed_pairs / candidates)^2
-- Units:   counts of the population and window of the primary endpoint; r / s as in
--          stratified_ratio; s_variance is 0 where the entry has predictions
-- Grain:   round_id, slate_id, disease_id
with entry as materialized (
    select
        round_entry.round_id,
        round_entry.slate_id,
        round_entry.entry_kind,
        round_entry.entry_name
    from round_entry
    cross join report_instant
    where round_entry.entered_at <= report_instant.as_of
),

performance as materialized (
    select
        slate_id,
        disease_performance.disease_id,
        disease_performance.n_predictions,
        disease_performance.n_hits,
        disease_performance.n_predictions * disease_performance.expected_hit_rate
            as expected_hits
    from disease_performance
    inner join primary_endpoint using (slate_id, evidence_window, population)
    semi join entry using (slate_id)
),

listed as (
    select distinct
        prediction.slate_id,
        prediction.disease_id
    from prediction
    semi join entry using (slate_id)
),

stratum as materialized (
    select
        slate_id,
        list_stratum.disease_id,
        sum(list_stratum.r order by list_stratum.breadth_class) as r,
        sum(list_stratum.s order by list_stratum.breadth_class) as s
    from list_stratum
    inner join prediction_list using (slate_id, list_number)
    inner join primary_endpoint using (slate_id, evidence_window, population, tier)
    semi join entry using (slate_id)
    where prediction_list.list_kind = 'tier'
    group by slate_id, list_stratum.disease_id
),

chance as (
    select
        slate_id,
        disease_id,
        sum(listed_hits order by breadth_class) as s,
        sum(candidate_hits * (listed_pairs / candidates) ** 2 order by breadth_class)
            as s_variance
    from naive_list
    where ranker = 'random'
    group by slate_id, disease_id
),

round_place as materialized (
    select
        entry.round_id,
        performance.disease_id,
        performance.expected_hits,
        coalesce(chance.s, 0) as s,
        coalesce(chance.s_variance, 0) as s_variance
    from entry
    inner join performance on entry.slate_id = performance.slate_id
    left join chance
        on
            performance.slate_id = chance.slate_id
            and performance.disease_id = chance.disease_id
    where entry.entry_kind = 'baseline' and entry.entry_name = 'random'
)

select
    entry.round_id,
    entry.slate_id,
    round_place.disease_id,
    listed.disease_id is null as is_left_out,
    coalesce(performance.n_predictions, 0) as n_predictions,
    coalesce(performance.n_hits, 0) as n_hits,
    if(listed.disease_id is null, round_place.expected_hits, performance.expected_hits)
        as expected_hits,
    coalesce(stratum.r, 0) as r,
    if(listed.disease_id is null, round_place.s, coalesce(stratum.s, 0)) as s,
    if(listed.disease_id is null, round_place.s_variance, 0) as s_variance
from entry
inner join round_place on entry.round_id = round_place.round_id
left join listed
    on entry.slate_id = listed.slate_id and round_place.disease_id = listed.disease_id
left join performance
    on entry.slate_id = performance.slate_id and round_place.disease_id = performance.disease_id
left join stratum
    on entry.slate_id = stratum.slate_id and round_place.disease_id = stratum.disease_id
