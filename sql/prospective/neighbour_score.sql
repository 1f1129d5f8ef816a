-- Title:   Scores of the nearest-neighbour filter
-- Formula: sum over the other diseases that have the drug, by the slate's labels above 0, of the
--          cosine of their sets of such drugs and that of the disease
-- Units:   whole multiples of 2^-36; candidates alone, those without a score have no row, nor do
--          those that no list as long as the disease's predictions can reach
-- Grain:   slate_id, disease_id, drug_id
-- Stored:  evidence
with drug_count as (
    select
        slate_id,
        count(*) as n_drugs
    from drug_breadth
    group by slate_id
),

candidate_count as (
    select
        candidate_set_id,
        disease_id,
        count(*) as n_candidates
    from candidate
    group by candidate_set_id, disease_id
),

prediction_count as (
    select
        slate_id,
        disease_id,
        count(*) as n_predictions
    from prediction
    group by slate_id, disease_id
),

-- A list passes over pairs that are known or no candidates. A number is a shorter key than a slate.
listed_disease as materialized (
    select
        slate_id,
        slate_sets.candidate_set_id,
        disease_id,
        row_number() over (order by slate_id, disease_id) as list_number,
        prediction_count.n_predictions
        + disease_activity.n_known_pairs
        + drug_count.n_drugs
        - candidate_count.n_candidates as n_reached
    from prediction_count
    inner join slate_sets using (slate_id)
    inner join drug_count using (slate_id)
    inner join disease_activity using (slate_id, disease_id)
    inner join candidate_count using (candidate_set_id, disease_id)
),

known as materialized (
    select
        slate_sets.slate_id,
        labeled_pair.disease_id,
        labeled_pair.drug_id,
        dense_rank() over (order by slate_sets.slate_id, labeled_pair.disease_id) as set_number,
        count(*) over (partition by slate_sets.slate_id, labeled_pair.disease_id) as n_drugs
    from slate_sets
    inner join labeled_pair using (label_set_id)
    where labeled_pair.label > 0
),

similarity as materialized (
    select
        listed_disease.list_number,
        neighbour.set_number,
        cast(
            round(count(*) / sqrt(any_value(own.n_drugs) * any_value(neighbour.n_drugs)) * 2 ** 36)
            as bigint
        ) as similarity
    from known as own
    inner join known as neighbour using (slate_id, drug_id)
    inner join listed_disease
        on own.slate_id = listed_disease.slate_id and own.disease_id = listed_disease.disease_id
    where own.disease_id <> neighbour.disease_id
    group by listed_disease.list_number, neighbour.set_number
),

scored as (
    select
        similarity.list_number,
        known.drug_id,
        cast(sum(similarity.similarity) as bigint) as score
    from similarity
    inner join known using (set_number)
    group by similarity.list_number, known.drug_id
),

placed as (
    select
        *,
        rank() over (partition by list_number order by score desc) as place
    from scored
)

select
    listed_disease.slate_id,
    listed_disease.disease_id,
    placed.drug_id,
    placed.score
from placed
inner join listed_disease using (list_number)
semi join candidate
    on
        listed_disease.candidate_set_id = candidate.candidate_set_id
        and listed_disease.disease_id = candidate.disease_id
        and placed.drug_id = candidate.drug_id
where placed.place <= listed_disease.n_reached
