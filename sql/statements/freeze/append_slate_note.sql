-- Title:      Notes of the rows of a published slate that repeat a pair
-- Reads:      published_row
-- Writes:     slate_note
select
    cast(:slate_id as uuid) as slate_id,
    row_number() over (order by row_number) as note_number,
    'duplicate_prediction' as kind,
    disease_name,
    drug_name,
    json_object('rank', rank, 'score', score, 'kept_rank', kept_rank) as detail
from published_row
where repeat_number > 1
