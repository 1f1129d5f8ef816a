-- Title:   What a drug adds to the logarithm of a ratio, its hits apart
-- Formula: sums of what the candidates of a drug add by stratum_fit: a row for all of them as if
--          they were other pairs that did not come true, with what predicted ones that did not add
--          beyond that, and one for each hit with what it adds beyond that
-- Units:   units of ln(ratio); hit_disease_id and record name the hit, and are NULL for the rest;
--          weight is the sum of weight shares; n_pairs counts candidates, with the rest;
--          hit_influence is all that the hit adds
-- Grain:   slate_id, list_number, drug_id, hit_disease_id, record
-- Portability: sums of decimal(38, 18) are the same whatever the number of threads
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
        cast(
            if(fit.is_majority, -1, 1) * fit.other_weight_share as decimal(38, 18)
        ) as weight_share,
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
)

select
    slate_id,
    list_number,
    drug_id,
    hit_disease_id,
    record,
    sum(influence) as influence,
    sum(weight_share) as weight,
    cast(sum(n_pairs) as bigint) as n_pairs,
    cast(sum(hit_influence) as double) as hit_influence
from candidate_part
group by slate_id, list_number, drug_id, hit_disease_id, record
