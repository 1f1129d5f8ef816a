-- Title:   Candidates that are hits
-- Formula: pairs of the slate's candidate set with a hit
-- Source:  docs/metrics.md#candidate_hit
-- Units:   breadth_class as in drug_breadth; first_event_date and match_strength as in pair_event;
--          known as in population 'novel'; nearness is 'known', 'near-known' or 'new'
-- Grain:   slate_id, evidence_window, disease_id, drug_id
select
    slate_id,
    pair_event.evidence_window,
    disease_id,
    drug_id,
    drug_breadth.breadth_class,
    marked_candidate.is_known,
    case
        when marked_candidate.is_known then 'known'
        when nearness.drug_id is not null then 'near-known'
        else 'new'
    end as nearness,
    pair_event.first_event_date,
    pair_event.match_strength
from pair_event
inner join marked_candidate using (slate_id, disease_id, drug_id)
inner join drug_breadth using (slate_id, drug_id)
left join nearness using (slate_id, disease_id, drug_id)
where pair_event.is_hit
