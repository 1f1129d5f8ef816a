-- Title:   Texts by which evidence refers to drugs and diseases
-- Formula: the keys of each, and every text of the registry that was resolved to it
-- Units:   value is a key, or a text, with the id of a MeSH term in brackets; level is 0 for a key,
--          else the strength of the match; strength as in match_kind; is_shared where the value
--          means the drug or disease no longer to slates recorded now
-- Grain:   entity_kind, entity_id, value, level, known_since
select
    entity_kind,
    entity_id,
    value,
    0 as level,
    strength,
    known_since,
    is_shared
from entity_key
union all
select
    entity_kind,
    entity_id,
    value,
    strength as level,
    strength,
    known_since,
    known_until is not null as is_shared
from match_period
