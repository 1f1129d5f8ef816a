-- Title:   Candidates that are hits
-- Formula: pairs of the slate's candidate set with a hit
-- Source:  docs/metrics.md#candidate_hit
-- Units:   breadth_class as in drug_breadth; first_event_date and match_strength as in pair_event;
--          known as in population 'novel'
-- Grain:   slate_id, evidence_window, disease_id, drug_id
select
    pair_event.slate_id,
    pair_event.evidence_window,
    pair_event.disease_id,
    pair_event.drug_id,
    drug_breadth.breadth_class,
    marked_candidate.is_known,
    pair_event.first_event_date,
    pair_event.match_strength
from pair_event
inner join marked_candidate
    on
        pair_event.slate_id = marked_candidate.slate_id
        and pair_event.disease_id = marked_candidate.disease_id
        and pair_event.drug_id = marked_candidate.drug_id
inner join drug_breadth
    on
        pair_event.slate_id = drug_breadth.slate_id
        and pair_event.drug_id = drug_breadth.drug_id
where pair_event.is_hit
