-- Title:   Canonical line of a ranked prediction
-- Formula: instance, position, label and score, tab-separated, a missing score as nothing
-- Source:  docs/guides/publishing.md#canonical-bytes
-- Units:   text without a line end; hashed below the header, sorted by instance and position
-- Grain:   submission_id, item_id, position
select
    ranked_prediction.submission_id,
    ranked_prediction.item_id,
    ranked_prediction.position,
    benchmark_item.name as item,
    ranked_prediction.line_checksum,
    concat(
        benchmark_item.name,
        chr(9), ranked_prediction.position,
        chr(9), benchmark_label.name,
        chr(9), ranked_prediction.score
    ) as line
from ranked_prediction
inner join benchmark_label using (label_id)
inner join benchmark_item using (benchmark_id, item_id)
