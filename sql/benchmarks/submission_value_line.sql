-- Title:   Canonical line of a submitted value
-- Formula: target, item and value, tab-separated, the value in its shortest form
-- Source:  docs/guides/publishing.md#canonical-bytes
-- Units:   text without a line end; hashed below the header, sorted by target and item
-- Grain:   submission_id, target_id, item_id
select
    submission_value.submission_id,
    submission_value.target_id,
    submission_value.item_id,
    benchmark_target.name as target,
    benchmark_item.name as item,
    submission_value.line_checksum,
    concat(
        benchmark_target.name, chr(9), benchmark_item.name, chr(9), submission_value.value
    ) as line
from submission_value
inner join benchmark_target using (target_id)
inner join benchmark_item using (benchmark_id, item_id)
