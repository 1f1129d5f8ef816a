-- Title:      The keys under which names and texts compare
-- Reads:      match_rewrite, match_word, spelled_text
-- Creates:    text_key
-- Parameters: none
-- Note:       Words are made singular and rewritten, and fillers dropped. A drug's words keep their
--             order, and its form 'light' keeps the salt; a disease's are sorted, each once. No key
--             is left of 'sodium chloride' or of single letters.
with worded as (
    select
        entity_kind,
        plain,
        form,
        unnest(words) as word,
        generate_subscripts(words, 1) as position
    from spelled_text
    where form <> 'spoken'
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

term as (
    select
        singular.entity_kind,
        singular.word,
        coalesce(
            given_rewrite.becomes, singular_rewrite.becomes, singular.singular
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

kept as (
    select
        worded.entity_kind,
        worded.plain,
        worded.form,
        worded.position,
        worded.word,
        term.becomes,
        term.dropped
    from worded
    inner join term on worded.entity_kind = term.entity_kind and worded.word = term.word
    where term.dropped < 2
),

drug_key as (
    select
        plain,
        form,
        list_sort(list(struct_pack(place := position, word := becomes)) filter (where dropped = 0))
            as key,
        list_sort(list(struct_pack(place := position, word := becomes))) as light_key,
        count(*) filter (where dropped = 1) as n_salts
    from kept
    where entity_kind = 'drug'
    group by plain, form
),

numbered as (
    select
        kept.plain,
        kept.form,
        case
            when
                kept.word in ('i', 'ii', 'iii', 'iv')
                and list_contains(['type', 'class'], spelled_text.words[kept.position - 1])
                then cast(list_position(['i', 'ii', 'iii', 'iv'], kept.word) as varchar)
            else kept.becomes
        end as becomes
    from kept
    inner join spelled_text using (entity_kind, plain, form)
    where kept.entity_kind = 'disease' and kept.word in ('i', 'ii', 'iii', 'iv')
    union all
    select
        plain,
        form,
        becomes
    from kept
    where entity_kind = 'disease' and word not in ('i', 'ii', 'iii', 'iv')
),

disease_key as (
    select
        plain,
        form,
        array_to_string(list_sort(list_distinct(list(becomes))), ' ') as key
    from numbered
    group by plain, form
),

found as (
    select
        'drug' as entity_kind,
        plain,
        form,
        array_to_string(list_transform(key, lambda entry: entry.word), ' ') as key,
        n_salts > 0 as has_lost_salt
    from drug_key
    union all
    select
        'drug' as entity_kind,
        plain,
        'light' as form,
        array_to_string(list_transform(light_key, lambda entry: entry.word), ' ') as key,
        false as has_lost_salt
    from drug_key
    where form = 'key' and n_salts > 0
    union all
    select
        'disease' as entity_kind,
        plain,
        form,
        key,
        false as has_lost_salt
    from disease_key
)

select
    entity_kind,
    plain,
    form,
    key,
    has_lost_salt
from found
where regexp_matches(key, '[a-z]{3}|[a-z]+[0-9]|[0-9]+[a-z]')
