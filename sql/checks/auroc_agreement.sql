-- Title:   The two definitions of AUROC agree
-- When:    audit
-- Grain:   submission_id, target
select
    submission_id,
    target,
    'the rank definition and the trapezoidal rule differ by more than 1e-12' as reason
from auroc
where
    auroc is distinct from auroc_trapezoid
    and coalesce(abs(auroc - auroc_trapezoid) > 1e-12, true)
