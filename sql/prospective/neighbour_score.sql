-- Title:   Scores of the nearest-neighbour filter
-- Formula: sum over the other diseases that have the drug, by the slate's labels above 0, of the
--          cosine of their sets of such drugs and that of the disease
-- Source:  docs/metrics.md#neighbour_score
-- Units:   whole multiples of 2^-36; candidates alone, those without a score have no row
-- Grain:   slate_id, disease_id, drug_id
with known as materialized (
    select
        slate_sets.slate_id,
        slate_sets.candidate_set_id,
        labeled_pair.disease_id,
        labeled_pair.drug_id,
        count(*) over (partition by slate_sets.slate_id, labeled_pair.disease_id) as n_drugs
    from slate_sets
    inner join labeled_pair using (label_set_id)
    where labeled_pair.label > 0
),

similarity as (
    select
        own.slate_id,
        own.disease_id,
        neighbour.disease_id as neighbour_id,
        cast(
            round(count(*) / sqrt(any_value(own.n_drugs) * any_value(neighbour.n_drugs)) * 2 ** 36)
            as bigint
        ) as similarity
    from known as own
    inner join known as neighbour using (slate_id, drug_id)
    semi join prediction
        on own.slate_id = prediction.slate_id and own.disease_id = prediction.disease_id
    where own.disease_id <> neighbour.disease_id
    group by own.slate_id, own.disease_id, neighbour.disease_id
),

-- Summed before candidates are looked up, which are many.
scored as (
    select
        known.slate_id,
        known.candidate_set_id,
        similarity.disease_id,
        known.drug_id,
        cast(sum(similarity.similarity) as bigint) as score
    from similarity
    inner join known
        on similarity.slate_id = known.slate_id and similarity.neighbour_id = known.disease_id
    group by known.slate_id, known.candidate_set_id, similarity.disease_id, known.drug_id
)

select
    scored.slate_id,
    scored.disease_id,
    scored.drug_id,
    scored.score
from scored
semi join candidate
    on
        scored.candidate_set_id = candidate.candidate_set_id
        and scored.disease_id = candidate.disease_id
        and scored.drug_id = candidate.drug_id
