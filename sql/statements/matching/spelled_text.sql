-- Title:      The words of each name and part of a text, spelled one way, in the forms compared
-- Reads:      text_without_dose, entity_name, match_word, text_part, unqualified_text
-- Creates:    spelled_text
-- Note:       Form 'key' has no amounts (drugs) and no tags such as NOS (diseases); 'inverted' is
--             B A of a drug's name A, B; 'core' lacks a disease's qualifiers; 'spoken' has all
--             the words of a drug's name. Words have letters and digits of every script: without
--             its superscript an isotope would be another.
with given_name as (
    select distinct
        entity_kind,
        plain
    from entity_name
    union
    select
        entity_kind,
        part as plain
    from text_part
),

formed as (
    select
        given_name.entity_kind,
        given_name.plain,
        'key' as form,
        if(
            given_name.entity_kind = 'drug',
            coalesce(text_without_dose.text_without_dose, given_name.plain),
            given_name.plain
        ) as given
    from given_name
    left join text_without_dose on given_name.plain = text_without_dose.plain
    union all
    select
        entity_kind,
        plain,
        'spoken' as form,
        plain as given
    from given_name
    where entity_kind = 'drug'
    union all
    select distinct
        entity_kind,
        plain,
        'inverted' as form,
        regexp_replace(plain, '^([^,]+), *([^,]+)$', '\2 \1') as given
    from entity_name
    where entity_kind = 'drug' and regexp_full_match(plain, '[^,0-9]+, *[^,]+')
    union all
    select
        'disease' as entity_kind,
        plain,
        'core' as form,
        unqualified as given
    from unqualified_text
),

greek as (
    select
        entity_kind,
        plain,
        form,
        case
            when regexp_matches(given, '[αβγδκωµ'']')
                then regexp_replace(
                    replace(
                        replace(
                            replace(
                                replace(
                                    replace(
                                        replace(replace(given, 'α', ' alpha '), 'β', ' beta '),
                                        'γ',
                                        ' gamma '
                                    ),
                                    'δ',
                                    ' delta '
                                ),
                                'κ',
                                ' kappa '
                            ),
                            'ω',
                            ' omega '
                        ),
                        'µ',
                        'μ'
                    ),
                    '''s\b',
                    '',
                    'g'
                )
            else given
        end as spelled
    from formed
),

american as (
    select
        entity_kind,
        plain,
        form,
        case
            when regexp_matches(spelled, 'aem|oe|tumour|paed|rrhoea')
                then replace(
                    replace(
                        replace(
                            regexp_replace(
                                regexp_replace(
                                    regexp_replace(spelled, '\bhaem', 'hem', 'g'),
                                    '\boe(soph|dem|str)',
                                    'e\1',
                                    'g'
                                ),
                                '\bpaed',
                                'ped',
                                'g'
                            ),
                            'aemi',
                            'emi'
                        ),
                        'tumour',
                        'tumor'
                    ),
                    'rrhoea',
                    'rrhea'
                )
            else spelled
        end as spelled
    from greek
),

-- The salts of 'mycophenolic acid' are mycophenolates, but 'citric acid' is no salt.
ionic as (
    select
        entity_kind,
        plain,
        form,
        case
            when
                entity_kind = 'drug'
                and form <> 'spoken'
                and regexp_matches(spelled, '[a-z]{3}ic acid\b')
                and regexp_extract(spelled, '([a-z]+)ic acid\b', 1) || 'ate' not in (
                    select match_word.word from match_word
                    where match_word.usage = 'salt'
                )
                then regexp_replace(spelled, '([a-z]+)ic acid\b', '\1ate')
            else spelled
        end as spelled
    from american
),

untagged as (
    select
        entity_kind,
        plain,
        form,
        case
            when
                entity_kind = 'disease'
                and regexp_matches(spelled, '\b(not otherwise|nos|unspec|ajcc)|\(')
                then regexp_replace(
                    spelled,
                    '\(?\b(not otherwise specified|nos|unspecified|unspec)\b\)?'
                    || '|\((disorder|finding|morphologic abnormality|disease)\)'
                    || '|\bajcc v\d+\b',
                    ' ',
                    'g'
                )
            else spelled
        end as spelled
    from ionic
)

select
    entity_kind,
    plain,
    form,
    regexp_extract_all(spelled, '[\p{L}\p{M}\p{N}]+') as words
from untagged
