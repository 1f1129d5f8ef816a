-- Title:   Base rate at freeze
-- Formula: approvals in the 10 calendar years before the freeze, per year and candidate, times
--          known pairs per approved pair, to account for the earlier events behind an approval
-- Source:  docs/metrics.md#freeze_base_rate
-- Units:   expected_hit_rate is the share of the candidates hit in a year, 0..1; NULL where the
--          labels do not suffice; all counts are of candidates of the slate's diseases
-- Grain:   slate_id
with slate_disease as (
    select distinct
        slate_id,
        disease_id
    from prediction
),

candidate_total as (
    select
        slate_sets.slate_id,
        count(*) as n_candidates
    from slate_sets
    inner join candidate using (candidate_set_id)
    semi join slate_disease using (slate_id, disease_id)
    group by slate_sets.slate_id
),

label_total as (
    select
        slate_id,
        count(*) filter (where labeled_pair.label > 0) as n_known,
        count(*) filter (where labeled_pair.label = 4) as n_approved,
        count(*) filter (
            where
            labeled_pair.label = 4
            and labeled_pair.approval_year
            between year(slate.frozen_on) - 10 and year(slate.frozen_on) - 1
        ) as n_recent_approvals
    from slate
    inner join slate_sets using (slate_id)
    inner join labeled_pair on slate_sets.label_set_id = labeled_pair.label_set_id
    semi join slate_disease using (slate_id, disease_id)
    semi join candidate
        on
            slate_sets.candidate_set_id = candidate.candidate_set_id
            and labeled_pair.disease_id = candidate.disease_id
            and labeled_pair.drug_id = candidate.drug_id
    group by slate_id
)

select
    slate_id,
    candidate_total.n_candidates,
    coalesce(label_total.n_known, 0) as n_known,
    coalesce(label_total.n_approved, 0) as n_approved,
    coalesce(label_total.n_recent_approvals, 0) as n_recent_approvals,
    nullif(label_total.n_recent_approvals, 0) / 10
    / nullif(candidate_total.n_candidates, 0)
    * label_total.n_known / nullif(label_total.n_approved, 0) as expected_hit_rate,
    case
        when slate_sets.candidate_set_id is null then 'the slate has no candidate set'
        when slate_sets.label_set_id is null then 'the slate has no labeled pairs'
        when coalesce(label_total.n_recent_approvals, 0) = 0
            then 'no candidate has an approval dated in the ten years before the freeze'
    end as reason
from slate_sets
left join candidate_total using (slate_id)
left join label_total using (slate_id)
