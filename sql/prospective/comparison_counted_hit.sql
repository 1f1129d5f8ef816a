-- Title:   Candidate hits that count in the comparison of two slates
-- Formula: candidates of the slate among the pairs of comparison_hit; in population 'novel' those
--          that were not known by comparison_known
-- Units:   as in counted_hit; each hit counts 1
-- Grain:   slate_id, rule_number, disease_id, drug_id
with rule as (
    select distinct
        slate_id,
        versus_slate_id,
        population,
        rule_number
    from comparison_list
)

select
    slate_id,
    rule.rule_number,
    disease_id,
    drug_id,
    drug_breadth.breadth_class,
    1.0::double as weight,
    if(hit.record <> '', concat_ws(' ', hit.source, hit.record), null) as record
from comparison_hit as hit
inner join rule using (slate_id, versus_slate_id)
inner join drug_breadth using (slate_id, drug_id)
inner join slate_sets using (slate_id)
semi join candidate using (candidate_set_id, disease_id, drug_id)
left join comparison_known as known using (slate_id, versus_slate_id, disease_id, drug_id)
where rule.population = 'all' or known.drug_id is null
