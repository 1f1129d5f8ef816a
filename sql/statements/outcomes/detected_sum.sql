-- Title:      What outcomes found since an instant rest on, for all of some slates together
-- Reads:      evidence_source, outcome, slate
-- Note:       Outcomes as in detected_count. An event is counted once, however many slates it
--             concerns, and so is a study of the registry and a pair.
select
    count(*) as n_outcomes,
    count(distinct outcome.outcome_id) as n_events,
    count(distinct outcome.record) filter (
        where evidence_source.tells_of = 'studies'
    ) as n_studies,
    count(distinct struct_pack(outcome.disease_id, outcome.drug_id)) as n_pairs,
    count(distinct slate_id) as n_slates
from outcome
inner join slate using (slate_id)
left join evidence_source on outcome.source = evidence_source.source
where
    outcome.outcome_origin = 'detected'
    and list_contains(cast(:slate_ids as varchar[]), cast(slate_id as varchar))
    and (
        outcome.recorded_at >= cast(:since as timestamptz)
        or slate.recorded_at >= cast(:since as timestamptz)
    )
