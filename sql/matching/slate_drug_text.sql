-- Title:   Texts by which evidence refers to a slate's drugs
-- Formula: the slate's keys, and the texts that a kind of match which counts for it resolved to
--          a drug when the slate was recorded, or the candidates attached with which it came
-- Source:  docs/metrics.md#slate_drug_text
-- Units:   value as in drug_text; strength as in match_kind, the strongest; known_since is
--          the first instant
-- Grain:   slate_id, drug_id, value
with known_text as (
    select
        slate_id,
        drug_id,
        value,
        strength,
        known_since
    from slate_drug_key
    union all
    select
        slate_match_kind.slate_id,
        drug_match_period.drug_id,
        drug_match_period.value,
        drug_match_period.strength,
        drug_match_period.known_since
    from slate_match_kind
    inner join drug_match_period
        on
            slate_match_kind.strength = drug_match_period.strength
            and slate_match_kind.recorded_at >= drug_match_period.known_since
            and coalesce(slate_match_kind.recorded_at < drug_match_period.known_until, true)
    union all
    select
        attached_drug.slate_id,
        attached_drug.drug_id,
        drug_match_period.value,
        drug_match_period.strength,
        drug_match_period.known_since
    from attached_drug
    inner join slate_match_kind on attached_drug.slate_id = slate_match_kind.slate_id
    inner join drug_match_period
        on
            attached_drug.drug_id = drug_match_period.drug_id
            and slate_match_kind.strength = drug_match_period.strength
            and attached_drug.known_by >= drug_match_period.known_since
            and coalesce(attached_drug.known_by < drug_match_period.known_until, true)
)

select
    slate_id,
    drug_id,
    value,
    min(strength) as strength,
    min(known_since) as known_since
from known_text
group by slate_id, drug_id, value
