-- Title:      The labels of a round, as its file of labels has them
-- Reads:      disease, drug, labeled_pair
select
    disease.name as disease_name,
    disease.ontology_id as disease_id,
    drug.name as drug_name,
    drug.chembl_id,
    labeled_pair.label
from labeled_pair
inner join disease using (disease_id)
inner join drug using (drug_id)
where labeled_pair.label_set_id = :label_set_id
order by disease.name, disease.ontology_id, drug.name, drug.chembl_id
