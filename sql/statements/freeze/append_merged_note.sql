-- Title:      Notes of a slate's drugs and diseases that its files give under several names
-- Reads:      disease, drug, merged_name, merged_set, prediction
-- Writes:     slate_note
with predicted as (
    select
        disease_id,
        drug_id
    from prediction
    where slate_id = cast(:slate_id as uuid)
),

merged as (
    select
        if(merged_set.label_set_id is null, 'candidates', 'labels') as file,
        merged_name.disease_id,
        merged_name.drug_id,
        to_json(list(merged_name.name order by merged_name.position)) as names,
        min(merged_name.position) as position
    from merged_set
    inner join merged_name using (merged_set_id)
    where
        (
            merged_set.candidate_set_id = :candidate_set_id
            or merged_set.label_set_id = :label_set_id
        )
        and (
            merged_name.disease_id in (select predicted.disease_id from predicted)
            or merged_name.drug_id in (select predicted.drug_id from predicted)
        )
    group by file, merged_name.disease_id, merged_name.drug_id
)

select
    cast(:slate_id as uuid) as slate_id,
    row_number() over (order by merged.file, merged.position) as note_number,
    'merged_names' as kind,
    disease.name as disease_name,
    drug.name as drug_name,
    json_object('file', merged.file, 'names', merged.names) as detail
from merged
left join disease using (disease_id)
left join drug using (drug_id)
