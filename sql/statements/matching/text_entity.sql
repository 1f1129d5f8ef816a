-- Title:      Whom each text names, by each kind and place
-- Reads:      bearer_term, exact_claim, key_claim, mention, text_key, text_part,
--             vocabulary_parent
-- Creates:    text_entity
-- Note:       A key counts where no name equals the part, or one of the same bearer does; the
--             light key, which keeps the salt, comes before the key without it. Bearers that are
--             no entity of the store matter for diseases, which they may be kinds of. The head of
--             a text says what it is a kind of where no vocabulary does.
with exact_hit as (
    select
        text_part.entity_kind,
        text_part.plain,
        text_part.place,
        text_part.part,
        case
            when text_part.place in ('whole', 'class') then exact_claim.strength
            when text_part.place = 'member' then 7
            else greatest(exact_claim.strength, 6)
        end as strength,
        exact_claim.bearer,
        exact_claim.entity_id,
        exact_claim.alias_value,
        exact_claim.via,
        exact_claim.known_since
    from text_part
    inner join exact_claim
        on
            text_part.entity_kind = exact_claim.entity_kind
            and text_part.part = exact_claim.value
    where exact_claim.n_bearers = 1 and text_part.place <> 'head'
),

claimed_key as (
    select
        text_key.entity_kind,
        text_key.plain as part,
        text_key.form,
        key_claim.n_bearers,
        key_claim.bearer,
        key_claim.entity_id,
        key_claim.alias_value,
        nullif(key_claim.via, '') as via,
        key_claim.known_since
    from text_key
    inner join key_claim
        on text_key.entity_kind = key_claim.entity_kind and text_key.key = key_claim.value
),

light_part as (
    select
        entity_kind,
        part
    from claimed_key
    where form = 'light'
),

best_key as (
    select *
    from claimed_key
    where form = 'light'
    union all
    select claimed_key.*
    from claimed_key
    anti join light_part
        on
            claimed_key.entity_kind = light_part.entity_kind
            and claimed_key.part = light_part.part
    where claimed_key.form = 'key'
),

holder as (
    select distinct
        entity_kind,
        value,
        if(n_bearers = 1, bearer, '') as bearer
    from exact_claim
),

key_hit as (
    select
        text_part.entity_kind,
        text_part.plain,
        text_part.place,
        text_part.part,
        if(text_part.place = 'member' or starts_with(best_key.bearer, 'combination '), 7, 6)
            as strength,
        best_key.bearer,
        best_key.entity_id,
        best_key.alias_value,
        best_key.via,
        best_key.known_since
    from text_part
    inner join best_key
        on
            text_part.entity_kind = best_key.entity_kind
            and text_part.part = best_key.part
    left join holder
        on text_part.entity_kind = holder.entity_kind and text_part.part = holder.value
    where
        best_key.n_bearers = 1
        and text_part.place <> 'head'
        and coalesce(holder.bearer, best_key.bearer) = best_key.bearer
),

core_hit as (
    select
        text_part.entity_kind,
        text_part.plain,
        text_part.place,
        text_part.part,
        9 as strength,
        claimed_key.bearer,
        claimed_key.entity_id,
        claimed_key.alias_value,
        claimed_key.via,
        claimed_key.known_since
    from text_part
    inner join claimed_key
        on
            text_part.entity_kind = claimed_key.entity_kind
            and text_part.part = claimed_key.part
    where claimed_key.n_bearers = 1 and claimed_key.form = 'core'
),

-- Terms that a vocabulary puts below others: it knows what they are kinds of.
placed_bearer as (
    select distinct bearer_term.bearer
    from bearer_term
    semi join vocabulary_parent on bearer_term.term_id = vocabulary_parent.term_id
),

named_text as (
    select
        text_part.plain,
        exact_claim.n_bearers,
        exact_claim.bearer,
        exact_claim.entity_id
    from text_part
    inner join exact_claim
        on
            text_part.entity_kind = exact_claim.entity_kind
            and text_part.part = exact_claim.value
    where text_part.entity_kind = 'disease' and text_part.place in ('whole', 'outside', 'inside')
    union all
    select
        text_part.plain,
        claimed_key.n_bearers,
        claimed_key.bearer,
        claimed_key.entity_id
    from text_part
    inner join claimed_key
        on
            text_part.entity_kind = claimed_key.entity_kind
            and text_part.part = claimed_key.part
    where
        text_part.entity_kind = 'disease'
        and text_part.place in ('whole', 'outside', 'inside')
        and claimed_key.form = 'key'
),

known_text as (
    select
        named_text.plain,
        bool_or(
            named_text.n_bearers > 1
            or named_text.entity_id is not null
            or placed_bearer.bearer is not null
        ) as is_placed
    from named_text
    left join placed_bearer on named_text.bearer = placed_bearer.bearer
    group by named_text.plain
),

longest_head as (
    select
        text_part.entity_kind,
        text_part.plain,
        text_part.place,
        text_part.part,
        claimed_key.bearer,
        claimed_key.entity_id,
        claimed_key.alias_value,
        claimed_key.via,
        claimed_key.known_since,
        claimed_key.n_bearers
    from text_part
    inner join claimed_key
        on
            text_part.entity_kind = claimed_key.entity_kind
            and text_part.part = claimed_key.part
    where text_part.place = 'head' and claimed_key.form = 'key'
    qualify
        rank() over (partition by text_part.plain order by length(text_part.part) desc) = 1
),

-- 'hypertension' alone is the head of 'pulmonary hypertension', which is none: of one word a name
-- counts if it is a malignancy's, or if a vocabulary that says what is below what lacks the text.
head_hit as (
    select
        longest_head.entity_kind,
        longest_head.plain,
        longest_head.place,
        longest_head.part,
        9 as strength,
        longest_head.bearer,
        longest_head.entity_id,
        longest_head.alias_value,
        longest_head.via,
        longest_head.known_since
    from longest_head
    left join known_text on longest_head.plain = known_text.plain
    left join placed_bearer on longest_head.bearer = placed_bearer.bearer
    where
        longest_head.n_bearers = 1
        and if(
            contains(longest_head.part, ' ')
            or regexp_full_match(
                longest_head.part,
                'cancer|leuka?emia|\w*(carcinoma|sarcoma|lymphoma|melanoma|myeloma|blastoma|glioma)'
            ),
            not coalesce(known_text.is_placed, false),
            known_text.plain is null and placed_bearer.bearer is not null
        )
),

mention_hit as (
    select
        'drug' as entity_kind,
        plain,
        'mention' as place,
        part,
        8 as strength,
        'drug ' || entity_id as bearer,
        entity_id,
        alias_value,
        nullif(via, '') as via,
        known_since
    from mention
),

hit as (
    from exact_hit
    union all
    from key_hit
    union all
    from core_hit
    union all
    from head_hit
    union all
    from mention_hit
)

select
    entity_kind,
    plain,
    place,
    part,
    strength,
    bearer,
    entity_id,
    alias_value,
    via,
    known_since
from hit
where entity_id is not null or entity_kind = 'disease'
