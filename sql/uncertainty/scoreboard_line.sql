-- Title:   Canonical line of a scoreboard row
-- Result:  Estimates and the scoreboard
-- Formula: the fields of a row, tab-separated, NULL as nothing, floats shortest, instants in
--          microseconds since 1970
-- Units:   text; the SHA-256 of a row is that of the previous row's followed by this line
-- Grain:   scoreboard_id
select
    scoreboard_id,
    concat(
        scoreboard_id,
        chr(9), epoch_us(recorded_at),
        chr(9), slate_id,
        chr(9), metric,
        chr(9), evidence_window,
        chr(9), population,
        chr(9), tier,
        chr(9), value,
        chr(9), low,
        chr(9), high,
        chr(9), level,
        chr(9), method,
        chr(9), n,
        chr(9), refresh_digest
    ) as line
from scoreboard
