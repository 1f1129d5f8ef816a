-- Title:   Decisions on medicines that EMA's table shows
-- Formula: of each version the authorisation, if it has a date; a refusal; the end of the
--          authorisation or of the application; none that is dated after every release that shows
--          the version
-- Units:   event_type as in the ledger; status in EMA's words, NULL for an authorisation;
--          decided_on is NULL where the table gives no date, which an authorisation always has
-- Grain:   medicine_id, event_type
with stated_decision as (
    select
        medicine_id,
        'ema_authorised' as event_type,
        cast(null as varchar) as status,
        authorised_on as decided_on
    from medicine
    where
        authorised_on is not null
        and lower(status) in (
            'authorised', 'suspended', 'withdrawn', 'lapsed', 'expired', 'revoked'
        )
    union all
    select
        medicine_id,
        'ema_refused' as event_type,
        status,
        refused_on as decided_on
    from medicine
    where lower(status) = 'refused'
    union all
    select
        medicine_id,
        'ema_withdrawn' as event_type,
        status,
        if(
            lower(status) in ('application withdrawn', 'withdrawn from rolling review'),
            application_withdrawn_on,
            authorisation_ended_on
        ) as decided_on
    from medicine
    where
        lower(status) in (
            'withdrawn',
            'lapsed',
            'expired',
            'revoked',
            'application withdrawn',
            'withdrawn from rolling review'
        )
),

-- A version stays until a release has another or lacks the product.
shown_medicine as (
    select
        medicine_id,
        max(last_shown_on) as last_shown_on
    from medicine_state
    group by medicine_id
)

select
    stated_decision.medicine_id,
    stated_decision.event_type,
    stated_decision.status,
    stated_decision.decided_on
from stated_decision
inner join shown_medicine using (medicine_id)
where coalesce(stated_decision.decided_on <= shown_medicine.last_shown_on, true)
