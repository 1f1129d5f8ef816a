-- Title:      What each hit adds to the logarithm of a list's ratio
-- Reads:      counted_hit, list_member, stratum_fit
-- Parameters: slate_id, versus, list_kind, list_name, evidence_window, population
-- Note:       the hits are those of all candidates in the strata of the list
select
    disease_id,
    counted_hit.drug_id,
    coalesce(counted_hit.record, '') as record,
    if(
        list_member.drug_id is null, stratum_fit.other_hit, stratum_fit.predicted_hit
    ) as influence
from stratum_fit
inner join counted_hit
    using (slate_id, versus, evidence_window, population, disease_id, breadth_class)
left join list_member
    using (
        slate_id, versus, list_kind, list_name, evidence_window, population, disease_id, drug_id
    )
where
    slate_id = :slate_id
    and versus = :versus
    and list_kind = :list_kind
    and list_name = :list_name
    and counted_hit.subset = 'all'
    and evidence_window = :evidence_window
    and population = :population
order by disease_id, counted_hit.drug_id
