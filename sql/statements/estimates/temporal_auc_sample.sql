-- Title:      The classified pairs of a temporal run, as input for the intervals of its AUC
-- Reads:      disease, entity_tie_name, temporal_class
-- Note:       Diseases are numbered by name, so that draws do not follow the order of loading.
with numbered_disease as (
    select
        disease.disease_id,
        row_number() over (
            order by disease_name.folded_name asc nulls first, disease.disease_id asc
        ) as disease_number
    from disease
    left join entity_tie_name as disease_name
        on
            disease_name.entity_kind = 'disease'
            and disease.disease_id = disease_name.entity_id
            and disease_name.named_until is null
)

select
    temporal_class.score,
    temporal_class.approval_year,
    temporal_class.approval_year is not null as is_positive,
    numbered_disease.disease_number
from temporal_class
inner join numbered_disease using (disease_id)
where
    temporal_class.evaluation_id = :evaluation_id
    and temporal_class.ranker = :ranker
    and temporal_class.cutoff_year = :cutoff_year
order by numbered_disease.disease_number, temporal_class.drug_id
