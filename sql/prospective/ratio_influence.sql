-- Title:   What a drug or a disease adds to the logarithm of a ratio
-- Formula: influence and stake of a drug are the sums of what its candidates add, of a disease
--          those of its strata (stratum_fit); pair_squares and chance are the sums over the strata
-- Source:  docs/metrics.md#ratio_influence
-- Units:   units of ln(ratio); the stakes of diseases are shares, which add up to 1; entity_kind is
--          'drug' or 'disease'; pair_squares and chance of a drug are 0
-- Grain:   slate_id, versus, list_kind, list_name, evidence_window, population, entity_kind,
--          entity_id
-- Portability: sums of decimal(38, 18) are the same whatever the number of threads
with fit as materialized (
    select
        *,
        if(list_kind = 'subset', list_name, 'all') as subset
    from stratum_fit
),

-- Each candidate as if it were another one that did not come true; then what the others add more.
candidate_part as (
    select
        slate_id,
        versus,
        fit.list_kind,
        fit.list_name,
        fit.evidence_window,
        fit.population,
        stratum_candidate.drug_id,
        fit.other_miss as influence,
        fit.other_stake as stake
    from fit
    inner join stratum_candidate using (slate_id, versus, disease_id, breadth_class)
    where fit.population = 'all' or not stratum_candidate.is_known
    union all
    select
        slate_id,
        versus,
        fit.list_kind,
        fit.list_name,
        evidence_window,
        population,
        counted_hit.drug_id,
        fit.other_hit - fit.other_miss as influence,
        0 as stake
    from fit
    inner join counted_hit
        using (slate_id, versus, subset, evidence_window, population, disease_id, breadth_class)
    union all
    select
        slate_id,
        versus,
        list_kind,
        list_name,
        evidence_window,
        population,
        drug_id,
        if(
            counted_hit.versus is null,
            fit.predicted_miss - fit.other_miss,
            fit.predicted_hit - fit.other_hit
        ) as influence,
        fit.predicted_stake - fit.other_stake as stake
    from fit
    inner join list_member
        using (
            slate_id,
            versus,
            list_kind,
            list_name,
            subset,
            evidence_window,
            population,
            disease_id,
            breadth_class
        )
    left join counted_hit
        using (slate_id, versus, subset, evidence_window, population, disease_id, drug_id)
),

disease_sum as (
    select
        slate_id,
        versus,
        list_kind,
        list_name,
        evidence_window,
        population,
        disease_id,
        sum(influence order by breadth_class) as influence,
        sum(stake order by breadth_class) as stake,
        sum(squares order by breadth_class) as pair_squares,
        sum(chance order by breadth_class) as chance
    from fit
    group by all
)

select
    slate_id,
    versus,
    list_kind,
    list_name,
    evidence_window,
    population,
    'drug' as entity_kind,
    drug_id as entity_id,
    cast(sum(cast(influence as decimal(38, 18))) as double) as influence,
    cast(sum(cast(stake as decimal(38, 18))) as double) as stake,
    0 as pair_squares,
    0 as chance
from candidate_part
group by all
union all
select
    slate_id,
    versus,
    list_kind,
    list_name,
    evidence_window,
    population,
    'disease' as entity_kind,
    disease_id as entity_id,
    influence,
    stake / sum(stake) over (
        partition by slate_id, versus, list_kind, list_name, evidence_window, population
        order by disease_id
        rows between unbounded preceding and unbounded following
    ) as stake,
    pair_squares,
    chance
from disease_sum
