-- Title:   Withdrawals of a drug in words
-- Result:  Diseases and drugs
-- Formula: of the drug_withdrawn events on record, one that the newest release of ChEMBL with
--          warnings still states, else one that it does not; of these that of the latest year, with
--          where and why, and how many more there are
-- Units:   text; one without a year is older than the others; the same for every slate; events
--          recorded after the as-of instant are left out
-- Grain:   drug_id
with newest_release as (
    select max_by(release_order.version, release_order.position) as version
    from release_order
    semi join drug_warning using (release_id)
),

shown as (
    select distinct
        drug_id,
        warning_class,
        warning_country,
        warning_year
    from warned_drug
    where next_release_id is null and lower(warning_type) = 'withdrawn'
),

withdrawal as (
    select
        drug_id,
        detail ->> 'class' as warning_class,
        detail ->> 'country' as warning_country,
        cast(detail ->> 'year' as integer) as warning_year,
        min_by(record, (public_by, event_id)) as record
    from event
    where
        event_type = 'drug_withdrawn'
        and recorded_at <= (select report_instant.as_of from report_instant)
    group by
        drug_id,
        detail ->> 'class',
        detail ->> 'country',
        cast(detail ->> 'year' as integer)
),

told as (
    select
        withdrawal.*,
        shown.drug_id is not null as is_shown
    from withdrawal
    left join shown
        on
            withdrawal.drug_id = shown.drug_id
            and withdrawal.warning_class is not distinct from shown.warning_class
            and withdrawal.warning_country is not distinct from shown.warning_country
            and withdrawal.warning_year is not distinct from shown.warning_year
),

numbered as (
    select
        *,
        row_number() over (
            partition by drug_id
            order by is_shown desc, warning_year desc nulls last, length(record) asc, record asc
        ) as nth,
        count(*) over (partition by drug_id, is_shown) - 1 as n_more
    from told
)

select
    numbered.drug_id,
    numbered.warning_year as withdrawn_year,
    numbered.is_shown,
    concat(
        concat_ws(' ', 'drug withdrawn', cast(numbered.warning_year as varchar)),
        ' (',
        concat_ws(
            '; ',
            numbered.warning_country,
            numbered.warning_class,
            if(numbered.record like 'CHEMBL%', '', 'ChEMBL warning ') || numbered.record
        ),
        ')',
        if(numbered.n_more > 0, concat(' and ', numbered.n_more, ' more'), ''),
        if(numbered.is_shown, '', concat('; no longer in ChEMBL ', newest_release.version))
    ) as drug_withdrawn
from numbered
cross join newest_release
where numbered.nth = 1
