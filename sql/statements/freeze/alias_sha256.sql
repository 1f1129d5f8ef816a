-- Title:      SHA-256 of the aliases that the store had at an instant
-- Reads:      disease_alias, drug_alias
with alias_line as (
    select concat_ws(chr(9), 'drug', kind, value, drug_id) as line
    from drug_alias
    where added_at <= :until
    union all
    select concat_ws(chr(9), 'disease', kind, value, disease_id) as line
    from disease_alias
    where added_at <= :until
)

select sha256(coalesce(string_agg(line || chr(10), '' order by line), '')) as sha256
from alias_line
