-- Title:   A sealed set has all of its pairs in its files, and none in the store
-- When:    audit
-- Grain:   candidate_set_id
with part_total as (
    select
        candidate_set_id,
        count(*) as n_parts,
        sum(n_rows) as n_rows
    from sealed_part
    group by candidate_set_id
),

kept_set as (
    select distinct candidate_set_id from stored_candidate
)

select
    sealed_set.candidate_set_id,
    if(
        kept_set.candidate_set_id is null,
        'the files have other numbers of parts or rows than the set',
        'the store has pairs of the set, too'
    ) as reason
from sealed_set
inner join candidate_set using (candidate_set_id)
left join part_total using (candidate_set_id)
left join kept_set using (candidate_set_id)
where
    kept_set.candidate_set_id is not null
    or part_total.n_rows is distinct from candidate_set.n_pairs
    or part_total.n_parts is distinct from sealed_set.n_parts
