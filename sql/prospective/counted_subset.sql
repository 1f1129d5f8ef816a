-- Title:   Hits that count, by window and population
-- Formula: 'all' that the slate counts in every window and population; and, in those of its primary
--          endpoint, for the tier of that, each kind of shown_match_kind with those stronger than
--          it, the hits by the end of each month of followed_month, and those by each setting of
--          studies that can change one; 'information' are those that 'all' has there, which
--          count by their information; 'failed' are pairs of which a trial failed, in their place;
--          and 'all' in that window, for that tier, by class of nearness where the slate has such
--          pairs
-- Source:  docs/metrics.md#counted_subset
-- Units:   population is 'all', 'novel', or a class: 'known', 'near-known', 'new'; strength of the
--          weakest kind that counts, as in match_kind; the last day that counts; each is NULL where
--          it does not matter; tier is NULL for every tier
-- Grain:   slate_id, subset, evidence_window, population
select
    slate.slate_id,
    'all' as subset,
    cast(null as integer) as strength,
    cast(null as date) as until_date,
    evidence.evidence_window,
    population.population,
    cast(null as varchar) as tier
from slate
cross join (values ('all'), ('prospective')) as evidence (evidence_window)
cross join (values ('all'), ('novel')) as population (population)
union all
select
    slate_id,
    'all' as subset,
    null as strength,
    null as until_date,
    primary_endpoint.evidence_window,
    class.population,
    primary_endpoint.tier
from primary_endpoint
cross join (values ('known'), ('near-known'), ('new')) as class (population)
semi join nearness using (slate_id)
union all
select
    slate_id,
    shown_match_kind.match_kind as subset,
    shown_match_kind.strength,
    null as until_date,
    primary_endpoint.evidence_window,
    primary_endpoint.population,
    primary_endpoint.tier
from primary_endpoint
inner join shown_match_kind using (slate_id)
where not shown_match_kind.is_weakest
union all
select
    slate_id,
    followed_month.subset,
    null as strength,
    min(followed_month.ends_on) as until_date,
    primary_endpoint.evidence_window,
    primary_endpoint.population,
    primary_endpoint.tier
from primary_endpoint
inner join followed_month using (slate_id)
where followed_month.subset <> 'all'
group by all
union all
select
    slate_id,
    unnest(['failed', 'information']) as subset,
    cast(null as integer) as strength,
    cast(null as date) as until_date,
    primary_endpoint.evidence_window,
    primary_endpoint.population,
    unnest(['all', primary_endpoint.tier]) as tier
from primary_endpoint
union all
select distinct
    slate_id,
    pair_study_setting.study_setting as subset,
    cast(null as integer) as strength,
    cast(null as date) as until_date,
    primary_endpoint.evidence_window,
    primary_endpoint.population,
    primary_endpoint.tier
from primary_endpoint
inner join pair_study_setting using (slate_id)
