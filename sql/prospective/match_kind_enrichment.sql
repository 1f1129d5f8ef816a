-- Title:   Primary enrichment by kind of match
-- Formula: stratified_ratio of the slate's primary endpoint with the hits found by this kind of
--          match or a stronger one, of predictions and of other candidates alike
-- Source:  docs/metrics.md#match_kind_enrichment
-- Units:   as in enrichment_vs_matched; strength as in match_kind; the weakest kind has all hits,
--          and alone a row where no candidate can be matched
-- Grain:   slate_id, strength
select
    match_kind_hit_rate.slate_id,
    match_kind_hit_rate.strength,
    match_kind_hit_rate.match_kind,
    match_kind_hit_rate.evidence_window,
    match_kind_hit_rate.population,
    match_kind_hit_rate.tier,
    match_kind_hit_rate.n_predictions,
    match_kind_hit_rate.n_hits,
    if(
        slate_sets.reason is null and match_kind_hit_rate.n_predictions > 0,
        coalesce(stratified_ratio.expected_hits, 0),
        null
    ) as expected_hits,
    stratified_ratio.ratio as enrichment_vs_matched,
    stratified_ratio.observed_vs_expected,
    stratified_ratio.own_share,
    case
        when slate_sets.reason is not null then slate_sets.reason
        when match_kind_hit_rate.reason is not null then match_kind_hit_rate.reason
        when stratified_ratio.list_name is null
            then 'nothing came true among equally popular drugs'
        else stratified_ratio.reason
    end as reason
from match_kind_hit_rate
inner join primary_endpoint
    on
        match_kind_hit_rate.slate_id = primary_endpoint.slate_id
        and match_kind_hit_rate.evidence_window = primary_endpoint.evidence_window
        and match_kind_hit_rate.population = primary_endpoint.population
        and match_kind_hit_rate.tier = primary_endpoint.tier
inner join shown_match_kind
    on
        match_kind_hit_rate.slate_id = shown_match_kind.slate_id
        and match_kind_hit_rate.strength = shown_match_kind.strength
inner join slate_sets on match_kind_hit_rate.slate_id = slate_sets.slate_id
left join stratified_ratio
    on
        match_kind_hit_rate.slate_id = stratified_ratio.slate_id
        and stratified_ratio.versus = 'none'
        and stratified_ratio.list_kind = if(shown_match_kind.is_weakest, 'tier', 'subset')
        and stratified_ratio.list_name
        = if(
            shown_match_kind.is_weakest,
            match_kind_hit_rate.tier,
            match_kind_hit_rate.match_kind
        )
        and match_kind_hit_rate.evidence_window = stratified_ratio.evidence_window
        and match_kind_hit_rate.population = stratified_ratio.population
where shown_match_kind.is_weakest or slate_sets.reason is null
