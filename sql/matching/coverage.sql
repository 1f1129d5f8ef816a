-- Title:   What the sources can see of a slate
-- Result:  Evidence and matching
-- Formula: predicted drugs and diseases by the strongest match of any record of the source
-- Units:   counts; share of the slate's drugs, or diseases, 0..1; strength 0, kind 'none': no
--          record of the source names them, so that nothing can happen to them there
-- Grain:   slate_id, entity_kind, source, strength
select
    slate_id,
    entity_kind,
    source,
    strength,
    match_kind,
    count(*) as n_entities,
    count(*) / sum(count(*)) over (partition by slate_id, entity_kind, source) as share,
    cast(sum(n_predictions) as bigint) as n_predictions
from slate_coverage
group by slate_id, entity_kind, source, strength, match_kind
