-- Title:      The drugs whose names are words of an intervention, the longest name first
-- Reads:      match_word, mentioned_name, spelled_text, text_part
-- Creates:    mention
-- Parameters: none
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

searched as (
    select
        searched_part.plain,
        searched_part.part,
        spelled_text.words
    from searched_part
    inner join spelled_text on searched_part.part = spelled_text.plain
    where spelled_text.entity_kind = 'drug' and spelled_text.form = 'spoken'
),

start as (
    select
        plain,
        part,
        words,
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
        start.plain,
        start.part,
        start.words,
        start.starts_at,
        start.starts_at + name_length.n_words - 1 as ends_at,
        array_to_string(
            start.words[start.starts_at:start.starts_at + name_length.n_words - 1], ' '
        ) as gram
    from start
    inner join name_length on start.first_word = name_length.first_word
    where start.starts_at + name_length.n_words - 1 <= len(start.words)
),

found as (
    select
        gram.plain,
        gram.part,
        gram.words,
        gram.starts_at,
        gram.ends_at,
        mentioned_name.n_bearers,
        mentioned_name.entity_id,
        mentioned_name.alias_value,
        mentioned_name.via,
        mentioned_name.known_since
    from gram
    inner join mentioned_name on gram.gram = mentioned_name.words
    -- Of the names that start at a word the longest; each then ends after all before it, or is
    -- within one of them.
    qualify
        gram.ends_at = max(gram.ends_at) over (
            partition by gram.plain, gram.part, gram.starts_at
        )
),

longest as (
    select *
    from found
    qualify
        ends_at > coalesce(
            max(ends_at) over (
                partition by plain, part
                order by starts_at
                rows between unbounded preceding and 1 preceding
            ),
            0
        )
)

select
    longest.plain,
    array_to_string(longest.words[longest.starts_at:longest.ends_at], ' ') as part,
    longest.entity_id,
    longest.alias_value,
    longest.via,
    longest.known_since
from longest
anti join match_word as before_word
    on
        longest.words[longest.starts_at - 1] = before_word.word
        and before_word.entity_kind = 'drug'
        and before_word.usage = 'before'
anti join match_word as after_word
    on
        longest.words[longest.ends_at + 1] = after_word.word
        and after_word.entity_kind = 'drug'
        and after_word.usage = 'after'
where longest.n_bearers = 1 and longest.entity_id is not null
