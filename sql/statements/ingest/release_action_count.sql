-- Title:      What the actions that a release of the FDA added are
-- Reads:      approval, submission_kind
-- Note:       Actions are dated submissions, approved or tentatively; the most frequent kind first.
select
    submission_kind.meaning = 'approval' as is_approval,
    submission_kind.submission_kind as kind,
    count(*) as n_actions
from approval
inner join submission_kind on approval.approval_id = submission_kind.approval_id
where
    approval.release_id = :release_id
    and approval.submission_status in ('AP', 'TA')
    and approval.status_date is not null
group by submission_kind.meaning = 'approval', submission_kind.submission_kind
order by is_approval desc, n_actions desc, kind asc
