-- Title:   Candidates by score bin
-- Formula: candidates in each score bin, and candidates in the bins below it
-- Source:  docs/metrics.md#score_bin_count
-- Units:   counts
-- Grain:   evaluation_id, score_bin
with bin_count as (
    select
        evaluation_id,
        score_bin,
        count(*) as n_candidates
    from candidate_score_bin
    group by evaluation_id, score_bin
)

select
    evaluation_id,
    score_bin,
    n_candidates,
    cast(coalesce(
        sum(n_candidates) over (
            partition by evaluation_id
            order by score_bin
            rows between unbounded preceding and 1 preceding
        ),
        0
    ) as bigint) as n_candidates_below
from bin_count
