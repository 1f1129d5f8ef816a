-- Title:   Candidates of a drug that became known in past years
-- Formula: the drug's candidates in the slate's diseases that were not known 3 years before
--          counted_from, how many of them an event has made known since, and the sum of their
--          diseases' n_known_pairs + 1
-- Units:   pairs and years of 365.25 days; breadth_then is the breadth without the labels of such
--          events
-- Grain:   slate_id, drug_id
-- Note:    an event of unknown day, or a label with an earlier approval_year, was known before;
--          where only differences of releases date events, the years begin with the first release
with seen_pair as materialized (
    select
        slate_id,
        disease_id,
        drug_id,
        min(coalesce(public_after, date '0001-01-01')) as unknown_on,
        min(public_after) as first_dated_on,
        bool_or(public_by - public_after = 1) as has_day
    from slate_event
    where is_public_by_freeze
    group by slate_id, disease_id, drug_id
),

-- Records that give a day reach back over all the years.
past as materialized (
    select
        slate_id,
        slate_date.counted_from,
        slate_sets.candidate_set_id,
        slate_sets.label_set_id,
        greatest(
            cast(slate_date.counted_from - interval 3 years as date),
            if(bool_or(seen_pair.has_day), date '0001-01-01', min(seen_pair.first_dated_on))
        ) as started_on
    from slate_date
    inner join slate_sets using (slate_id)
    left join seen_pair using (slate_id)
    group by slate_id, slate_date.counted_from, slate_sets.candidate_set_id, slate_sets.label_set_id
),

known_pair as materialized (
    select
        slate_id,
        disease_id,
        drug_id,
        coalesce(seen_pair.unknown_on >= past.started_on, false)
        and coalesce(labeled_pair.approval_year >= year(past.started_on), true) as is_past_event
    from pair_known_phase
    inner join past using (slate_id)
    left join seen_pair using (slate_id, disease_id, drug_id)
    left join labeled_pair using (label_set_id, disease_id, drug_id)
    where pair_known_phase.is_known
),

-- Breadth counts all diseases, also those that the slate does not predict for.
seen_label as (
    select
        past.slate_id,
        disease_id,
        drug_id
    from past
    inner join labeled_pair using (label_set_id)
    inner join event using (disease_id, drug_id)
    anti join annulled_event using (event_id)
    where
        past.counted_from >= coalesce(event.public_by, event.event_date)
        and (event.slate_id is null or event.slate_id = past.slate_id)
        and event.recorded_at <= (select report_instant.as_of from report_instant)
        and coalesce(labeled_pair.approval_year >= year(past.started_on), true)
    group by past.slate_id, past.started_on, disease_id, drug_id
    having min(coalesce(event.public_after, date '0001-01-01')) >= past.started_on
),

new_label as (
    select
        slate_id,
        drug_id,
        count(*) as n_new
    from seen_label
    group by slate_id, drug_id
),

slate_disease as materialized (
    select
        slate_id,
        past.candidate_set_id,
        disease_activity.disease_id,
        disease_activity.n_known_pairs + 1 as degree
    from past
    inner join disease_activity using (slate_id)
),

pair_count as (
    select
        slate_disease.slate_id,
        candidate.drug_id,
        count(*) as n_pairs,
        sum(slate_disease.degree) as degree_sum
    from candidate
    inner join slate_disease using (candidate_set_id, disease_id)
    group by slate_disease.slate_id, candidate.drug_id
),

-- Few candidates are known.
known_count as (
    select
        known_pair.slate_id,
        known_pair.drug_id,
        count(*) filter (where known_pair.is_past_event) as n_events,
        count(*) filter (where not known_pair.is_past_event) as n_known_then,
        sum(slate_disease.degree) filter (where not known_pair.is_past_event) as degree_known_then
    from known_pair
    inner join slate_disease using (slate_id, disease_id)
    inner join candidate using (candidate_set_id, disease_id, drug_id)
    group by known_pair.slate_id, known_pair.drug_id
)

select
    slate_id,
    drug_id,
    drug_breadth.breadth - coalesce(new_label.n_new, 0) as breadth_then,
    pair_count.n_pairs - coalesce(known_count.n_known_then, 0) as n_pairs,
    coalesce(known_count.n_events, 0) as n_events,
    cast(pair_count.degree_sum - coalesce(known_count.degree_known_then, 0) as bigint)
        as degree_sum,
    (past.counted_from - past.started_on) / 365.25 as years
from pair_count
inner join past using (slate_id)
inner join drug_breadth using (slate_id, drug_id)
left join known_count using (slate_id, drug_id)
left join new_label using (slate_id, drug_id)
