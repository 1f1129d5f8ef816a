-- Title:      One label of each pair that a file labels under several names
-- Reads:      resolved_row
-- Creates:    merged_row
-- Note:       What is known of any of the names is known of the drug: the highest label counts, and
--             the highest phase, where a row without a phase has the one that its label means. The
--             year is the earliest among the rows with the highest label: an earlier year beside a
--             lower label is not that of the approval.
with labeled as (
    select
        disease_id,
        drug_id,
        label,
        max_phase,
        coalesce(max_phase, if(label > 0, label, null)) as known_phase,
        approval_year,
        max(label) over (partition by disease_id, drug_id) as highest_label
    from resolved_row
)

select
    disease_id,
    drug_id,
    max(label) as label,
    if(count(max_phase) > 0, max(known_phase), null) as max_phase,
    min(approval_year) filter (where label = highest_label) as approval_year
from labeled
group by disease_id, drug_id
