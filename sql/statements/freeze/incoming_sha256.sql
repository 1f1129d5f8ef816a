-- Title:      SHA-256 of the canonical bytes of a slate not yet stored
-- Reads:      incoming_line
select
    sha256(
        :header || string_agg(line || chr(10), '' order by disease_identifier, drug_identifier)
    ) as sha256
from incoming_line
