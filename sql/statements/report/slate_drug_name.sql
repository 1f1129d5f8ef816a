-- Title:      The names of the drugs of a slate and of its candidate set
-- Reads:      drug_alias, prediction, candidate, slate_sets
with slate_drug as (
    select drug_id
    from prediction
    where slate_id = :slate_id
    union
    select candidate.drug_id
    from candidate
    inner join slate_sets on candidate.candidate_set_id = slate_sets.candidate_set_id
    where slate_sets.slate_id = :slate_id
)

select distinct drug_alias.value
from drug_alias
inner join slate_drug on drug_alias.drug_id = slate_drug.drug_id
where drug_alias.kind in ('name', 'synonym')
order by drug_alias.value
