-- Title:   What a drug, a disease or a record adds to the logarithm of a ratio
-- Formula: influence and weight_share of a drug are the sums of what its candidates add, of a disease
--          those of its strata (stratum_fit), with the sums of pair_squares and chance; influence
--          of a record is the sum over the hits that it made; crossed = the sum of products of two
--          of them with neither the drug nor the disease in common
-- Source:  docs/metrics.md#ratio_influence
-- Units:   units of ln(ratio); the weight shares of diseases add up to 1; entity_kind is 'drug',
--          'disease' or 'record'; what an entity does not have is 0; entity_id of a record is NULL,
--          and record that of the others; only records with hits of two drugs and of two diseases
--          have a row
-- Grain:   slate_id, list_number, entity_kind, entity_id, record
-- Portability: sums of decimal(38, 18) and (38, 24) are the same whatever the number of threads
with fit as materialized (
    select
        stratum_fit.*,
        list.population,
        list.nearness,
        list.rule_number,
        list.knowledge_number,
        -- Most candidates are of the population, but for the classes known and near-known.
        coalesce(list.nearness = 'new', true) as is_majority
    from stratum_fit
    inner join prediction_list as list using (slate_id, list_number)
),

class_drug as materialized (
    select
        slate_id,
        slate_sets.candidate_set_id,
        drug_breadth.drug_id,
        drug_breadth.breadth_class
    from slate_sets
    inner join drug_breadth using (slate_id)
    semi join candidate using (candidate_set_id, drug_id)
),

class_size as (
    select
        slate_id,
        breadth_class,
        count(*) as n_drugs
    from class_drug
    group by all
),

-- A stratum is full where most drugs of the class are candidates for the disease.
stratum as materialized (
    select
        slate_id,
        breadth_cell.disease_id,
        breadth_class,
        class_size.n_drugs - sum(breadth_cell.n_candidates) as n_missing,
        2 * sum(breadth_cell.n_candidates) > class_size.n_drugs as is_full
    from breadth_cell
    inner join class_size using (slate_id, breadth_class)
    semi join fit using (slate_id, disease_id, breadth_class)
    group by slate_id, breadth_cell.disease_id, breadth_class, class_size.n_drugs
),

-- Of a full stratum those that are missing are listed, of another one those that are there: the
-- shorter list, of a whole matrix none.
listed_drug as (
    select
        slate_id,
        disease_id,
        drug_id,
        breadth_class,
        1 as n_pairs
    from class_drug
    inner join candidate using (candidate_set_id, drug_id)
    inner join stratum using (slate_id, disease_id, breadth_class)
    where not stratum.is_full
    union all
    select
        slate_id,
        stratum.disease_id,
        class_drug.drug_id,
        breadth_class,
        -1 as n_pairs
    from stratum
    inner join class_drug using (slate_id, breadth_class)
    anti join candidate using (candidate_set_id, disease_id, drug_id)
    where stratum.is_full and stratum.n_missing > 0
),

full_sum as (
    select
        slate_id,
        fit.list_number,
        breadth_class,
        sum(cast(fit.other_miss as decimal(38, 18))) as influence,
        sum(cast(fit.other_weight_share as decimal(38, 18))) as weight_share,
        count(*) as n_pairs
    from fit
    inner join stratum using (slate_id, disease_id, breadth_class)
    where stratum.is_full and fit.is_majority
    group by all
),

-- What a predicted pair adds more than another one that did not come true.
listed_part as (
    select
        slate_id,
        fit.list_number,
        drug_id,
        if(counted_hit.weight is null, null, disease_id) as hit_disease_id,
        counted_hit.record,
        cast(
            fit.predicted_miss - fit.other_miss
            + coalesce(counted_hit.weight, 0)
            * (fit.predicted_hit - fit.predicted_miss - fit.other_hit + fit.other_miss)
            as decimal(38, 18)
        ) as influence,
        cast(fit.predicted_weight_share - fit.other_weight_share as decimal(38, 18)) as weight_share
    from fit
    inner join list_member using (slate_id, list_number, disease_id, breadth_class)
    left join counted_hit using (slate_id, rule_number, disease_id, drug_id)
),

