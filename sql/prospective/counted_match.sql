-- Title:   Matches that count, by window and population
-- Formula: 'all' that the slate counts in every window and population; and, in those of its primary
--          endpoint, each kind of shown_match_kind with those stronger than it
-- Source:  docs/metrics.md#counted_match
-- Units:   strength of the weakest kind that counts, as in match_kind; NULL for 'all'
-- Grain:   slate_id, match_kind, evidence_window, population
select
    slate.slate_id,
    'all' as match_kind,
    cast(null as integer) as strength,
    evidence.evidence_window,
    population.population
from slate
cross join (values ('all'), ('prospective')) as evidence (evidence_window)
cross join (values ('all'), ('novel')) as population (population)
union all
select
    primary_endpoint.slate_id,
    shown_match_kind.match_kind,
    shown_match_kind.strength,
    primary_endpoint.evidence_window,
    primary_endpoint.population
from primary_endpoint
inner join shown_match_kind on primary_endpoint.slate_id = shown_match_kind.slate_id
where not shown_match_kind.is_weakest
