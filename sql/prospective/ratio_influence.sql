-- Title:   What a drug or a disease adds to the logarithm of a ratio
-- Formula: influence and stake of a drug are the sums of what its candidates add, of a disease
--          those of its strata (stratum_fit); pair_squares and chance are the sums over the strata
-- Source:  docs/metrics.md#ratio_influence
-- Units:   units of ln(ratio); the stakes of diseases are shares, which add up to 1; entity_kind is
--          'drug' or 'disease'; pair_squares and chance of a drug are 0
-- Grain:   slate_id, versus, list_kind, list_name, evidence_window, population, entity_kind,
--          entity_id
-- Portability: sums of decimal(38, 18) and (38, 24) are the same whatever the number of threads
with fit as materialized (
    select
        *,
        case list_kind
            when 'subset' then list_name
            when 'failure' then 'failed'
            else 'all'
        end as subset,
        dense_rank() over (
            order by slate_id, versus, list_kind, list_name, evidence_window, population
        ) as list_number,
        population not in ('known', 'near-known') as has_most
    from stratum_fit
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
        sum(cast(fit.other_stake as decimal(38, 18))) as stake,
        count(*) as n_pairs
    from fit
    inner join stratum using (slate_id, disease_id, breadth_class)
    where stratum.is_full and fit.has_most
    group by all
),

-- Each candidate as if it were another one that did not come true, less those that are not of the
-- population, or, of a small population, its own; then what hits and predictions add more.
candidate_part as (
    select
        full_sum.list_number,
        class_drug.drug_id,
        full_sum.influence,
        full_sum.stake,
        full_sum.n_pairs
    from full_sum
    inner join class_drug using (slate_id, breadth_class)
    union all
    select
        fit.list_number,
        listed_drug.drug_id,
        cast(listed_drug.n_pairs * fit.other_miss as decimal(38, 18)) as influence,
        cast(listed_drug.n_pairs * fit.other_stake as decimal(38, 18)) as stake,
        listed_drug.n_pairs
    from fit
    inner join listed_drug using (slate_id, disease_id, breadth_class)
    where fit.has_most
    union all
    select
        fit.list_number,
        class_candidate.drug_id,
        cast(if(fit.has_most, -1, 1) * fit.other_miss as decimal(38, 18)) as influence,
        cast(if(fit.has_most, -1, 1) * fit.other_stake as decimal(38, 18)) as stake,
        if(fit.has_most, -1, 1) as n_pairs
    from fit
    inner join class_candidate using (slate_id, versus, disease_id, breadth_class)
    where
        fit.population in ('new', class_candidate.nearness)
        or (fit.population = 'novel' and class_candidate.nearness = 'known')
    union all
    select
        fit.list_number,
        counted_hit.drug_id,
        cast(fit.other_hit - fit.other_miss as decimal(38, 18)) as influence,
        0 as stake,
        0 as n_pairs
    from fit
    inner join counted_hit
        using (slate_id, versus, subset, evidence_window, population, disease_id, breadth_class)
    union all
    select
        fit.list_number,
        drug_id,
        cast(
            if(
                counted_hit.versus is null,
                fit.predicted_miss - fit.other_miss,
                fit.predicted_hit - fit.other_hit
            ) as decimal(38, 18)
        ) as influence,
        cast(fit.predicted_stake - fit.other_stake as decimal(38, 18)) as stake,
        0 as n_pairs
    from fit
    inner join list_member
        using (
            slate_id, versus, list_kind, list_name, subset, evidence_window, population, disease_id,
            breadth_class
        )
    left join counted_hit
        using (slate_id, versus, subset, evidence_window, population, disease_id, drug_id)
),

entity as (
    select
        list_number,
        'drug' as entity_kind,
        drug_id as entity_id,
        cast(sum(influence) as double) as influence,
        cast(sum(stake) as double) as stake,
        0 as pair_squares,
        0 as chance
    from candidate_part
    group by list_number, drug_id
    having sum(n_pairs) > 0
    union all
    select
        list_number,
        'disease' as entity_kind,
        disease_id as entity_id,
        cast(sum(cast(influence as decimal(38, 24))) as double) as influence,
        cast(sum(cast(stake as decimal(38, 24))) as double) / cast(
            sum(sum(cast(stake as decimal(38, 24)))) over (partition by list_number) as double
        ) as stake,
        cast(sum(cast(squares as decimal(38, 24))) as double) as pair_squares,
        cast(sum(cast(chance as decimal(38, 24))) as double) as chance
    from fit
    group by list_number, disease_id
),

named_list as (
    select distinct
        slate_id,
        versus,
        list_kind,
        list_name,
        evidence_window,
        population,
        list_number
    from fit
)

select
    named_list.* exclude (list_number),
    entity.* exclude (list_number)
from named_list
inner join entity using (list_number)
