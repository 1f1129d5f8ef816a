-- Title:   Lists of teams that are nearly the same
-- Result:  Rounds
-- Formula: common_share = predictions that both entries have / predictions of the shorter one;
--          same_rank_share = those of equal rank / predictions that both have
-- Units:   shares 0..1; from a common_share of 0.9
-- Grain:   round_id, slate_id, versus_slate_id
with entry as materialized (
    select
        round_entry.round_id,
        slate_id,
        dense_rank() over (order by round_entry.round_id, slate_id) as entry_number,
        slate.n_predictions
    from round_entry
    inner join slate using (slate_id)
    cross join report_instant
    where
        round_entry.entry_kind = 'team'
        and round_entry.entered_at <= report_instant.as_of
),

listed as materialized (
    select
        entry.round_id,
        entry.entry_number,
        prediction.disease_id,
        prediction.drug_id,
        prediction.rank
    from entry
    inner join prediction using (slate_id)
),

common as (
    select
        own.entry_number,
        other.entry_number as versus_number,
        count(*) as n_common,
        count(*) filter (where own.rank = other.rank) as n_same_rank
    from listed as own
    inner join listed as other
        on
            own.round_id = other.round_id
            and own.disease_id = other.disease_id
            and own.drug_id = other.drug_id
            and own.entry_number < other.entry_number
    group by own.entry_number, other.entry_number
)

select
    own.round_id,
    own.slate_id,
    other.slate_id as versus_slate_id,
    common.n_common,
    common.n_common / least(own.n_predictions, other.n_predictions) as common_share,
    common.n_same_rank / common.n_common as same_rank_share
from common
inner join entry as own on common.entry_number = own.entry_number
inner join entry as other on common.versus_number = other.entry_number
where common.n_common >= 0.9 * least(own.n_predictions, other.n_predictions)
