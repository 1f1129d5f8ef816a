-- Title:   What was known at freeze
-- Result:  Verdict and overview
-- Formula: predictions by the most that was known of the pair when the slate was frozen, by its
--          labels and by the evidence that was public; of the rest those with a known relative
-- Units:   counts, and the share of the tier's predictions, 0..1; knowledge is nothing, a close
--          relative (nearness), negative label, in trials, in trials with the phase unknown, or
--          approved; n_by_evidence_only counts those that the labels left out
-- Grain:   slate_id, tier, knowledge
with known_prediction as (
    select
        slate_id,
        unnest([prediction.tier, 'all']) as tier,
        case
            when pair_known_phase.is_approved then 'approved'
            when pair_known_phase.known_phase > 0 then 'in trials'
            when pair_known_phase.is_known then 'in trials, phase unknown'
            when pair_known_phase.has_label then 'negative label'
            when nearness.drug_id is not null then 'a close relative'
            else 'nothing'
        end as knowledge,
        pair_known_phase.is_known and not pair_known_phase.is_labeled as is_by_evidence_only
    from prediction
    inner join pair_known_phase using (slate_id, disease_id, drug_id)
    left join nearness using (slate_id, disease_id, drug_id)
)

select
    slate_id,
    tier,
    knowledge,
    count(*) as n_predictions,
    count(*) filter (where is_by_evidence_only) as n_by_evidence_only,
    count(*) / nullif(sum(count(*)) over (partition by slate_id, tier), 0) as tier_share
from known_prediction
group by slate_id, tier, knowledge
