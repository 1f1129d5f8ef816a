-- Title:      The names of drugs that may be found within a text, as words
-- Reads:      entity_name, match_word, spelled_text
-- Creates:    mentioned_name
-- Note:       Of one to eight words; a single word has at least four characters and is not common.
--             n_bearers above 1 is a name that matches no one. A combination has a row for each of
--             its members.
with spoken as (
    select
        array_to_string(spelled_text.words, ' ') as words,
        spelled_text.words[1] as first_word,
        len(spelled_text.words) as n_words,
        entity_name.plain,
        entity_name.bearer,
        entity_name.entity_id,
        entity_name.strength,
        entity_name.alias_value,
        entity_name.via,
        entity_name.known_since
    from entity_name
    inner join spelled_text using (entity_kind, plain)
    where
        entity_name.entity_kind = 'drug'
        and spelled_text.form = 'spoken'
        and length(entity_name.plain) >= 4
        and len(spelled_text.words) between 1 and 8
),

usable as (
    select *
    from spoken
    where
        not (n_words = 1 and (length(words) < 4 or regexp_full_match(words, '[0-9]+')))
        and not regexp_full_match(words, '[0-9a-z]( [0-9a-z])*')
        and words not in (
            select match_word.word from match_word
            where match_word.entity_kind = 'drug'
        )
    qualify strength = min(strength) over (partition by words)
)

select
    words,
    first_word,
    n_words,
    entity_id,
    count(distinct bearer) over (partition by words) as n_bearers,
    arg_min(alias_value, (known_since, plain)) as alias_value,
    arg_min(coalesce(via, ''), (known_since, plain)) as via,
    min(known_since) as known_since
from usable
group by words, first_word, n_words, bearer, entity_id
