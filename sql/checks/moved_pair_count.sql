-- Title:   What was moved out of entries of the log are the pairs of sealed sets
-- When:    audit
-- Grain:   candidate_set_id
with moved_step as (
    select
        moved_entry.candidate_set_id,
        log_entry.table_name,
        lag(moved_entry.n_rows, 1, log_entry.n_rows) over (
            partition by moved_entry.entry_id order by moved_entry.n_rows desc
        ) - moved_entry.n_rows as n_moved
    from moved_entry
    left join log_entry using (entry_id)
),

moved_set as (
    select
        candidate_set_id,
        sum(n_moved) as n_moved,
        coalesce(bool_and(table_name = 'candidate' and n_moved >= 1), false) as is_of_candidates
    from moved_step
    group by candidate_set_id
)

select
    moved_set.candidate_set_id,
    'the log says that other rows were moved than the set has' as reason
from moved_set
inner join candidate_set using (candidate_set_id)
where
    not moved_set.is_of_candidates
    or moved_set.n_moved is distinct from candidate_set.n_pairs
