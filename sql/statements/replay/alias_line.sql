-- Title:      Names and identifiers of drugs and diseases, as lines that can be compared
-- Reads:      disease, disease_alias, drug, drug_alias
-- Note:       Lines as in event_line; aliases come from no single release.
select
    'drug_alias' as kind,
    'aliases' as part,
    cast(json_array(drug_alias.kind, drug_alias.value, drug_alias.drug_id) as varchar) as subject,
    concat_ws(', ', drug.name, concat_ws(' ', drug_alias.kind, drug_alias.value)) as record,
    json_object('added_at', make_timestamp(epoch_us(drug_alias.added_at))) as content,
    cast(null as bigint) as row_id
from drug_alias
inner join drug on drug_alias.drug_id = drug.drug_id
union all
select
    'disease_alias' as kind,
    'aliases' as part,
    cast(json_array(
        disease_alias.kind, disease_alias.value, disease_alias.disease_id
    ) as varchar) as subject,
    concat_ws(
        ', ', disease.name, concat_ws(' ', disease_alias.kind, disease_alias.value)
    ) as record,
    json_object('added_at', make_timestamp(epoch_us(disease_alias.added_at))) as content,
    cast(null as bigint) as row_id
from disease_alias
inner join disease on disease_alias.disease_id = disease.disease_id
