-- Title:      The predicted labels of a submission in their export form
-- Reads:      benchmark_item, benchmark_label, ranked_prediction
select
    benchmark_item.name as instance,
    ranked_prediction.position as rank,
    benchmark_label.name as label,
    ranked_prediction.score
from ranked_prediction
inner join benchmark_label using (label_id)
inner join benchmark_item using (benchmark_id, item_id)
where ranked_prediction.submission_id = :submission_id
order by instance, rank
