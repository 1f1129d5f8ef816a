-- Title:   Label gaps
-- Result:  At the freeze
-- Formula: predictions in the tier of the primary endpoint that were public by the freeze, as later
--          evidence shows, though no label and no release of the time told of them; beside those
--          of equally popular candidates, by the ratio of enrichment_vs_matched
-- Units:   ratio, 1 = no more gaps than equally popular candidates; counts; population is 'novel'
--          as it was seen then
-- Grain:   slate_id
with predicted as (
    select
        slate_id,
        count(*) as n_predictions,
        count(*) filter (where pair_known_phase.is_learned_later) as n_gaps
    from prediction
    inner join primary_endpoint using (slate_id)
    inner join pair_known_phase using (slate_id, disease_id, drug_id)
    where
        primary_endpoint.tier in (prediction.tier, 'all')
        and (not pair_known_phase.is_known or pair_known_phase.is_learned_later)
    group by slate_id
)

select
    slate_id,
    ratio.evidence_window,
    'novel' as population,
    ratio.tier,
    ratio.list_number,
    coalesce(predicted.n_predictions, 0) as n_predictions,
    coalesce(predicted.n_gaps, 0) as n_gaps,
    if(predicted.n_predictions > 0, ratio.expected_hits, null) as expected_gaps,
    ratio.ratio as label_gap,
    ratio.own_share,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when predicted.n_predictions is null then 'no predictions of this population in the tier'
        else ratio.reason
    end as reason
from stratified_ratio as ratio
inner join slate_sets using (slate_id)
left join predicted using (slate_id)
where ratio.list_kind = 'unlabeled'
