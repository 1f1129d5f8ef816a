-- Title:      Pairs that a file gives under several names
-- Reads:      resolved_row, synonymous_name
-- Creates:    shared_pair
-- Note:       Only rows of drugs and diseases with several names are grouped.
with shared_disease as (
    select distinct entity_id as disease_id
    from synonymous_name
    where entity_kind = 'disease'
),

shared_drug as (
    select distinct entity_id as drug_id
    from synonymous_name
    where entity_kind = 'drug'
)

select
    resolved_row.disease_id,
    resolved_row.drug_id,
    min(resolved_row.row_number) as first_row,
    min(resolved_row.disease_name_number) <> max(resolved_row.disease_name_number)
        as has_disease_names,
    min(resolved_row.drug_name_number) <> max(resolved_row.drug_name_number) as has_drug_names
from resolved_row
left join shared_disease on resolved_row.disease_id = shared_disease.disease_id
left join shared_drug on resolved_row.drug_id = shared_drug.drug_id
where shared_disease.disease_id is not null or shared_drug.drug_id is not null
group by resolved_row.disease_id, resolved_row.drug_id
having has_disease_names or has_drug_names
