-- Title:   Texts by which evidence refers to drugs
-- Formula: the keys of each drug, and every text of the registry that was resolved to it
-- Source:  docs/metrics.md#drug_text
-- Units:   value is a key, or a text, with the id of a MeSH term in brackets; level is 0 for a key,
--          else the strength of the match; strength as in match_kind; is_shared where the value
--          means the drug no longer to slates recorded now
-- Grain:   drug_id, value, level, known_since
select
    drug_id,
    value,
    0 as level,
    strength,
    known_since,
    is_shared
from drug_key
union all
select
    drug_id,
    value,
    strength as level,
    strength,
    known_since,
    known_until is not null as is_shared
from drug_match_period
