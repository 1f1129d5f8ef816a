-- Title:   Lists of predictions that are compared with equally popular drugs
-- Result:  Lists and baselines
-- Formula: every tier, with all hits ('tier') and with failures in their place ('failure'); the
--          tier of the primary endpoint with each other hit_rule, whose kind is the list's; each
--          part of part_count ('part'); the first 20, 50, 100 and 500 over all diseases, up to the
--          first that holds all ('size')
-- Units:   list_number numbers a slate's lists in the order of the grain; list_name is the tier or
--          what tells apart the lists of a kind; tier is NULL for parts and sizes; is_empty where
--          no prediction of the tier is of the population; knowledge_number is 0, for what was
--          known at the slate's own freeze
-- Grain:   slate_id, list_kind, list_name, evidence_window, population
-- Stored:  evidence
with rule as materialized (
    from hit_rule
),

tier as materialized (
    from tier_count
),

list as (
    select
        slate_id,
        if(rule.rule_kind = 'all', 'tier', rule.rule_kind) as list_kind,
        coalesce(rule.rule_name, tier.tier) as list_name,
        rule.evidence_window,
        rule.population,
        rule.nearness,
        tier.tier,
        tier.n_predictions = 0 as is_empty,
        rule.rule_number
    from rule
    inner join primary_endpoint using (slate_id)
    inner join tier
        on
            rule.slate_id = tier.slate_id
            and rule.evidence_window = tier.evidence_window
            and rule.population = tier.population
            and (
                rule.rule_kind in ('all', 'failure')
                or primary_endpoint.tier = tier.tier
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
        rule.rule_number
    from part_count
    inner join rule using (slate_id, evidence_window, population)
    where rule.rule_kind = 'all'
    union all
    select
        slate_id,
        rule.rule_kind as list_kind,
        primary_endpoint.tier as list_name,
        rule.evidence_window,
        rule.population,
        null as nearness,
        primary_endpoint.tier,
        false as is_empty,
        rule.rule_number
    from rule
    inner join primary_endpoint using (slate_id)
    where rule.rule_kind = 'unlabeled'
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
        rule.rule_number
    from tier
    inner join
        (values (20, 0), (50, 20), (100, 50), (500, 100)) as size (list_size, smaller_size)
        on tier.n_predictions > size.smaller_size
    inner join rule using (slate_id, evidence_window, population)
    where tier.tier = 'all' and rule.rule_kind = 'all'
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
