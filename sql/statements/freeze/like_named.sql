-- Title:      Drugs or diseases of the labels that candidates have under a name almost the same
-- Reads:      candidate, disease, drug, labeled_pair
-- Note:       Almost the same are names that differ by an ending of zeros, as of 5063.0 and 5063,
--             or by case, spaces and marks. The first of each kind; drugs come first.
with named as (
    select
        1 as kind_order,
        'drug' as kind,
        drug_id as entity_id,
        name
    from drug
    union all
    select
        2 as kind_order,
        'disease' as kind,
        disease_id as entity_id,
        name
    from disease
),

plain_name as (
    select
        *,
        regexp_replace(
            lower(regexp_replace(trim(name), '^([0-9]+)\.0+$', '\1')), '[^\p{L}\p{N}]', '', 'g'
        ) as plain
    from named
),

scored as (
    select distinct
        'drug' as kind,
        drug_id as entity_id
    from candidate
    where candidate_set_id = :candidate_set_id
    union all
    select distinct
        'disease' as kind,
        disease_id as entity_id
    from candidate
    where candidate_set_id = :candidate_set_id
),

labeled as (
    select distinct
        'drug' as kind,
        drug_id as entity_id
    from labeled_pair
    where label_set_id = :label_set_id
    union all
    select distinct
        'disease' as kind,
        disease_id as entity_id
    from labeled_pair
    where label_set_id = :label_set_id
)

select
    plain_name.kind,
    plain_name.name as labeled_name,
    other.name as candidate_name
from labeled
anti join scored using (kind, entity_id)
inner join plain_name using (kind, entity_id)
inner join plain_name as other
    on
        plain_name.kind = other.kind
        and plain_name.plain = other.plain
inner join scored as scored_other
    on
        other.kind = scored_other.kind
        and other.entity_id = scored_other.entity_id
where plain_name.plain <> ''
qualify
    row_number() over (
        partition by plain_name.kind order by plain_name.name, other.name
    ) = 1
order by plain_name.kind_order