-- Each candidate as if it were another one that did not come true, less those that are not of the
-- population, or, of a small population, its own; then what hits and predictions add to that.
candidate_part as (
    select
        slate_id,
        full_sum.list_number,
        class_drug.drug_id,
        full_sum.influence,
        full_sum.weight_share,
        full_sum.n_pairs,
        cast(null as integer) as hit_disease_id,
        cast(null as varchar) as record,
        cast(0 as decimal(38, 18)) as hit_influence
    from full_sum
    inner join class_drug using (slate_id, breadth_class)
    union all
    select
        slate_id,
        fit.list_number,
        listed_drug.drug_id,
        cast(listed_drug.n_pairs * fit.other_miss as decimal(38, 18)) as influence,
        cast(listed_drug.n_pairs * fit.other_weight_share as decimal(38, 18)) as weight_share,
        listed_drug.n_pairs,
        null as hit_disease_id,
        null as record,
        0 as hit_influence
    from fit
    inner join listed_drug using (slate_id, disease_id, breadth_class)
    where fit.is_majority
    union all
    select
        slate_id,
        fit.list_number,
        class_candidate.drug_id,
        cast(if(fit.is_majority, -1, 1) * fit.other_miss as decimal(38, 18)) as influence,
        cast(if(fit.is_majority, -1, 1) * fit.other_weight_share as decimal(38, 18)) as weight_share,
        if(fit.is_majority, -1, 1) as n_pairs,
        null as hit_disease_id,
        null as record,
        0 as hit_influence
    from fit
    inner join class_candidate using (slate_id, knowledge_number, disease_id, breadth_class)
    where
        fit.nearness in ('new', class_candidate.nearness)
        or (
            fit.nearness is null
            and fit.population = 'novel'
            and class_candidate.nearness = 'known'
        )
    union all
    select
        slate_id,
        fit.list_number,
        counted_hit.drug_id,
        cast(
            counted_hit.weight * (fit.other_hit - fit.other_miss) as decimal(38, 18)
        ) as influence,
        0 as weight_share,
        0 as n_pairs,
        disease_id as hit_disease_id,
        counted_hit.record,
        cast(
            fit.other_miss + counted_hit.weight * (fit.other_hit - fit.other_miss)
            as decimal(38, 18)
        ) as hit_influence
    from fit
    inner join counted_hit using (slate_id, rule_number, disease_id, breadth_class)
    union all
    select
        slate_id,
        list_number,
        drug_id,
        influence,
        weight_share,
        0 as n_pairs,
        hit_disease_id,
        record,
        if(hit_disease_id is null, 0, influence) as hit_influence
    from listed_part
),

-- Of a drug its hits, one by one, and all the rest.
drug_part as materialized (
    select
        slate_id,
        list_number,
        drug_id,
        hit_disease_id,
        record,
        sum(influence) as influence,
        sum(weight_share) as weight_share,
        sum(n_pairs) as n_pairs,
        cast(sum(hit_influence) as double) as hit_influence
    from candidate_part
    group by slate_id, list_number, drug_id, hit_disease_id, record
),

-- Sums over the hits of a record; then over those of one drug, those of one disease, and single
-- ones, so that the product of two that share either can be taken away.
record_sum as (
    select
        slate_id,
        list_number,
        record,
        drug_id,
        hit_disease_id,
        sum(hit_influence order by hit_disease_id, drug_id) as influence,
        if(grouping(drug_id) = grouping(hit_disease_id), 1, -1) as sign
    from drug_part
    where record is not null
    group by slate_id, list_number, record, cube (drug_id, hit_disease_id)
)

select
    slate_id,
    list_number,
    'drug' as entity_kind,
    drug_id as entity_id,
    cast(null as varchar) as record,
    cast(sum(influence) as double) as influence,
    cast(sum(weight_share) as double) as weight_share,
    0 as pair_squares,
    0 as chance,
    0 as crossed
from drug_part
group by slate_id, list_number, drug_id
having sum(n_pairs) > 0
union all
select
    slate_id,
    list_number,
    'disease' as entity_kind,
    disease_id as entity_id,
    null as record,
    cast(sum(cast(influence as decimal(38, 24))) as double) as influence,
    cast(sum(cast(weight_share as decimal(38, 24))) as double) / cast(
        sum(sum(cast(weight_share as decimal(38, 24)))) over (partition by slate_id, list_number)
        as double
    ) as weight_share,
    cast(sum(cast(squares as decimal(38, 24))) as double) as pair_squares,
    cast(sum(cast(chance as decimal(38, 24))) as double) as chance,
    0 as crossed
from fit
group by slate_id, list_number, disease_id
union all
select
    slate_id,
    list_number,
    'record' as entity_kind,
    null as entity_id,
    record,
    max(influence) filter (where drug_id is null and hit_disease_id is null) as influence,
    0 as weight_share,
    0 as pair_squares,
    0 as chance,
    sum(sign * influence ** 2 order by drug_id, hit_disease_id) as crossed
from record_sum
group by slate_id, list_number, record
having count(distinct drug_id) > 1 and count(distinct hit_disease_id) > 1
