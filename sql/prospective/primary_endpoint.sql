-- Title:   Primary endpoint of a slate
-- Result:  Verdict and overview
-- Formula: what its plan states, else what the default plan does
-- Units:   names of a window, a population and a tier
-- Grain:   slate_id
select
    slate_id,
    coalesce(plan ->> 'evidence_window', 'prospective') as evidence_window,
    coalesce(plan ->> 'population', 'novel') as population,
    coalesce(plan ->> 'tier', 'high') as tier
from slate
