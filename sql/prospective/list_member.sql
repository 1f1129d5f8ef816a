-- Title:   Predictions by list, in strata in which a hit counts
-- Formula: predictions of each prediction_list, in strata with a candidate of counted_hit by the
--          list's rule: of its tier, population and class of nearness; of part_pair; or of
--          global_list_pair, up to the list's size
-- Source:  docs/metrics.md#list_member
-- Units:   breadth_class as in drug_breadth
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
            when nearness.drug_id is not null then 'near-known'
            else 'new'
        end as nearness,
        coalesce(marked_candidate.is_learned_later, false) as is_learned_later,
        prediction.tier
    from prediction
    inner join drug_breadth using (slate_id, drug_id)
    inner join slate_sets using (slate_id)
    semi join hit_stratum using (slate_id, disease_id, breadth_class)
    semi join candidate using (candidate_set_id, disease_id, drug_id)
    left join marked_candidate using (slate_id, disease_id, drug_id)
    left join nearness using (slate_id, disease_id, drug_id)
),

stratum as materialized (
    from prediction_list
    inner join hit_stratum using (slate_id, rule_number)
)

select
    slate_id,
    stratum.list_number,
    disease_id,
    predicted.drug_id,
    breadth_class
from stratum
inner join predicted using (slate_id, disease_id, breadth_class)
where
    stratum.tier in (predicted.tier, 'all')
    and (
        stratum.population = 'all'
        or predicted.nearness <> 'known'
        or (stratum.population = 'unlabeled' and predicted.is_learned_later)
    )
    and coalesce(stratum.nearness = predicted.nearness, true)
union all
select
    slate_id,
    stratum.list_number,
    disease_id,
    drug_id,
    breadth_class
from predicted
inner join part_pair using (slate_id, disease_id, drug_id)
inner join stratum using (slate_id, disease_id, breadth_class)
where stratum.list_kind = 'part' and part_pair.part = stratum.list_name
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
