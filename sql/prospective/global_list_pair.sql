-- Title:   The first 500 predictions over all diseases
-- Formula: place 1 has the highest score; equal scores are in the order of rank within the
--          disease, then of the MD5 of the folded names of disease and drug, a line feed (chr(10))
--          between
-- Units:   scores as frozen; n_predictions are all those of the population, n_tied those of them
--          with the same score, n_tied_so_far those of these up to this place, n_tied_hits those of
--          these that are hits
-- Grain:   slate_id, evidence_window, population, disease_id, drug_id
with scored_pair as materialized (
    -- Places do not depend on the window, so the pairs are ranked once for both.
    select
        slate_id,
        unnest(if(is_novel, ['all', 'novel'], ['all'])) as population,
        disease_id,
        drug_id,
        score,
        rank
    from pair_outcome
    where evidence_window = 'all'
),

population_size as (
    select
        slate_id,
        population,
        count(*) as n_predictions,
        list_min(max(score, 500)) as lowest_score
    from scored_pair
    group by slate_id, population
),

-- Names are looked up for what can reach the list alone.
contender as (
    select
        scored_pair.*,
        population_size.n_predictions,
        coalesce(md5(concat(disease_name.folded_name, chr(10), drug_name.folded_name)), '')
            as tie_order
    from scored_pair
    inner join population_size using (slate_id, population)
    inner join slate using (slate_id)
    left join entity_tie_name as disease_name
        on
            disease_name.entity_kind = 'disease'
            and scored_pair.disease_id = disease_name.entity_id
            and (disease_name.name_number = 1 or slate.recorded_at >= disease_name.named_since)
            and slate.recorded_at < coalesce(disease_name.named_until, 'infinity')
    left join entity_tie_name as drug_name
        on
            drug_name.entity_kind = 'drug'
            and scored_pair.drug_id = drug_name.entity_id
            and (drug_name.name_number = 1 or slate.recorded_at >= drug_name.named_since)
            and slate.recorded_at < coalesce(drug_name.named_until, 'infinity')
    where scored_pair.score >= population_size.lowest_score
),

listed_pair as materialized (
    select
        *,
        -- One struct in place of five columns, so that the millions behind are not sorted.
        row_number() over (
            partition by slate_id, population
            order by row(-score, rank, tie_order, disease_id, drug_id)
        ) as place
    from contender
    qualify place <= 500
),

-- The predictions with the score of one on the list, whether they are on it or not.
tied_pair as (
    select
        population_pair.*,
        count(*) over tie as n_tied,
        count(*) filter (where population_pair.is_hit) over tie as n_tied_hits
    from population_pair
    semi join listed_pair using (slate_id, population, score)
    window tie as (partition by slate_id, population_pair.evidence_window, population, score)
)

select
    slate_id,
    tied_pair.evidence_window,
    population,
    disease_id,
    drug_id,
    listed_pair.place,
    score,
    listed_pair.n_predictions,
    tied_pair.n_tied,
    row_number() over (
        partition by slate_id, tied_pair.evidence_window, population, score
        order by listed_pair.place
    ) as n_tied_so_far,
    tied_pair.is_hit,
    tied_pair.n_tied_hits
from listed_pair
inner join tied_pair using (slate_id, population, disease_id, drug_id, score)
