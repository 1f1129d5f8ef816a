-- Title:      Labels of the pairs that the evidence in the ledger showed by a day
-- Reads:      entity_text, event, revised_pair, trial_revision
-- Creates:    evidence_label
-- Note:       docs/metrics.md#evidence_label. The phase of a start is that of its registration; a
--             trial of phase 4 is no approval. The year of an approval is that of the ChEMBL
--             release that first had it, and unknown for the first release in the store. A study
--             whose history is known on the day has what its version of that day says, in
--             revised_pair, instead of its events.
with revised_study as (
    select distinct nct_id
    from trial_revision
    where history_known_until >= cast(:as_of as date)
),

shown_event as (
    select
        event.disease_id,
        event.drug_id,
        if(event.event_type = 'trial_started', null, event.phase) as phase,
        (event.event_type = 'indication_phase' and coalesce(event.phase = 4, false))
        or event.event_type = 'ema_authorised' as is_approval,
        if(event.public_after is null, null, year(event.public_by)) as public_year
    from event
    semi join entity_text as drug_text
        on
            drug_text.entity_kind = 'drug'
            and event.drug_id = drug_text.entity_id
            and event.drug_alias = drug_text.value
            and not drug_text.is_shared
    semi join entity_text as disease_text
        on
            disease_text.entity_kind = 'disease'
            and event.disease_id = disease_text.entity_id
            and event.disease_alias = disease_text.value
            and not disease_text.is_shared
    -- No other source has records of that number.
    anti join revised_study on event.record = revised_study.nct_id
    where
        event.event_origin = 'detected'
        and event.slate_id is null
        and event.event_type not in ('ema_refused', 'ema_withdrawn')
        and event.public_by <= cast(:as_of as date)
    union all
    select
        disease_id,
        drug_id,
        phase,
        false as is_approval,
        null as public_year
    from revised_pair
),

known_pair as (
    select
        disease_id,
        drug_id,
        max(phase) as phase,
        bool_or(is_approval) as is_approved,
        min(public_year) filter (where is_approval) as approval_year,
        count(*) filter (where is_approval and public_year is null) as n_undated_approvals
    from shown_event
    group by disease_id, drug_id
)

select
    disease_id,
    drug_id,
    cast(
        if(is_approved, 4, least(greatest(floor(coalesce(phase, 1)), 1), 3)) as smallint
    ) as label,
    if(is_approved, 4, if(phase > 3, 3, phase)) as max_phase,
    cast(if(n_undated_approvals = 0, approval_year, null) as smallint) as approval_year
from known_pair
