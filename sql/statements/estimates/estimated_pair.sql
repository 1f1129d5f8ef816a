-- Title:      The predictions of a slate with what estimates rest on
-- Reads:      drug_breadth, pair_outcome
select
    pair_outcome.tier,
    pair_outcome.disease_id,
    pair_outcome.drug_id,
    pair_outcome.is_novel,
    pair_outcome.has_any_outcome,
    pair_outcome.is_hit,
    pair_outcome.score,
    coalesce(drug_breadth.breadth_decile, 0) as breadth_decile,
    coalesce(drug_breadth.breadth_cohort, 0) as breadth_cohort
from pair_outcome
left join drug_breadth
    on
        pair_outcome.slate_id = drug_breadth.slate_id
        and pair_outcome.drug_id = drug_breadth.drug_id
where pair_outcome.slate_id = :slate_id and pair_outcome.evidence_window = :evidence_window
order by pair_outcome.disease_id, pair_outcome.drug_id
