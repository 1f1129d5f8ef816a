-- Title:   Label gaps
-- Formula: stratified_ratio of the predictions in the tier of the primary endpoint, with pairs in
--          place of hits that is_learned_later, among those that neither the labels nor the
--          evidence of the time knew
-- Source:  docs/metrics.md#label_gap
-- Units:   ratio, 1 = the predictions have as many as equally popular candidates; counts
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
    ratio.population,
    ratio.tier,
    ratio.list_number,
    coalesce(predicted.n_predictions, 0) as n_predictions,
    coalesce(predicted.n_gaps, 0) as n_gaps,
    ratio.expected_hits as expected_gaps,
    ratio.ratio as label_gap,
    ratio.own_share,
    ratio.reason
from stratified_ratio as ratio
left join predicted using (slate_id)
where ratio.list_kind = 'unlabeled'
