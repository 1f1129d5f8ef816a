-- Title:   Predictions by list, in strata in which a hit counts
-- Formula: predictions of strata with a candidate of counted_hit, of each tier and of all; of the
--          primary tier, by class of nearness and for each subset of hits that counted_subset has;
--          of each part of part_pair; of the first 20, 50, 100 and 500 of global_list_pair; and in
--          the lists of equal length that two slates are compared by
-- Source:  docs/metrics.md#list_member
-- Units:   list_kind is 'tier', 'failure', 'subset', 'part' or 'size'; versus as in
--          known_candidate; subset, as in counted_subset, is that of the hits that the list counts
-- Grain:   slate_id, versus, list_kind, list_name, evidence_window, population, disease_id, drug_id
with predicted as materialized (
    select
        slate_id,
        disease_id,
        drug_id,
        drug_breadth.breadth_class,
        case
            when marked_candidate.is_known then 'known'
            when nearness.drug_id is not null then 'near-known'
            else 'new'
        end as nearness,
        prediction.tier
    from prediction
    inner join drug_breadth using (slate_id, drug_id)
    inner join slate_sets using (slate_id)
    semi join counted_hit using (slate_id, disease_id, breadth_class)
    semi join candidate using (candidate_set_id, disease_id, drug_id)
    left join marked_candidate using (slate_id, disease_id, drug_id)
    left join nearness using (slate_id, disease_id, drug_id)
),

hit_stratum as materialized (
    select distinct
        slate_id,
        versus,
        subset,
        evidence_window,
        population,
        disease_id,
        breadth_class,
        tier
    from counted_hit
)

-- A subset of hits, and a class of nearness, count for the tier of the primary endpoint.
select
    slate_id,
    hit_stratum.versus,
    case hit_stratum.subset
        when 'all' then 'tier'
        when 'failed' then 'failure'
        else 'subset'
    end as list_kind,
    unnest(
        case
            when hit_stratum.subset = 'failed' or hit_stratum.tier is null
                then [predicted.tier, 'all']
            when hit_stratum.subset = 'all' then [hit_stratum.tier]
            else [hit_stratum.subset]
        end
    ) as list_name,
    hit_stratum.subset,
    hit_stratum.evidence_window,
    hit_stratum.population,
    disease_id,
    predicted.drug_id,
    breadth_class
from predicted
inner join hit_stratum using (slate_id, disease_id, breadth_class)
where
    hit_stratum.versus = 'none'
    and coalesce(hit_stratum.tier in (predicted.tier, 'all'), true)
    and (
        hit_stratum.population in ('all', predicted.nearness)
        or (hit_stratum.population = 'novel' and predicted.nearness <> 'known')
    )
union all
select
    slate_id,
    hit_stratum.versus,
    'part' as list_kind,
    part_pair.part as list_name,
    hit_stratum.subset,
    evidence_window,
    population,
    disease_id,
    drug_id,
    breadth_class
from predicted
inner join part_pair using (slate_id, disease_id, drug_id)
inner join hit_stratum
    using (slate_id, evidence_window, population, disease_id, breadth_class)
where hit_stratum.subset = 'all'
union all
select
    slate_id,
    hit_stratum.versus,
    'size' as list_kind,
    cast(size.list_size as varchar) as list_name,
    hit_stratum.subset,
    evidence_window,
    population,
    disease_id,
    drug_id,
    breadth_class
from predicted
inner join global_list_pair as pair using (slate_id, disease_id, drug_id)
inner join hit_stratum
    using (slate_id, evidence_window, population, disease_id, breadth_class)
inner join
    (values (20, 0), (50, 20), (100, 50), (500, 100)) as size (list_size, smaller_size)
    on pair.place <= size.list_size and pair.n_predictions > size.smaller_size
where hit_stratum.subset = 'all'
union all
select
    slate_id,
    cast(compared.versus_slate_id as varchar) as versus,
    'tier' as list_kind,
    compared.tier as list_name,
    'all' as subset,
    'common' as evidence_window,
    compared.population,
    disease_id,
    drug_id,
    predicted.breadth_class
from predicted
inner join comparison_prediction as compared using (slate_id, disease_id, drug_id)
where compared.is_listed
