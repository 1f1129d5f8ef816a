-- Title:   Candidates, predictions and hits by stratum
-- Formula: of each list, counts in the disease x breadth class: candidates of the population and
--          class of nearness, predictions among them, and hits of both that the list counts, each
--          by its weight
-- Units:   counts; squares are sums of squared weights, and n_candidate_hits and n_listed_hits
--          count hits; breadth_class is near_class in class near-known; strata without a
--          candidate's hit or without a prediction have no row
-- Grain:   slate_id, list_number, disease_id, breadth_class
-- Portability: sums of decimal(38, 18) are the same whatever the number of threads
with hit_count as (
    select
        slate_id,
        rule_number,
        disease_id,
        breadth_class,
        cast(sum(cast(weight as decimal(38, 18))) as double) as candidate_hits,
        cast(sum(cast(weight ** 2 as decimal(38, 18))) as double) as candidate_squares,
        count(*) as n_candidate_hits
    from counted_hit
    group by slate_id, rule_number, disease_id, breadth_class
),

member_count as (
    select
        slate_id,
        list_number,
        list.population,
        list.nearness,
        list.knowledge_number,
        rule_number,
        disease_id,
        list_member.breadth_class,
        count(*) as n_predictions,
        count(counted_hit.drug_id) as n_hits,
        cast(sum(cast(counted_hit.weight as decimal(38, 18))) as double) as listed_hits,
        cast(sum(cast(counted_hit.weight ** 2 as decimal(38, 18))) as double) as listed_squares
    from list_member
    inner join prediction_list as list using (slate_id, list_number)
    left join counted_hit using (slate_id, rule_number, disease_id, drug_id)
    group by all
),

pair_count as (
    select
        slate_id,
        disease_id,
        breadth_class,
        cast(sum(n_candidates) as bigint) as n_pairs
    from breadth_cell
    group by slate_id, disease_id, breadth_class
),

class_count as (
    select
        slate_id,
        knowledge_number,
        disease_id,
        breadth_class,
        count(*) filter (where nearness = 'known') as n_known,
        count(*) filter (where is_learned_later) as n_learned_later,
        count(*) filter (where nearness = 'near-known') as n_near_known
    from class_candidate
    group by slate_id, knowledge_number, disease_id, breadth_class
)

select
    slate_id,
    member_count.list_number,
    disease_id,
    breadth_class,
    cast(
        case
            when member_count.nearness = 'known' then coalesce(class_count.n_known, 0)
            when member_count.nearness = 'near-known' then coalesce(class_count.n_near_known, 0)
            when member_count.nearness = 'new'
                then
                    pair_count.n_pairs
                    - coalesce(class_count.n_known + class_count.n_near_known, 0)
            when member_count.population = 'novel'
                then pair_count.n_pairs - coalesce(class_count.n_known, 0)
            when member_count.population = 'unlabeled'
                then
                    pair_count.n_pairs
                    - coalesce(class_count.n_known - class_count.n_learned_later, 0)
            else pair_count.n_pairs
        end as double
    ) as candidates,
    cast(member_count.n_predictions as double) as listed_pairs,
    hit_count.candidate_hits,
    coalesce(member_count.listed_hits, 0) as listed_hits,
    hit_count.candidate_squares,
    coalesce(member_count.listed_squares, 0) as listed_squares,
    hit_count.n_candidate_hits,
    member_count.n_hits as n_listed_hits
from member_count
left join pair_count using (slate_id, disease_id, breadth_class)
inner join hit_count using (slate_id, rule_number, disease_id, breadth_class)
left join class_count using (slate_id, knowledge_number, disease_id, breadth_class)
