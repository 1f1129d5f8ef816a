-- Title:   Decisions on medicines of pairs
-- Formula: the first version of each product that shows the decision and names the pair, and again
--          the first that does so through names that were known earlier
-- Units:   as in the ledger; event date is the day of the decision, public on that day; of an area
--          that came with another text of the indication after the authorisation it is that of the
--          release, public after the one before; of an end without a date as well
-- Grain:   disease_id, drug_id, record, event_type, detail, drug_alias, disease_alias
with decided_version as (
    select
        medicine_id,
        medicine_version.product_number,
        medicine_version.position,
        medicine_decision.event_type,
        coalesce(medicine_decision.status, '') as status,
        medicine_decision.decided_on
    from medicine_decision
    inner join medicine_version using (medicine_id)
),

decided_pair as (
    select
        medicine_pair.*,
        decided_version.* exclude (medicine_id)
    from medicine_pair
    inner join decided_version using (medicine_id)
),

first_authorisation as (
    select
        product_number,
        min(position) as position
    from decided_version
    where event_type = 'ema_authorised'
    group by product_number
),

-- Where the area stood first, whatever the table called the substance then.
first_area as (
    select
        decided_version.product_number,
        medicine_area.folded_name as area_name,
        min_by(medicine_id, decided_version.position) as area_medicine_id
    from decided_version
    inner join medicine_area using (medicine_id)
    where decided_version.event_type = 'ema_authorised'
    group by decided_version.product_number, medicine_area.folded_name
),

shown_pair as (
    select *
    from decided_pair
    qualify
        known_since < coalesce(
            min(known_since) over (
                partition by
                    disease_id, drug_id, product_number, event_type, status, level, is_shared
                order by position
                rows between unbounded preceding and 1 preceding
            ),
            'infinity'
        )
),

-- What names that were known as early, and are as strong, show first.
first_version as (
    select
        shown_pair.disease_id,
        shown_pair.drug_id,
        shown_pair.event_type,
        shown_pair.status,
        shown_pair.medicine_id,
        shown_pair.level,
        shown_pair.known_since,
        shown_pair.is_shared,
        min_by(decided_pair.medicine_id, decided_pair.position) as first_medicine_id
    from shown_pair
    inner join decided_pair
        on
            shown_pair.disease_id = decided_pair.disease_id
            and shown_pair.drug_id = decided_pair.drug_id
            and shown_pair.product_number = decided_pair.product_number
            and shown_pair.event_type = decided_pair.event_type
            and shown_pair.status = decided_pair.status
            and shown_pair.is_shared = decided_pair.is_shared
            and shown_pair.level >= decided_pair.level
            and shown_pair.known_since >= decided_pair.known_since
    group by
        shown_pair.disease_id,
        shown_pair.drug_id,
        shown_pair.event_type,
        shown_pair.status,
        shown_pair.medicine_id,
        shown_pair.level,
        shown_pair.known_since,
        shown_pair.is_shared
),

dated_pair as (
    select
        shown_pair.*,
        medicine_version.released_on,
        if(medicine_version.is_first, null, medicine_version.previous_on) as previous_on,
        least(
            medicine_version.text_released_on, area_version.text_released_on
        ) as text_released_on,
        if(
            area_version.text_position < medicine_version.text_position,
            area_version.text_previous_on,
            medicine_version.text_previous_on
        ) as text_previous_on,
        shown_pair.event_type = 'ema_authorised'
        and least(medicine_version.text_position, area_version.text_position)
        > first_authorisation.position as is_extension
    from shown_pair
    inner join first_version
        using (
            disease_id, drug_id, event_type, status, medicine_id, level, known_since, is_shared
        )
    inner join medicine_version on first_version.first_medicine_id = medicine_version.medicine_id
    left join first_authorisation
        on shown_pair.product_number = first_authorisation.product_number
    left join first_area
        on
            shown_pair.product_number = first_area.product_number
            and replace(shown_pair.disease_alias, ' [MeSH]', '') = first_area.area_name
    left join medicine_version as area_version
        on first_area.area_medicine_id = area_version.medicine_id
)

select
    dated_pair.disease_id,
    dated_pair.drug_id,
    dated_pair.event_type,
    if(dated_pair.event_type = 'ema_authorised', cast(4 as double), null) as phase,
    if(
        dated_pair.is_extension,
        dated_pair.text_released_on,
        coalesce(dated_pair.decided_on, dated_pair.released_on)
    ) as event_date,
    case
        when dated_pair.is_extension then dated_pair.text_previous_on
        when dated_pair.decided_on is null then dated_pair.previous_on
        else cast(dated_pair.decided_on - 1 as date)
    end as public_after,
    if(
        dated_pair.is_extension,
        dated_pair.text_released_on,
        coalesce(dated_pair.decided_on, dated_pair.released_on)
    ) as public_by,
    'ema' as source,
    medicine.release_id,
    dated_pair.product_number as record,
    dated_pair.drug_alias,
    dated_pair.disease_alias,
    dated_pair.match_kind,
    json_object(
        'record', dated_pair.product_number,
        'phase', if(dated_pair.event_type = 'ema_authorised', 4, null),
        'status', nullif(dated_pair.status, ''),
        'name', medicine.name,
        'area', dated_pair.area,
        'url', medicine.url,
        'drug_alias', dated_pair.drug_alias,
        'disease_alias', dated_pair.disease_alias
    ) as detail
from dated_pair
inner join medicine using (medicine_id)
