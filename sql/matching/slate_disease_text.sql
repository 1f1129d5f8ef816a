-- Title:   Texts by which evidence refers to a slate's diseases
-- Formula: the slate's keys, and the texts that a kind of match which counts for it resolved to
--          a disease when the slate was recorded
-- Source:  docs/metrics.md#slate_disease_text
-- Units:   value as in disease_text; strength as in match_kind, the strongest; known_since is
--          the first instant
-- Grain:   slate_id, disease_id, value
with known_text as (
    select
        slate_id,
        disease_id,
        value,
        strength,
        known_since
    from slate_disease_key
    union all
    select
        slate_match_kind.slate_id,
        disease_match_period.disease_id,
        disease_match_period.value,
        disease_match_period.strength,
        disease_match_period.known_since
    from slate_match_kind
    inner join disease_match_period
        on
            slate_match_kind.strength = disease_match_period.strength
            and slate_match_kind.recorded_at >= disease_match_period.known_since
            and coalesce(slate_match_kind.recorded_at < disease_match_period.known_until, true)
)

select
    slate_id,
    disease_id,
    value,
    min(strength) as strength,
    min(known_since) as known_since
from known_text
group by slate_id, disease_id, value
