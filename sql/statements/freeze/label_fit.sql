-- Title:      How many labels fit the candidates of a slate, and how high these rank what is known
-- Reads:      candidate, labeled_pair, prediction
-- Note:       A known pair has a label above 0. auc is the probability that a known pair outscores
--             another candidate of its disease, ties one half, over the diseases of the slate; of
--             the half wins, the square takes out those of known pairs over known pairs.
--             standard_error is that of auc where the order says nothing: in a disease the wins of
--             p over q candidates have the variance p q (p + q + 1) / 12 (Mann and Whitney 1947).
with label as (
    select
        disease_id,
        drug_id,
        label > 0 as is_known
    from labeled_pair
    where label_set_id = :label_set_id
),

scored as (
    select
        candidate.disease_id,
        candidate.drug_id,
        candidate.score
    from candidate
    where candidate.candidate_set_id = :candidate_set_id
),

fitting as (
    select
        disease_id,
        scored.score,
        label.is_known
    from scored
    inner join label using (disease_id, drug_id)
),

known as (
    select
        disease_id,
        score
    from fitting
    where
        is_known
        and disease_id in (
            select prediction.disease_id
            from prediction
            where prediction.slate_id = :slate_id
        )
),

half_win as (
    select
        disease_id,
        sum(
            case when known.score > scored.score then 2 when known.score = scored.score then 1 end
        ) as n_half_wins,
        count(*) as n_compared
    from known
    inner join scored using (disease_id)
    group by disease_id
),

known_count as (
    select
        disease_id,
        count(*) as n_known
    from known
    group by disease_id
),

disease_win as (
    select
        known_count.n_known,
        half_win.n_compared // known_count.n_known - known_count.n_known as n_others,
        (half_win.n_half_wins - known_count.n_known * known_count.n_known) / 2 as n_wins
    from half_win
    inner join known_count using (disease_id)
)

select
    (select count(*) from label) as n_labels,
    (select count(*) from fitting) as n_fitting,
    (select count(distinct scored.drug_id) from scored) as n_drugs,
    (
        select count(distinct scored.drug_id)
        from scored
        where scored.drug_id in (select label.drug_id from label)
    ) as n_labeled_drugs,
    sum(n_wins) / nullif(sum(n_known * n_others), 0) as auc,
    sqrt(sum(n_known * n_others * (n_known + n_others + 1)) / 12)
    / nullif(sum(n_known * n_others), 0) as standard_error
from disease_win
