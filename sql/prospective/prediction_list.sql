-- Title:   Lists of predictions that are compared with equally popular drugs
-- Formula: every tier, with all hits ('tier') and with failures in their place ('failure'); the
--          tier of the primary endpoint with each other hit_rule, whose kind is the list's; each
--          part of part_count ('part'); the first 20, 50, 100 and 500 over all diseases, up to the
--          first that holds all ('size')
-- Source:  docs/metrics.md#prediction_list
-- Units:   list_number numbers a slate's lists in the order of the grain; list_name is the tier or
--          what tells apart the lists of a kind; tier is NULL for parts and sizes; is_empty where
--          no prediction of the tier is of the population; knowledge_number is 0, for what was
--          known at the slate's own freeze
-- Grain:   slate_id, list_kind, list_name, evidence_window, population
with list as (
    select
        slate_id,
        if(hit_rule.rule_kind = 'all', 'tier', hit_rule.rule_kind) as list_kind,
        coalesce(hit_rule.rule_name, tier_count.tier) as list_name,
        hit_rule.evidence_window,
        hit_rule.population,
        hit_rule.nearness,
        tier_count.tier,
        tier_count.n_predictions = 0 as is_empty,
        hit_rule.rule_number
    from hit_rule
    inner join primary_endpoint using (slate_id)
    inner join tier_count
        on
            hit_rule.slate_id = tier_count.slate_id
            and hit_rule.evidence_window = tier_count.evidence_window
            and hit_rule.population = tier_count.population
            and (
                hit_rule.rule_kind in ('all', 'failure')
                or primary_endpoint.tier = tier_count.tier
            )
    union all
    select
        slate_id,
        'part' as list_kind,
        part_count.part as list_name,
        evidence_window,
        population,
        null as nearness,
        null as tier,
        false as is_empty,
        hit_rule.rule_number
    from part_count
    inner join hit_rule using (slate_id, evidence_window, population)
    where hit_rule.rule_kind = 'all'
    union all
    select
        slate_id,
        'size' as list_kind,
        cast(size.list_size as varchar) as list_name,
        evidence_window,
        population,
        null as nearness,
        null as tier,
        false as is_empty,
        hit_rule.rule_number
    from tier_count
    inner join
        (values (20, 0), (50, 20), (100, 50), (500, 100)) as size (list_size, smaller_size)
        on tier_count.n_predictions > size.smaller_size
    inner join hit_rule using (slate_id, evidence_window, population)
    where tier_count.tier = 'all' and hit_rule.rule_kind = 'all'
)

select
    slate_id,
    cast(
        row_number() over (
            partition by slate_id order by list_kind, list_name, evidence_window, population
        ) as integer
    ) as list_number,
    list_kind,
    list_name,
    evidence_window,
    population,
    nearness,
    tier,
    is_empty,
    rule_number,
    0 as knowledge_number
from list
