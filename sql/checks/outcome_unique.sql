-- Title:   An outcome is recorded once
-- When:    write
-- Grain:   outcome_id
select
    min(outcome_id) as outcome_id,
    count(*) as n_rows,
    'the same outcome is recorded more than once' as reason
from outcome
group by
    slate_id, disease_id, drug_id, outcome_type, event_date, first_public_on, source, detail
having count(*) > 1
