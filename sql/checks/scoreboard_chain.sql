-- Title:   No scoreboard row was edited or removed
-- When:    write
-- Grain:   scoreboard_id
with linked_row as (
    select
        scoreboard.scoreboard_id,
        scoreboard.previous_sha256,
        scoreboard.row_sha256,
        scoreboard_line.line,
        lag(scoreboard.row_sha256, 1, '') over (order by scoreboard.scoreboard_id)
            as row_before_sha256
    from scoreboard
    inner join scoreboard_line using (scoreboard_id)
)

select
    scoreboard_id,
    if(
        previous_sha256 <> row_before_sha256,
        'the preceding row was edited or removed',
        'the row was edited'
    ) as reason
from linked_row
where
    previous_sha256 <> row_before_sha256
    or row_sha256 <> sha256(previous_sha256 || line)
