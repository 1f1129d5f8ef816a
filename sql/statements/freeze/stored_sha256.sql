-- Title:      SHA-256 of the canonical bytes of a stored slate
-- Reads:      prediction_line
select
    sha256(
        :header || string_agg(line || chr(10), '' order by disease_identifier, drug_identifier)
    ) as sha256
from prediction_line
where slate_id = :slate_id
