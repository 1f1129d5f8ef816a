-- Title:      Appends the references of the indications of a release
-- Reads:      new_indication, staged_reference
-- Writes:     indication_reference
-- Note:       a reference without a type is 'not stated'
select distinct
    new_indication.indication_id,
    coalesce(nullif(trim(staged_reference.ref_type), ''), 'not stated') as ref_type,
    staged_reference.ref_id
from staged_reference
inner join new_indication on staged_reference.source_key = new_indication.source_key
where staged_reference.ref_id is not null
