-- Title:   Variance of the logarithm of a ratio
-- Formula: chance + drugs + diseases: drugs = sum over drugs of influence^2, less that over pairs;
--          diseases = sum over diseases of influence^2 / (1 - stake), less chance, 1 - stake being
--          at least 0.05; neither below 0
-- Source:  docs/metrics.md#ratio_variance
-- Units:   variances of ln(ratio); effective numbers of drugs and diseases are (sum of stake^2)^2 /
--          sum of stake^4
-- Grain:   slate_id, versus, list_kind, list_name, evidence_window, population
with entity_sum as (
    select
        * exclude (entity_kind, entity_id, influence, stake, pair_squares, chance),
        sum(chance order by entity_kind, entity_id) as chance,
        sum(pair_squares order by entity_kind, entity_id) as pair_squares,
        sum(influence ** 2 order by entity_id) filter (where entity_kind = 'drug')
            as drug_squares,
        sum(influence ** 2 / greatest(1 - stake, 0.05) order by entity_id)
        filter (where entity_kind = 'disease') as disease_squares,
        sum(stake ** 2 order by entity_id) filter (where entity_kind = 'drug') ** 2
        / nullif(sum(stake ** 4 order by entity_id) filter (where entity_kind = 'drug'), 0)
            as effective_drugs,
        sum(stake ** 2 order by entity_id) filter (where entity_kind = 'disease') ** 2
        / nullif(sum(stake ** 4 order by entity_id) filter (where entity_kind = 'disease'), 0)
            as effective_diseases
    from ratio_influence
    group by all
)

select
    slate_id,
    versus,
    list_kind,
    list_name,
    evidence_window,
    population,
    chance,
    greatest(drug_squares - pair_squares, 0) as drugs,
    greatest(disease_squares - chance, 0) as diseases,
    effective_drugs,
    effective_diseases
from entity_sum
