-- Title:   What was known at freeze
-- Formula: predictions by the most that was known of the pair when the slate was frozen
-- Source:  docs/metrics.md#known_at_freeze
-- Units:   counts, and the share of the tier's predictions, 0..1; knowledge is nothing, negative
--          label, in trials or approved
-- Grain:   slate_id, tier, knowledge
with known_prediction as (
    select
        slate_id,
        unnest([tier, 'all']) as tier,
        case
            when known_label = 4 or known_max_phase >= 4 then 'approved'
            when known_label > 0 or known_max_phase > 0 then 'in trials'
            when known_label = 0 then 'negative label'
            else 'nothing'
        end as knowledge
    from prediction
)

select
    slate_id,
    tier,
    knowledge,
    count(*) as n_predictions,
    count(*) / nullif(sum(count(*)) over (partition by slate_id, tier), 0) as tier_share
from known_prediction
group by slate_id, tier, knowledge
