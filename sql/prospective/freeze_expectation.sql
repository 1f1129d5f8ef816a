-- Title:   Events expected of each novel prediction by the past
-- Result:  At the freeze
-- Formula: of a candidate, K x (breadth + 1) x (n_known_pairs + 1); K from events = pairs that an
--          event made known in the years before the freeze / the sum of (breadth_then + 1) x
--          degree_sum, per year; from approvals = growth of known pairs / the sum of (breadth + 1)
--          x (n_known_pairs + 1) over novel candidates; a prediction has the mean of the novel
--          candidates of its disease and breadth class, and is one of listed_share of them
-- Units:   yearly_rate, 0..1, is events per pair and year; degree_product is rate / K
-- Grain:   slate_id, tier, disease_id, drug_id
-- Note:    K from events is that of drugs whose breadth lay between the same powers of 2 less 1;
--          where no pair had such a breadth, those of the next lower one stand in; growth =
--          approvals of the 10 years before the freeze / 10 x known pairs / approved pairs
with drug_count as materialized (
    select * from past_drug_count
),

past_rate as (
    select
        slate_id,
        cast(floor(log2(breadth_then + 1)) as integer) as octave,
        sum(n_events) / (sum((breadth_then + 1) * degree_sum) * any_value(years)) as event_rate
    from drug_count
    where n_pairs > 0 and years > 0
    group by slate_id, cast(floor(log2(breadth_then + 1)) as integer)
),

slate_past as (
    select
        slate_id,
        sum(n_events) as n_events
    from drug_count
    group by slate_id
),

yearly_growth as (
    select
        slate_id,
        count(*) filter (
            where
            labeled_pair.label = 4
            and labeled_pair.approval_year
            between year(slate_date.counted_from) - 10 and year(slate_date.counted_from) - 1
        ) / 10
        * count(*) filter (where labeled_pair.label > 0)
        / nullif(count(*) filter (where labeled_pair.label = 4), 0) as n_new_pairs
    from slate_sets
    inner join slate_date using (slate_id)
    inner join labeled_pair using (label_set_id)
    semi join disease_activity using (slate_id, disease_id)
    semi join drug_count using (slate_id, drug_id)
    group by slate_id
),

cell as materialized (
    select
        breadth_cell.*,
        cast(floor(log2(breadth_cell.breadth + 1)) as integer) as octave,
        breadth_cell.n_candidates - breadth_cell.n_known as n_novel,
        n_novel * (breadth_cell.breadth + 1) * (disease_activity.n_known_pairs + 1)
            as degree_product
    from breadth_cell
    inner join disease_activity using (slate_id, disease_id)
),

slate_product as (
    select
        slate_id,
        sum(degree_product) as degree_product
    from cell
    group by slate_id
),

slate_rate as materialized (
    select
        slate_past.slate_id,
        case
            when slate_past.n_events > 0 then 'events'
            when yearly_growth.n_new_pairs > 0 then 'approvals'
        end as basis,
        yearly_growth.n_new_pairs / slate_product.degree_product as approval_rate
    from slate_past
    inner join slate_product using (slate_id)
    left join yearly_growth using (slate_id)
),

cell_rate as (
    select
        cell.*,
        if(
            slate_rate.basis = 'events',
            coalesce(past_rate.event_rate, 0),
            slate_rate.approval_rate
        ) * cell.degree_product as yearly_rate
    from cell
    inner join slate_rate on cell.slate_id = slate_rate.slate_id
    asof left join past_rate
        on cell.slate_id = past_rate.slate_id and cell.octave >= past_rate.octave
),

stratum as (
    select
        slate_id,
        disease_id,
        breadth_class,
        sum(n_novel) as n_candidates,
        sum(degree_product) / sum(n_novel) as degree_product,
        -- Rates are added in the order of breadth; an aggregate that sorts would take longer.
        least(
            list_sum(list_transform(
                list_sort(list(struct_pack(breadth := breadth, yearly_rate := yearly_rate))),
                lambda one: struct_extract(one, 'yearly_rate')
            )) / sum(n_novel),
            1
        ) as yearly_rate
    from cell_rate
    where n_novel > 0
    group by slate_id, disease_id, breadth_class
),

tier_prediction as (
    select
        slate_id,
        unnest([prediction.tier, 'all']) as tier,
        disease_id,
        drug_id,
        drug_breadth.breadth_class
    from prediction
    inner join drug_breadth using (slate_id, drug_id)
    left join pair_known_phase using (slate_id, disease_id, drug_id)
    where coalesce(not pair_known_phase.is_known, true)
)

select
    slate_id,
    tier_prediction.tier,
    disease_id,
    tier_prediction.drug_id,
    breadth_class,
    cast(coalesce(stratum.n_candidates, 0) as bigint) as n_candidates,
    case
        when stratum.n_candidates > 0
            then
                least(
                    count(*) over (
                        partition by slate_id, tier_prediction.tier, disease_id, breadth_class
                    ) / stratum.n_candidates,
                    1
                )
    end as listed_share,
    cast(stratum.degree_product as double) as degree_product,
    if(slate_rate.basis is null, null, coalesce(stratum.yearly_rate, 0)) as yearly_rate,
    slate_rate.basis
from tier_prediction
inner join slate_rate using (slate_id)
left join stratum using (slate_id, disease_id, breadth_class)
