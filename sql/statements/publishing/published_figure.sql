-- Title:      Each update's primary endpoint, with its hits
-- Reads:      primary_endpoint, scoreboard, slate
select
    scoreboard.recorded_at,
    slate_id,
    scoreboard.metric,
    scoreboard.tier,
    scoreboard.value,
    scoreboard.low,
    scoreboard.high,
    scoreboard.n
from scoreboard
inner join primary_endpoint using (slate_id, evidence_window, population, tier)
inner join slate using (slate_id)
where
    scoreboard.metric
    in ('n_hits', coalesce(slate.plan ->> 'primary_endpoint', 'enrichment_vs_matched'))
order by scoreboard.recorded_at desc, scoreboard.scoreboard_id desc
limit :most
