-- Title:   Other slates of the same model
-- Result:  At the freeze
-- Formula: slates frozen under the same model version, and the predictions they share
-- Units:   counts; overlap_share = shared predictions / predictions of the slate
-- Grain:   slate_id, other_slate_id
-- Note:    a slate made after the as-of instant is not listed as another
with shared_prediction as (
    select
        own.slate_id,
        other.slate_id as other_slate_id,
        count(*) as n_shared
    from prediction as own
    inner join prediction as other using (disease_id, drug_id)
    where own.slate_id <> other.slate_id
    group by all
)

select
    own.slate_id,
    other.slate_id as other_slate_id,
    model_version,
    other.frozen_on as other_frozen_on,
    other.is_replay as is_other_replay,
    other.n_predictions as n_other_predictions,
    coalesce(shared_prediction.n_shared, 0) as n_shared,
    coalesce(shared_prediction.n_shared, 0) / nullif(own.n_predictions, 0) as overlap_share
from slate as own
inner join slate as other using (model_version)
left join shared_prediction
    on
        own.slate_id = shared_prediction.slate_id
        and other.slate_id = shared_prediction.other_slate_id
where
    own.slate_id <> other.slate_id
    and other.created_at <= (select report_instant.as_of from report_instant)
