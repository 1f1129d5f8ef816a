-- Title:   What was known of a pair at the freeze
-- Formula: the highest phase by labels and by the pair's events that were public by the freeze
-- Units:   phase 0 (none) to 4 (approved); is_known by a positive label, a phase or any event
--          public by the freeze; is_labeled by a positive label or a phase alone; is_learned_later
--          where no label, and no release of the time, told what later ones show to have been
--          public; is_approved by a label, or by an approval rather than a trial of phase 4
-- Grain:   slate_id, disease_id, drug_id
-- Stored:  evidence
with known_pair as (
    select
        slate_id,
        disease_id,
        drug_id,
        labeled_phase as known_phase,
        labeled_phase > 0 as is_known,
        labeled_phase > 0 as is_labeled,
        labeled_phase > 0 as is_shown_then,
        has_label,
        labeled_phase >= 4 as is_approved
    from labeled_phase
    union all
    select
        slate_id,
        disease_id,
        drug_id,
        coalesce(if(event_type = 'trial_started', null, phase), 0) as known_phase,
        true as is_known,
        false as is_labeled,
        is_shown_by_freeze as is_shown_then,
        false as has_label,
        is_approval as is_approved
    from slate_event
    where is_public_by_freeze
)

select
    slate_id,
    disease_id,
    drug_id,
    max(known_phase) as known_phase,
    bool_or(is_known) as is_known,
    bool_or(is_labeled) as is_labeled,
    bool_or(is_known) and not bool_or(is_known and is_shown_then) as is_learned_later,
    bool_or(has_label) as has_label,
    bool_or(is_approved) as is_approved
from known_pair
group by slate_id, disease_id, drug_id
