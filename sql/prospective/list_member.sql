-- Title:   Predictions by list, in strata in which a hit counts
-- Formula: predictions of each prediction_list, in strata with a candidate of counted_hit by the
--          list's rule: of its tier, population and class of nearness; of prediction_part; or of
--          global_list_pair, up to the list's size
-- Units:   breadth_class as in drug_breadth; of class near-known, near_class
-- Grain:   slate_id, list_number, disease_id, drug_id
-- Stored:  evidence
with hit_stratum as materialized (
    select distinct
        slate_id,
        rule_number,
        disease_id,
        breadth_class
    from counted_hit
),

predicted as materialized (
    select
        slate_id,
        disease_id,
        drug_id,
        drug_breadth.breadth_class,
        case
            when marked_candidate.is_known then 'known'
            when near_pair.drug_id is not null then 'near-known'
            when placed_disease.has_relatives then 'new'
            else 'unplaced'
        end as nearness,
        near_pair.near_class,
        coalesce(marked_candidate.is_learned_later, false) as is_learned_later,
        prediction.tier
    from prediction
    inner join drug_breadth using (slate_id, drug_id)
    inner join slate_sets using (slate_id)
    inner join placed_disease using (slate_id, disease_id)
    semi join hit_stratum using (slate_id, disease_id, breadth_class)
    semi join candidate using (candidate_set_id, disease_id, drug_id)
    left join marked_candidate using (slate_id, disease_id, drug_id)
    left join near_pair using (slate_id, disease_id, drug_id)
),

-- Pairs with a known relative are also in the classes of list near-known, which no other list has.
classed as materialized (
    select
        slate_id,
        disease_id,
        drug_id,
        nearness,
        is_learned_later,
        tier,
        unnest(if(near_class is null, [breadth_class], [breadth_class, near_class]))
            as breadth_class
    from predicted
),

stratum as materialized (
    from prediction_list
    inner join hit_stratum using (slate_id, rule_number)
)

select
    slate_id,
    stratum.list_number,
    disease_id,
    classed.drug_id,
    breadth_class
from stratum
inner join classed using (slate_id, disease_id, breadth_class)
where
    stratum.tier in (classed.tier, 'all')
    and (
        stratum.population = 'all'
        or classed.nearness <> 'known'
        or (stratum.population = 'unlabeled' and classed.is_learned_later)
    )
    and coalesce(stratum.nearness = classed.nearness, true)
union all
select
    slate_id,
    stratum.list_number,
    disease_id,
    drug_id,
    breadth_class
from predicted
inner join prediction_part as part using (slate_id, disease_id, drug_id)
inner join stratum using (slate_id, disease_id, breadth_class)
where stratum.list_kind = 'part' and part.part = stratum.list_name
union all
select
    slate_id,
    stratum.list_number,
    disease_id,
    drug_id,
    breadth_class
from predicted
inner join global_list_pair as pair using (slate_id, disease_id, drug_id)
inner join stratum
    using (slate_id, evidence_window, population, disease_id, breadth_class)
where stratum.list_kind = 'size' and cast(stratum.list_name as integer) >= pair.place
