-- Title:      The keys under which names and texts compare
-- Reads:      entity_name, match_rewrite, match_word, spelled_text
-- Creates:    text_key
-- Note:       Words are made singular and rewritten, and fillers dropped. A drug's words keep their
--             order, and its form 'light' keeps the salt; a disease's are sorted, each once. No key
--             is left of 'sodium chloride' or of single letters, and a text with a word that no
--             name has gets none.
with numbered as materialized (
    select
        entity_kind,
        plain,
        form,
        words,
        row_number() over () as text_id
    from spelled_text
    where form <> 'spoken'
),

worded as (
    select
        text_id,
        entity_kind,
        unnest(words) as word,
        generate_subscripts(words, 1) as place
    from numbered
),

distinct_word as (
    select distinct
        entity_kind,
        word
    from worded
),

singular as (
    select
        entity_kind,
        word,
        case
            when length(word) <= 3 or regexp_matches(word, '(ss|us|is)$|[0-9]') then word
            when word like '%ies' and length(word) > 5 then word[:-4] || 'y'
            when word like '%s' then word[:-2]
            else word
        end as singular
    from distinct_word
),

term as materialized (
    select
        singular.entity_kind,
        singular.word,
        coalesce(
            given_rewrite.becomes,
            singular_rewrite.becomes,
            if(
                singular.entity_kind = 'drug',
                replace(
                    replace(
                        replace(
                            replace(replace(singular.singular, 'ph', 'f'), 'th', 't'), 'ae', 'e'
                        ),
                        'oe',
                        'e'
                    ),
                    'y',
                    'i'
                ),
                singular.singular
            )
        ) as becomes,
        case match_word.usage when 'salt' then 1 when 'filler' then 2 else 0 end as dropped
    from singular
    left join match_rewrite as given_rewrite
        on
            singular.entity_kind = given_rewrite.entity_kind
            and singular.word = given_rewrite.word
    left join match_rewrite as singular_rewrite
        on
            singular.entity_kind = singular_rewrite.entity_kind
            and singular.singular = singular_rewrite.word
    left join match_word
        on
            singular.entity_kind = match_word.entity_kind
            and singular.word = match_word.word
            and match_word.usage in ('salt', 'filler')
),

-- The words of names, to leave out at once the many texts that can have no name's key.
name_word as (
    select
        numbered.entity_kind,
        unnest(numbered.words) as word
    from numbered
    semi join entity_name
        on numbered.entity_kind = entity_name.entity_kind and numbered.plain = entity_name.plain
),

known_word as (
    select distinct
        term.entity_kind,
        term.becomes
    from name_word
    inner join term on name_word.entity_kind = term.entity_kind and name_word.word = term.word
),

unknown_word as (
    select
        term.entity_kind,
        term.word
    from term
    anti join known_word
        on term.entity_kind = known_word.entity_kind and term.becomes = known_word.becomes
    where term.dropped = 0 and term.word not in ('i', 'ii', 'iii', 'iv')
),

unknown_text as (
    select distinct worded.text_id
    from worded
    semi join unknown_word
        on worded.entity_kind = unknown_word.entity_kind and worded.word = unknown_word.word
),

known_text as materialized (
    select
        numbered.entity_kind,
        numbered.plain,
        numbered.form,
        numbered.words,
        numbered.text_id
    from numbered
    anti join unknown_text on numbered.text_id = unknown_text.text_id
),

known_worded as (
    select
        text_id,
        entity_kind,
        unnest(words) as word,
        generate_subscripts(words, 1) as place,
        [''] || words as words_before
    from known_text
),

kept as (
    select
        known_worded.text_id,
        known_worded.entity_kind,
        known_worded.place,
        case
            when
                known_worded.entity_kind = 'disease'
                and known_worded.word in ('i', 'ii', 'iii', 'iv')
                and known_worded.words_before[known_worded.place] in ('type', 'class')
                then cast(
                    list_position(['i', 'ii', 'iii', 'iv'], known_worded.word) as varchar
                )
            else term.becomes
        end as word,
        term.dropped
    from known_worded
    inner join term
        on known_worded.entity_kind = term.entity_kind and known_worded.word = term.word
    where term.dropped < 2
),

keyed_drug as (
    select
        text_id,
        list_sort(list(struct_pack(place := place, word := word)) filter (where dropped = 0))
            as heavy,
        list_sort(list(struct_pack(place := place, word := word))) as light,
        count(*) filter (where dropped = 1) as n_salts
    from kept
    where entity_kind = 'drug'
    group by text_id
),

keyed_disease as (
    select
        text_id,
        array_to_string(list_sort(list_distinct(list(word))), ' ') as key
    from kept
    where entity_kind = 'disease'
    group by text_id
),

keyed as (
    select
        text_id,
        cast(null as varchar) as form,
        array_to_string(list_transform(heavy, lambda entry: struct_extract(entry, 'word')), ' ')
            as key,
        n_salts > 0 as has_lost_salt
    from keyed_drug
    union all
    select
        text_id,
        'light' as form,
        array_to_string(list_transform(light, lambda entry: struct_extract(entry, 'word')), ' ')
            as key,
        false as has_lost_salt
    from keyed_drug
    where n_salts > 0
    union all
    select
        text_id,
        cast(null as varchar) as form,
        key,
        false as has_lost_salt
    from keyed_disease
)

select
    known_text.entity_kind,
    known_text.plain,
    coalesce(keyed.form, known_text.form) as form,
    keyed.key,
    keyed.has_lost_salt
from keyed
inner join known_text on keyed.text_id = known_text.text_id
where
    regexp_matches(keyed.key, '[a-z]{3}|[a-z]+[0-9]|[0-9]+[a-z]')
    and (keyed.form is null or known_text.form = 'key')
