-- Title:      The first study that AACT's other files describe and studies.txt lacks, and the
--             number of such studies
-- Reads:      staged_condition, staged_intervention, staged_study
with named as (
    select source_key from staged_condition
    union
    select source_key from staged_intervention
)

select
    named.source_key,
    count(*) over () as n_studies
from named
anti join staged_study on named.source_key = staged_study.source_key
order by named.source_key
limit 1
