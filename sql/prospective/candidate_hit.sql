-- Title:   Candidates that are hits
-- Formula: pairs of the slate's candidate set with a hit
-- Source:  docs/metrics.md#candidate_hit
-- Units:   breadth as in drug_breadth; first_event_date and match_strength as in pair_event; known
--          as in population 'novel'
-- Grain:   slate_id, evidence_window, disease_id, drug_id
select
    pair_event.slate_id,
    pair_event.evidence_window,
    pair_event.disease_id,
    pair_event.drug_id,
    drug_breadth.breadth,
    coalesce(pair_known_phase.is_known, false) as is_known,
    pair_event.first_event_date,
    pair_event.match_strength
from pair_event
inner join slate_sets on pair_event.slate_id = slate_sets.slate_id
inner join candidate
    on
        slate_sets.candidate_set_id = candidate.candidate_set_id
        and pair_event.disease_id = candidate.disease_id
        and pair_event.drug_id = candidate.drug_id
inner join drug_breadth
    on
        pair_event.slate_id = drug_breadth.slate_id
        and pair_event.drug_id = drug_breadth.drug_id
left join pair_known_phase
    on
        pair_event.slate_id = pair_known_phase.slate_id
        and pair_event.disease_id = pair_known_phase.disease_id
        and pair_event.drug_id = pair_known_phase.drug_id
where pair_event.is_hit
