-- Title:      The mean rank of each pair over the teams' entries of a round, with its sign reversed
-- Reads:      prediction, round_entry
-- Creates:    submission_row
-- Note:       a pair that an entry does not list has the rank top_k + 1
with entry as (
    select round_entry.slate_id
    from round_entry
    where round_entry.round_id = :round_id and round_entry.entry_kind = 'team'
),

ranked as (
    select
        prediction.disease_id,
        prediction.drug_id,
        count(*) as n_lists,
        sum(prediction.rank) as rank_sum
    from prediction
    semi join entry using (slate_id)
    group by prediction.disease_id, prediction.drug_id
)

select
    cast(:candidate_set_id as integer) as candidate_set_id,
    ranked.disease_id,
    ranked.drug_id,
    -(
        ranked.rank_sum
        + ((select count(*) from entry) - ranked.n_lists) * (cast(:top_k as integer) + 1)
    ) / (select count(*) from entry) as score
from ranked
