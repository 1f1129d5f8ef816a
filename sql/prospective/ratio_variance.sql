-- Title:   Variance of the logarithm of a ratio
-- Formula: chance + drugs + diseases + records: drugs = sum over drugs of influence^2, less that
--          over pairs; diseases = sum over diseases of influence^2 / (1 - weight_share), less
--          chance, 1 - weight_share being at least 0.05; records = sum of crossed; none below 0
-- Units:   variances of ln(ratio); effective numbers of drugs and diseases are (sum of
--          weight_share^2)^2 / sum of weight_share^4, that of records (sum of crossed)^2 / sum of
--          crossed^2
-- Grain:   slate_id, list_number
select
    slate_id,
    list_number,
    sum(chance order by entity_kind, entity_id) as chance,
    greatest(
        sum(influence ** 2 order by entity_id) filter (where entity_kind = 'drug')
        - sum(pair_squares order by entity_kind, entity_id),
        0
    ) as drugs,
    greatest(
        sum(influence ** 2 / greatest(1 - weight_share, 0.05) order by entity_id)
        filter (where entity_kind = 'disease')
        - sum(chance order by entity_kind, entity_id),
        0
    ) as diseases,
    greatest(sum(crossed order by record) filter (where entity_kind = 'record'), 0) as records,
    sum(weight_share ** 2 order by entity_id) filter (where entity_kind = 'drug') ** 2
    / nullif(sum(weight_share ** 4 order by entity_id) filter (where entity_kind = 'drug'), 0)
        as effective_drugs,
    sum(weight_share ** 2 order by entity_id) filter (where entity_kind = 'disease') ** 2
    / nullif(sum(weight_share ** 4 order by entity_id) filter (where entity_kind = 'disease'), 0)
        as effective_diseases,
    sum(crossed order by record) filter (where entity_kind = 'record') ** 2
    / nullif(sum(crossed ** 2 order by record) filter (where entity_kind = 'record'), 0)
        as effective_records
from ratio_influence
group by slate_id, list_number
