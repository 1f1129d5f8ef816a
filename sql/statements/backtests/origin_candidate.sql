-- Title:      Candidates of a backtest's origin
-- Reads:      candidate, labeled_pair
-- Note:       The pairs of the candidate set, or without one every labeled drug for every labeled
--             disease, that were not known at the origin. A set's score is that of the pair.
with known_pair as (
    select
        disease_id,
        drug_id
    from labeled_pair
    where label_set_id = :label_set_id
),

known_disease as (
    select distinct disease_id from known_pair
),

known_drug as (
    select distinct drug_id from known_pair
),

given_pair as (
    select
        disease_id,
        drug_id,
        score
    from candidate
    where candidate_set_id = cast(:candidate_set_id as integer)
    union all
    select
        known_disease.disease_id,
        known_drug.drug_id,
        null as score
    from known_disease
    cross join known_drug
    where cast(:candidate_set_id as integer) is null
)

select
    given_pair.disease_id,
    given_pair.drug_id,
    given_pair.score
from given_pair
anti join known_pair
    on
        given_pair.disease_id = known_pair.disease_id
        and given_pair.drug_id = known_pair.drug_id
order by given_pair.disease_id, given_pair.drug_id
