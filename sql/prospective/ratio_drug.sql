-- Title:   What a drug adds to the logarithm of a ratio
-- Formula: influence = sum over its pairs of what each adds, as in stratum_fit; stake = sum of what
--          is expected of them
-- Source:  docs/metrics.md#ratio_drug
-- Units:   units of ln(ratio); lists as in list_member
-- Grain:   slate_id, versus, list_kind, list_name, evidence_window, population, drug_id
-- Portability: sums of decimal(38, 18) are the same whatever the number of threads
with fit as materialized (
    select
        *,
        if(list_kind = 'subset', list_name, 'all') as subset
    from stratum_fit
),

-- Each candidate as if it were another one that did not come true; then what the others add more.
part as (
    select
        fit.slate_id,
        fit.versus,
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
        list_member.drug_id,
        if(
            list_member.is_hit,
            fit.predicted_hit - fit.other_hit,
            fit.predicted_miss - fit.other_miss
        ) as influence,
        fit.predicted_stake - fit.other_stake as stake
    from fit
    inner join list_member
        using (
            slate_id,
            versus,
            list_kind,
            list_name,
            evidence_window,
            population,
            disease_id,
            breadth_class
        )
)

select
    slate_id,
    versus,
    list_kind,
    list_name,
    evidence_window,
    population,
    drug_id,
    cast(sum(cast(influence as decimal(38, 18))) as double) as influence,
    cast(sum(cast(stake as decimal(38, 18))) as double) as stake
from part
group by slate_id, versus, list_kind, list_name, evidence_window, population, drug_id
