-- Title:   Predictions by list, in strata in which a candidate came true
-- Formula: predictions of strata of stratum_count, of each tier and of all; of each subset of hits
--          that counted_subset has; of each part of part_pair; of the first 20, 50, 100 and 500 of
--          global_list_pair; and in the lists of equal length that two slates are compared by
-- Source:  docs/metrics.md#list_member
-- Units:   list_kind is 'tier', 'subset', 'part' or 'size';
--          versus as in known_candidate; subset, as in counted_subset, is that of the hits that
--          the list counts
-- Grain:   slate_id, versus, list_kind, list_name, evidence_window, population, disease_id, drug_id
with marked as (
    select
        prediction.slate_id,
        stratum_count.versus,
        prediction.disease_id,
        prediction.drug_id,
        stratum_count.breadth_class,
        known_candidate.drug_id is not null as is_known,
        prediction.tier
    from prediction
    inner join drug_breadth using (slate_id, drug_id)
    inner join stratum_count using (slate_id, disease_id, breadth_class)
    inner join slate_sets using (slate_id)
    semi join candidate using (candidate_set_id, disease_id, drug_id)
    left join known_candidate using (slate_id, versus, disease_id, drug_id, breadth_class)
)

-- Every hit counts for the tiers, a subset of them for the tier of the primary endpoint.
select
    slate_id,
    marked.versus,
    if(counted_subset.subset = 'all', 'tier', 'subset') as list_kind,
    unnest(
        if(counted_subset.subset = 'all', [marked.tier, 'all'], [counted_subset.subset])
    ) as list_name,
    counted_subset.subset,
    counted_subset.evidence_window,
    counted_subset.population,
    marked.disease_id,
    marked.drug_id,
    marked.breadth_class
from marked
inner join counted_subset using (slate_id)
where
    marked.versus = 'none'
    and (counted_subset.subset = 'all' or counted_subset.tier in (marked.tier, 'all'))
    and (counted_subset.population = 'all' or not marked.is_known)
union all
select
    slate_id,
    marked.versus,
    'part' as list_kind,
    part_pair.part as list_name,
    'all' as subset,
    part_pair.evidence_window,
    part_pair.population,
    disease_id,
    drug_id,
    marked.breadth_class
from marked
inner join part_pair using (slate_id, disease_id, drug_id)
where marked.versus = 'none'
union all
select
    slate_id,
    marked.versus,
    'size' as list_kind,
    cast(size.list_size as varchar) as list_name,
    'all' as subset,
    global_list_pair.evidence_window,
    global_list_pair.population,
    disease_id,
    drug_id,
    marked.breadth_class
from marked
inner join global_list_pair using (slate_id, disease_id, drug_id)
inner join
    (values (20, 0), (50, 20), (100, 50), (500, 100)) as size (list_size, smaller_size)
    on
        global_list_pair.place <= size.list_size
        and global_list_pair.n_predictions > size.smaller_size
where marked.versus = 'none'
union all
select
    marked.slate_id,
    marked.versus,
    'tier' as list_kind,
    comparison_prediction.tier as list_name,
    'all' as subset,
    'common' as evidence_window,
    comparison_prediction.population,
    marked.disease_id,
    marked.drug_id,
    marked.breadth_class
from marked
inner join comparison_prediction
    on
        marked.slate_id = comparison_prediction.slate_id
        and marked.versus = cast(comparison_prediction.versus_slate_id as varchar)
        and marked.disease_id = comparison_prediction.disease_id
        and marked.drug_id = comparison_prediction.drug_id
where marked.versus <> 'none' and comparison_prediction.is_listed
