-- Title:   Withdrawals and boxed warnings of drugs
-- Formula: the first release of ChEMBL that states the class, country and year of a withdrawal, or
--          of a boxed warning, of the drug, under whatever id
-- Units:   as in the ledger; event date is the day of the release, public after the release before
--          it that has warnings; no disease is named; the year that is stated is in the detail
-- Grain:   drug_id, event_type, record, release_id
with first_statement as (
    select
        drug_id,
        if(lower(warning_type) = 'withdrawn', 'drug_withdrawn', 'drug_warning') as event_type,
        min_by(
            {
                'release_id': release_id,
                'record': record,
                'drug_alias': drug_alias,
                'strength': strength,
                'released_on': released_on,
                'previous_on': previous_on
            },
            (position, length(record), record)
        ) as shown
    from warned_drug
    where lower(warning_type) in ('withdrawn', 'black box warning')
    group by
        drug_id, lower(warning_type) = 'withdrawn', warning_class, warning_country, warning_year
)

select
    cast(null as integer) as disease_id,
    first_statement.drug_id,
    first_statement.event_type,
    cast(null as double) as phase,
    first_statement.shown.released_on as event_date,
    if(
        first_statement.shown.previous_on >= first_statement.shown.released_on,
        cast(first_statement.shown.released_on - 1 as date),
        first_statement.shown.previous_on
    ) as public_after,
    first_statement.shown.released_on as public_by,
    'chembl' as source,
    first_statement.shown.release_id,
    first_statement.shown.record,
    first_statement.shown.drug_alias,
    cast(null as varchar) as disease_alias,
    match_kind.match_kind,
    json_object(
        'record', drug_warning.record,
        'chembl_id', drug_warning.chembl_id,
        'class', drug_warning.warning_class,
        'country', drug_warning.warning_country,
        'year', drug_warning.warning_year,
        'description', drug_warning.warning_description,
        'efo_id', drug_warning.efo_id,
        'efo_term', drug_warning.efo_term,
        'drug_alias', first_statement.shown.drug_alias
    ) as detail
from first_statement
inner join drug_warning
    on
        first_statement.shown.release_id = drug_warning.release_id
        and first_statement.shown.record = drug_warning.record
inner join match_kind on first_statement.shown.strength = match_kind.strength
