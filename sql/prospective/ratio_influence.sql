-- Title:   What a drug, a disease or a record adds to the logarithm of a ratio
-- Formula: influence and weight_share of a drug are the sums of drug_influence, of a disease those
--          of its strata (stratum_fit), with the sums of pair_squares and chance; influence of a
--          record is the sum over the hits that it made; crossed = the sum of products of two of
--          them with neither the drug nor the disease in common
-- Units:   units of ln(ratio); the weight shares of diseases add up to 1; entity_kind is 'drug',
--          'disease' or 'record'; what an entity does not have is 0; entity_id of a record is NULL,
--          and record that of the others; only records with hits of two drugs and of two diseases
--          have a row
-- Grain:   slate_id, list_number, entity_kind, entity_id, record
-- Stored:  evidence
-- Portability: sums of decimal(38, 24) are the same whatever the number of threads
with drug_part as materialized (
    from drug_influence
),

record_sum as (
    -- Of all hits of a record, of those of one drug, of those of one disease, and of single ones,
    -- so that the product of two that share either can be taken away.
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
    cast(sum(weight) as double) as weight_share,
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
from stratum_fit
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
