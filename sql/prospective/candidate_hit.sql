-- Title:   Candidates that are hits or failed, by which studies count
-- Formula: pairs of the slate's candidate set that are hits or have failed by setting_pair_event
-- Units:   breadth_class as in drug_breadth; nearness is 'known', 'near-known' or 'new';
--          near_class as in near_pair, NULL without a known relative; the others as in
--          setting_pair_event
-- Grain:   slate_id, study_setting, evidence_window, disease_id, drug_id
select
    slate_id,
    event.study_setting,
    event.evidence_window,
    disease_id,
    drug_id,
    drug_breadth.breadth_class,
    case
        when pair_known_phase.is_known then 'known'
        when near_pair.drug_id is not null then 'near-known'
        else 'new'
    end as nearness,
    near_pair.near_class,
    event.is_hit,
    event.is_dated_hit,
    event.has_failed,
    event.match_strength,
    event.first_event_date,
    event.first_record,
    event.first_failure_record
from setting_pair_event as event
inner join drug_breadth using (slate_id, drug_id)
inner join slate_sets using (slate_id)
semi join candidate using (candidate_set_id, disease_id, drug_id)
left join pair_known_phase using (slate_id, disease_id, drug_id)
left join near_pair using (slate_id, disease_id, drug_id)
where event.is_hit or event.has_failed
