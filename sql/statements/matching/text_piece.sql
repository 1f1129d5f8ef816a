-- Title:      The pieces of each text: the whole, and what is outside and inside its parentheses
-- Reads:      plain_spelling, registry_text
-- Creates:    text_piece
-- Note:       A placebo for a drug is not the drug, and what comes before 'inhibitors' and the like
--             says of which class: only as a whole may such a text be a name ('c1 inhibitor'). Of a
--             disease's name an abbreviation goes, in parentheses or after a comma, colon, slash
--             or dash, before or after the name: its letters are the initials of the name's words,
--             all or the last, as in 'severe x y z (xyz)' and 'xyz - x y z', never '(type 2)'.
with plain_text as (
    select distinct
        registry_text.entity_kind,
        coalesce(plain_spelling.plain, registry_text.folded_text) as plain
    from registry_text
    left join plain_spelling on registry_text.folded_text = plain_spelling.folded
),

voided as (
    select
        entity_kind,
        plain,
        case
            when
                entity_kind = 'disease'
                or not regexp_matches(plain, 'placebo|sham|vehicle|dummy')
                then plain
            when regexp_matches(plain, '[(\[] *(matching )?placebos? *[)\]]') then 'placebo'
            else regexp_replace(
                plain,
                '\b(placebos?|sham|vehicle|dummy)\b[^+;,&)]{0,16}?'
                || '\b(for|of|to|match\w*)\b[^+;,&)]*',
                'placebo',
                'g'
            )
        end as voided
    from plain_text
),

spoken as (
    select
        entity_kind,
        plain,
        voided,
        if(
            entity_kind = 'drug'
            and regexp_matches(voided, 'agonist|inhibitor|blocker|modulator|secretagogue|analog'),
            regexp_replace(
                regexp_replace(
                    voided,
                    '\b(plus|with|versus|vs|then|followed by|in combination)\b',
                    ' ; \1 ',
                    'g'
                ),
                '[^+,;:()\[\]]*\b((ant)?agonist|inhibitor|blocker|modulator|secretagogue|'
                || 'analog(ue)?)s?\b',
                ' class',
                'g'
            ),
            voided
        ) as spoken
    from voided
),

aside as (
    select
        entity_kind,
        plain,
        spoken,
        trim(
            regexp_replace(
                regexp_replace(spoken, '[(\[{][^()\[\]{}]*[)\]}]', ' ', 'g'), '\s+', ' ', 'g'
            )
        ) as outside,
        regexp_extract_all(spoken, '[(\[{]([^()\[\]{}]*)[)\]}]', 1) as asides,
        regexp_extract(spoken, '^[^(\[{]*') as before
    from spoken
    where regexp_matches(spoken, '[(\[{][^()\[\]{}]*[)\]}]')
),

divided as (
    select
        plain,
        string_split_regex(spoken, '\s*[,:/]\s*|\s+-\s+') as parts
    from spoken
    where entity_kind = 'disease' and regexp_matches(spoken, '[,:/]| - ')
),

-- A disease's name, what may abbreviate it, and the piece that is left without that.
apposition as (
    select
        plain,
        before as words,
        asides[1] as short,
        outside as part,
        'outside' as place
    from aside
    where entity_kind = 'disease' and len(asides) = 1
    union all
    select
        plain,
        asides[1] as words,
        outside as short,
        asides[1] as part,
        'inside' as place
    from aside
    where entity_kind = 'disease' and len(asides) = 1
    union all
    select
        plain,
        parts[1] as words,
        parts[2] as short,
        parts[1] as part,
        'outside' as place
    from divided
    where len(parts) = 2
    union all
    select
        plain,
        parts[2] as words,
        parts[1] as short,
        parts[2] as part,
        'inside' as place
    from divided
    where len(parts) = 2
),

lettered as (
    select
        plain,
        part,
        place,
        string_split(regexp_replace(short, '[^a-z0-9]', '', 'g'), '') as letters,
        regexp_extract_all(words, '\b[a-z0-9]') as initials,
        regexp_extract_all(
            regexp_replace(words, '\b(of|the|and|in)\b', ' ', 'g'), '\b[a-z0-9]'
        ) as main_initials
    from apposition
),

piece as (
    select
        entity_kind,
        plain,
        spoken as part,
        'whole' as place
    from spoken
    union all
    select
        entity_kind,
        plain,
        voided as part,
        'class' as place
    from spoken
    where spoken <> voided
    union all
    select
        entity_kind,
        plain,
        outside as part,
        'outside' as place
    from aside
    where entity_kind = 'drug' and outside <> ''
    union all
    select
        'disease' as entity_kind,
        plain,
        part,
        place
    from lettered
    where
        len(letters) > 1
        and list_sort(letters) in (
            list_sort(initials[-len(letters):]), list_sort(main_initials[-len(letters):])
        )
    union all
    select
        entity_kind,
        plain,
        unnest(asides) as part,
        'inside' as place
    from aside
    where entity_kind = 'drug'
)

select
    entity_kind,
    plain,
    part,
    place
from piece
