-- Title:   Event expected of each novel prediction by the past
-- Formula: (breadth + 1) x a yearly rate: from events, pairs of like breadth and degree that an
--          event made known in the years before the freeze / sum of their breadth_then + 1, per
--          year; from approvals, the growth of known pairs x (degree + 1) / the sum of (breadth +
--          1) x (degree + 1) over novel candidates
-- Source:  docs/metrics.md#freeze_expectation
-- Units:   yearly_rate, 0..1, is events per pair and year
-- Grain:   slate_id, disease_id, drug_id
-- Note:    like breadths lie between the same powers of 2 less 1, like degrees in one degree_class;
--          where no pair had such a breadth, those of the next lower one stand in; growth =
--          approvals of the 10 years before the freeze / 10 x known pairs / approved pairs
with drug_count as materialized (
    select * from past_drug_count
),

stratum as (
    select
        slate_id,
        degree_class,
        cast(floor(log2(breadth_then + 1)) as integer) as octave,
        sum(n_events) / (sum(n_pairs * (breadth_then + 1)) * any_value(years)) as yearly_rate
    from drug_count
    where n_pairs > 0 and years > 0
    group by slate_id, degree_class, cast(floor(log2(breadth_then + 1)) as integer)
),

slate_disease as (
    select distinct
        slate_id,
        disease_id
    from prediction
),

slate_past as materialized (
    select
        drug_count.slate_id,
        sum(drug_count.n_events) as n_events,
        sum(
            (drug_breadth.breadth + 1)
            * (drug_count.novel_degree + drug_count.n_pairs - drug_count.n_events)
        ) as degree_product
    from drug_count
    inner join drug_breadth using (slate_id, drug_id)
    group by drug_count.slate_id
),

yearly_growth as (
    select
        slate_sets.slate_id,
        count(*) filter (
            where
            labeled_pair.label = 4
            and labeled_pair.approval_year
            between year(slate_date.counted_from) - 10 and year(slate_date.counted_from) - 1
        ) / 10
        * count(*) filter (where labeled_pair.label > 0)
        / nullif(count(*) filter (where labeled_pair.label = 4), 0) as n_new_pairs
    from slate
    inner join slate_date on slate.slate_id = slate_date.slate_id
    inner join slate_sets on slate.slate_id = slate_sets.slate_id
    inner join labeled_pair on slate_sets.label_set_id = labeled_pair.label_set_id
    semi join slate_disease
        on
            slate.slate_id = slate_disease.slate_id
            and labeled_pair.disease_id = slate_disease.disease_id
    semi join drug_count
        on
            slate.slate_id = drug_count.slate_id
            and labeled_pair.drug_id = drug_count.drug_id
    group by slate_sets.slate_id
),

known_pair as (
    select
        slate_id,
        disease_id,
        drug_id
    from pair_known_phase
    where is_known
),

novel_prediction as (
    select
        prediction.slate_id,
        prediction.disease_id,
        prediction.drug_id,
        prediction.tier,
        drug_breadth.breadth,
        cast(floor(log2(drug_breadth.breadth + 1)) as integer) as octave,
        disease_activity.degree_class,
        disease_activity.n_known_pairs
    from prediction
    inner join drug_breadth using (slate_id, drug_id)
    inner join disease_activity using (slate_id, disease_id)
    anti join known_pair using (slate_id, disease_id, drug_id)
)

select
    novel_prediction.slate_id,
    novel_prediction.disease_id,
    novel_prediction.drug_id,
    novel_prediction.tier,
    novel_prediction.breadth,
    novel_prediction.degree_class,
    case
        when slate_past.n_events > 0
            then least(coalesce(stratum.yearly_rate, 0) * (novel_prediction.breadth + 1), 1)
        when yearly_growth.n_new_pairs > 0
            then
                least(
                    yearly_growth.n_new_pairs
                    * (novel_prediction.breadth + 1)
                    * (novel_prediction.n_known_pairs + 1)
                    / slate_past.degree_product,
                    1
                )
    end as yearly_rate,
    case
        when slate_past.n_events > 0 then 'events'
        when yearly_growth.n_new_pairs > 0 then 'approvals'
    end as basis
from novel_prediction
inner join slate_past on novel_prediction.slate_id = slate_past.slate_id
left join yearly_growth on novel_prediction.slate_id = yearly_growth.slate_id
asof left join stratum
    on
        novel_prediction.slate_id = stratum.slate_id
        and novel_prediction.degree_class = stratum.degree_class
        and novel_prediction.octave >= stratum.octave
