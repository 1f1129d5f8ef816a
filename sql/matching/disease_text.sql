-- Title:   Texts by which evidence refers to diseases
-- Formula: the keys of each disease, and every text of the registry that was resolved to it
-- Source:  docs/metrics.md#disease_text
-- Units:   value is a key, or a text, with the id of a MeSH term in brackets; level is 0 for a key,
--          else the strength of the match; strength as in match_kind; is_shared where the value
--          means the disease no longer to slates recorded now
-- Grain:   disease_id, value, level, known_since
select
    disease_id,
    value,
    0 as level,
    strength,
    known_since,
    is_shared
from disease_key
union all
select
    disease_id,
    value,
    strength as level,
    strength,
    known_since,
    known_until is not null as is_shared
from disease_match_period
