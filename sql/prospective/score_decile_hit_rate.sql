-- Title:   Hit rate by score decile
-- Result:  Scores and probabilities
-- Formula: NTILE(10) over the score, then hits / predictions in each decile; where a decile begins
--          or ends within a tie, the mean over all orders of the tied predictions (hit_rate), the
--          lowest and the highest
-- Units:   fraction 0..1; decile 10 has the highest scores; n_hits are those of one order, by the
--          MD5 of the folded names of disease and drug, and tie_mean_hits the mean
-- Grain:   slate_id, evidence_window, population, score_decile
with scored_pair as materialized (
    -- Deciles do not depend on the window, so the pairs are ranked once for both.
    from population_pair
    where evidence_window = 'all'
),

placed_score as (
    select
        slate_id,
        population,
        score,
        count(*) as n_tied,
        sum(count(*)) over (partition by slate_id, population order by score) as n_up_to,
        sum(count(*)) over (partition by slate_id, population) as n_pairs
    from scored_pair
    group by slate_id, population, score
),

-- The first deciles have one prediction more than the others.
decile as (
    select
        placed_score.*,
        part.score_decile,
        placed_score.n_up_to - placed_score.n_tied as n_lower,
        placed_score.n_pairs // 10 * (part.score_decile - 1)
        + least(part.score_decile - 1, placed_score.n_pairs % 10) as n_before,
        placed_score.n_pairs // 10 * part.score_decile
        + least(part.score_decile, placed_score.n_pairs % 10) as n_through
    from placed_score
    cross join (values (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)) as part (score_decile)
),

-- The predictions of one score that are in one decile, and which of them in the order of ties.
score_part as materialized (
    select
        slate_id,
        population,
        score_decile,
        score,
        n_tied,
        1 + greatest(n_before - n_lower, 0) as first_tied,
        least(n_through - n_lower, n_tied) as last_tied,
        last_tied - first_tied + 1 as n_drawn
    from decile
    where n_before < n_up_to and n_through > n_lower and n_before < n_through
),

decile_score as (
    select
        slate_id,
        population,
        score_decile,
        cast(sum(n_drawn) as bigint) as n_predictions,
        sum(score * n_drawn order by score) as score_sum
    from score_part
    group by slate_id, population, score_decile
),

hit_score as (
    select
        slate_id,
        evidence_window,
        population,
        score,
        count(*) as n_score_hits
    from population_pair
    where is_hit
    group by all
),

-- Names are looked up for the predictions that a decile cuts off from a hit, or it from them.
cut_score as (
    from score_part
    semi join hit_score using (slate_id, population, score)
    where score_part.n_drawn < score_part.n_tied
),

cut_pair as (
    select
        slate_id,
        population,
        scored_pair.disease_id,
        scored_pair.drug_id,
        row_number() over (
            partition by slate_id, population, score
            order by
                md5(concat(disease_name.folded_name, chr(10), drug_name.folded_name)),
                scored_pair.disease_id,
                scored_pair.drug_id
        ) as tied_place
    from scored_pair
    semi join cut_score using (slate_id, population, score)
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
),

drawn_hit as (
    select
        slate_id,
        hit.evidence_window,
        population,
        part.score_decile,
        count(*) as n_hits
    from population_pair as hit
    left join cut_pair using (slate_id, population, disease_id, drug_id)
    inner join score_part as part using (slate_id, population, score)
    where
        hit.is_hit
        and coalesce(cut_pair.tied_place between part.first_tied and part.last_tied, true)
    group by all
),

tied_hit as (
    select
        slate_id,
        hit.evidence_window,
        population,
        part.score_decile,
        sum(part.n_drawn * hit.n_score_hits / part.n_tied order by score) as mean_hits,
        sum(greatest(part.n_drawn - (part.n_tied - hit.n_score_hits), 0)) as low_hits,
        sum(least(part.n_drawn, hit.n_score_hits)) as high_hits
    from hit_score as hit
    inner join score_part as part using (slate_id, population, score)
    group by all
)

select
    slate_id,
    evidence.evidence_window,
    population,
    score_decile,
    decile_score.n_predictions,
    coalesce(drawn_hit.n_hits, 0) as n_hits,
    coalesce(tied_hit.mean_hits, 0) as tie_mean_hits,
    decile_score.score_sum / decile_score.n_predictions as mean_score,
    coalesce(tied_hit.mean_hits, 0) / decile_score.n_predictions as hit_rate,
    coalesce(tied_hit.low_hits, 0) / decile_score.n_predictions as tie_low_hit_rate,
    coalesce(tied_hit.high_hits, 0) / decile_score.n_predictions as tie_high_hit_rate
from decile_score
cross join (values ('all'), ('prospective')) as evidence (evidence_window)
left join drawn_hit using (slate_id, evidence_window, population, score_decile)
left join tied_hit using (slate_id, evidence_window, population, score_decile)
