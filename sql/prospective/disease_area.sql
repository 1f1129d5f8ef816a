-- Title:   Areas of a slate's diseases
-- Formula: areas above the terms that the disease is, by disease_term; 'unknown' for none
-- Source:  docs/metrics.md#disease_area
-- Units:   areas overlap; those of a slate are of one vocabulary; no row where no vocabulary has an
--          area of any of its diseases
-- Grain:   slate_id, disease_id, area
with placed as (
    select
        disease_term.slate_id,
        disease_term.disease_id,
        vocabulary_area.area
    from disease_term
    inner join vocabulary_area using (release_id, term_id)
),

predicted as (
    select distinct
        slate_id,
        prediction.disease_id
    from prediction
    semi join disease_term using (slate_id)
)

select distinct
    slate_id,
    predicted.disease_id,
    coalesce(placed.area, 'unknown') as area
from predicted
left join placed using (slate_id, disease_id)
