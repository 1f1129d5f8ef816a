-- Title:      The drugs whose names are words of an intervention, the longest name first
-- Reads:      match_word, mentioned_name, spelled_text, text_part
-- Creates:    mention
-- Note:       'insulin glargine' covers 'insulin'. A name next to a guard is none: 'anti' before
--             it, 'receptor' after it. Parts count only where the whole is a placebo's.
with voided as (
    select plain
    from text_part
    where entity_kind = 'drug'
    group by plain
    having count(*) filter (where place = 'whole') = 0
),

searched_part as (
    select
        plain,
        part
    from text_part
    where entity_kind = 'drug' and place = 'whole'
    union all
    select
        text_part.plain,
        text_part.part
    from text_part
    inner join voided on text_part.plain = voided.plain
    where text_part.entity_kind = 'drug'
),

searched as materialized (
    select
        searched_part.plain,
        spelled_text.words,
        row_number() over () as text_id
    from searched_part
    inner join spelled_text on searched_part.part = spelled_text.plain
    where spelled_text.entity_kind = 'drug' and spelled_text.form = 'spoken'
),

start as (
    select
        text_id,
        unnest(words) as first_word,
        generate_subscripts(words, 1) as starts_at
    from searched
),

name_length as (
    select distinct
        first_word,
        n_words
    from mentioned_name
),

gram as (
    select
        searched.text_id,
        start.starts_at,
        start.starts_at + name_length.n_words - 1 as ends_at,
        array_to_string(
            searched.words[start.starts_at:start.starts_at + name_length.n_words - 1], ' '
        ) as gram
    from start
    inner join name_length on start.first_word = name_length.first_word
    inner join searched on start.text_id = searched.text_id
    where start.starts_at + name_length.n_words - 1 <= len(searched.words)
),

named as materialized (
    select
        gram.text_id,
        gram.starts_at,
        gram.ends_at,
        mentioned_name.words,
        mentioned_name.n_bearers,
        mentioned_name.entity_id,
        mentioned_name.alias_value,
        mentioned_name.via,
        mentioned_name.known_since
    from gram
    inner join mentioned_name on gram.gram = mentioned_name.words
),

-- A name within a longer one is none, unless that is the same drug's and was not known yet.
longest as (
    select named.*
    from named
    anti join named as wider
        on
            named.text_id = wider.text_id
            and named.starts_at >= wider.starts_at
            and named.ends_at <= wider.ends_at
            and named.words <> wider.words
            and not (
                wider.n_bearers = 1
                and named.entity_id is not distinct from wider.entity_id
                and named.known_since < wider.known_since
            )
)

select
    searched.plain,
    longest.words as part,
    longest.entity_id,
    longest.alias_value,
    longest.via,
    longest.known_since
from longest
inner join searched on longest.text_id = searched.text_id
anti join match_word as before_word
    on
        before_word.entity_kind = 'drug'
        and before_word.usage = 'before'
        and before_word.word = searched.words[longest.starts_at - 1]
anti join match_word as after_word
    on
        after_word.entity_kind = 'drug'
        and after_word.usage = 'after'
        and after_word.word = searched.words[longest.ends_at + 1]
where longest.n_bearers = 1 and longest.entity_id is not null
