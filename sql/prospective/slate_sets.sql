-- Title:   Sets of a slate
-- Formula: the candidate set and label set that the slate was frozen with, else those attached to
--          it since
-- Units:   keys, NULL for none; an instant is NULL unless the set was attached; sets attached after
--          the as-of instant are left out; reason says which set is missing
-- Grain:   slate_id
with known_attachment as (
    select
        slate_id,
        max(candidate_set_id) as candidate_set_id,
        max(label_set_id) as label_set_id,
        max(attached_at) filter (where set_kind = 'candidates') as candidates_attached_at,
        max(attached_at) filter (where set_kind = 'labels') as labels_attached_at
    from slate_attachment
    where attached_at <= (select report_instant.as_of from report_instant)
    group by slate_id
)

select
    slate_id,
    coalesce(slate.candidate_set_id, known.candidate_set_id) as candidate_set_id,
    coalesce(slate.label_set_id, known.label_set_id) as label_set_id,
    slate.candidate_set_id is null
    and known.candidate_set_id is not null as is_candidates_attached,
    slate.label_set_id is null and known.label_set_id is not null as is_labels_attached,
    if(slate.candidate_set_id is null, known.candidates_attached_at, null)
        as candidates_attached_at,
    if(slate.label_set_id is null, known.labels_attached_at, null) as labels_attached_at,
    'the slate has ' || nullif(
        concat_ws(
            ' and ',
            if(
                slate.candidate_set_id is null and known.candidate_set_id is null,
                'no candidate set',
                null
            ),
            if(slate.label_set_id is null and known.label_set_id is null, 'no labeled pairs', null)
        ),
        ''
    ) as reason
from slate
left join known_attachment as known using (slate_id)
