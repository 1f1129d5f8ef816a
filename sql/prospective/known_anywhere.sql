-- Title:   Pairs that were known at the freeze
-- Formula: pairs known by pair_known_phase, and pairs with an event that was public by the freeze,
--          also of drugs and diseases that the slate did not score
-- Units:   events through texts that the slate knows, and claims, as in slate_event; those recorded
--          after the as-of instant are left out, and claims annulled by it
-- Grain:   slate_id, disease_id, drug_id
-- Stored:  evidence
with public_event as materialized (
    select distinct
        slate_date.slate_id,
        event.disease_id,
        event.drug_id,
        event.disease_alias,
        event.drug_alias,
        event.event_origin = 'detected' and event.slate_id is null as is_matched
    from event
    inner join slate_date
        on
            slate_date.counted_from >= coalesce(event.public_by, event.event_date)
            and coalesce(event.slate_id = slate_date.slate_id, true)
    anti join annulled_event on event.event_id = annulled_event.event_id
    where
        event.disease_id is not null
        and event.recorded_at <= (select report_instant.as_of from report_instant)
),

known_text as materialized (
    from slate_entity_text
)

select
    slate_id,
    disease_id,
    drug_id
from pair_known_phase
where is_known
union
select
    slate_id,
    disease_id,
    drug_id
from public_event
where not is_matched
union
select
    public_event.slate_id,
    public_event.disease_id,
    public_event.drug_id
from public_event
semi join known_text as drug_text
    on
        drug_text.entity_kind = 'drug'
        and public_event.slate_id = drug_text.slate_id
        and public_event.drug_id = drug_text.entity_id
        and public_event.drug_alias = drug_text.value
semi join known_text as disease_text
    on
        disease_text.entity_kind = 'disease'
        and public_event.slate_id = disease_text.slate_id
        and public_event.disease_id = disease_text.entity_id
        and public_event.disease_alias = disease_text.value
where public_event.is_matched
