-- Title:      Each update's figures on how a slate performs: hits, and against popularity
-- Reads:      scoreboard
-- Parameters: most
select
    recorded_at,
    slate_id,
    metric,
    tier,
    value,
    low,
    high,
    n
from scoreboard
where
    evidence_window = 'prospective'
    and population = 'all'
    and (metric, tier) in (('n_hits', 'all'), ('enrichment_vs_popularity', 'high'))
order by recorded_at desc, scoreboard_id desc
limit :most
