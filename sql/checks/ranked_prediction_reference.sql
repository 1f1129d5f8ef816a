-- Title:   Ranked predictions belong to a submission, their labels and instances to its
--          benchmark
-- When:    audit
-- Grain:   submission_id, item_id, label_id
select
    ranked_prediction.submission_id,
    ranked_prediction.item_id,
    ranked_prediction.label_id,
    'the submission, the label or the instance is unknown' as reason
from ranked_prediction
left join submission using (submission_id)
left join benchmark_label
    on
        ranked_prediction.label_id = benchmark_label.label_id
        and submission.benchmark_id = benchmark_label.benchmark_id
left join benchmark_item
    on
        submission.benchmark_id = benchmark_item.benchmark_id
        and ranked_prediction.item_id = benchmark_item.item_id
where benchmark_label.label_id is null or benchmark_item.item_id is null
