-- Title:      The sets attached to a slate since its freeze
-- Reads:      candidate_set, label_set, labeled_pair, slate, slate_sets
-- Note:       is_frozen_file: loaded from the very file that the slate was frozen with elsewhere;
--             n_later: labeled pairs whose approval is dated after the year of the freeze.
select
    'candidates' as set_kind,
    candidate_set.name,
    candidate_set.sha256,
    candidate_set.origin,
    candidate_set.n_pairs,
    candidate_set.loaded_at,
    slate_sets.candidates_attached_at as attached_at,
    coalesce(candidate_set.sha256 = slate.candidate_sha256, false) as is_frozen_file,
    0 as n_later
from slate
inner join slate_sets using (slate_id)
inner join candidate_set on slate_sets.candidate_set_id = candidate_set.candidate_set_id
where slate_id = :slate_id and slate_sets.is_candidates_attached
union all
select
    'labels' as set_kind,
    label_set.name,
    label_set.sha256,
    label_set.origin,
    label_set.n_pairs,
    label_set.loaded_at,
    slate_sets.labels_attached_at as attached_at,
    coalesce(label_set.sha256 = slate.label_sha256, false) as is_frozen_file,
    (
        select count(*)
        from labeled_pair
        where
            labeled_pair.label_set_id = slate_sets.label_set_id
            and labeled_pair.approval_year > year(slate.frozen_on)
    ) as n_later
from slate
inner join slate_sets using (slate_id)
inner join label_set on slate_sets.label_set_id = label_set.label_set_id
where slate_id = :slate_id and slate_sets.is_labels_attached
order by set_kind
