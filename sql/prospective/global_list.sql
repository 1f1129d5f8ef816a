-- Title:   Global lists
-- Formula: hits among the first 20, 50, 100 and 500 predictions over all diseases by score, as a
--          share of them (hit_rate), and beside those of equally popular candidates of the same
--          diseases (stratified_ratio); where the list ends within a tie, the hit rate is the mean
--          over all orders of the tied predictions, with the lowest and the highest
-- Source:  docs/metrics.md#global_list
-- Units:   fraction 0..1; ratios, 1 = no better than equally popular candidates, of the list as it
--          stands, as are n_hits; tie_mean_hits is the mean over ties; n_tied predictions have the
--          last score on the list, and n_tied_listed of them are on it
-- Grain:   slate_id, evidence_window, population, list_size
with edge as (
    select
        global_list_pair.slate_id,
        global_list_pair.evidence_window,
        global_list_pair.population,
        size.list_size,
        max(global_list_pair.place) as last_place
    from global_list_pair
    -- The last list is the first that holds every prediction.
    inner join
        (values (20, 0), (50, 20), (100, 50), (500, 100)) as size (list_size, smaller_size)
        on
            global_list_pair.place <= size.list_size
            and global_list_pair.n_predictions > size.smaller_size
    group by
        global_list_pair.slate_id,
        global_list_pair.evidence_window,
        global_list_pair.population,
        size.list_size
),

placed as (
    select
        edge.slate_id,
        edge.evidence_window,
        edge.population,
        edge.list_size,
        listed_pair.place,
        listed_pair.disease_id,
        listed_pair.drug_id,
        listed_pair.is_hit,
        listed_pair.score = last_pair.score and last_pair.n_tied_so_far < last_pair.n_tied
            as is_drawn,
        last_pair.score as lowest_score,
        last_pair.n_tied,
        last_pair.n_tied_so_far as n_tied_listed,
        last_pair.n_tied_hits
    from edge
    inner join global_list_pair as last_pair
        on
            edge.slate_id = last_pair.slate_id
            and edge.evidence_window = last_pair.evidence_window
            and edge.population = last_pair.population
            and edge.last_place = last_pair.place
    inner join global_list_pair as listed_pair
        on
            edge.slate_id = listed_pair.slate_id
            and edge.evidence_window = listed_pair.evidence_window
            and edge.population = listed_pair.population
            and edge.last_place >= listed_pair.place
),

listed as (
    select
        slate_id,
        evidence_window,
        population,
        list_size,
        lowest_score,
        n_tied,
        n_tied_listed,
        -- What a tie at the edge adds, where it is cut; all others are on the list in every order.
        if(bool_or(is_drawn), n_tied_listed, 0) as n_drawn,
        n_tied_hits,
        count(*) as n_predictions,
        count(distinct disease_id) as n_diseases,
        count(distinct drug_id) as n_drugs,
        count(*) filter (where is_hit) as n_hits,
        count(*) filter (where is_hit and not is_drawn) as n_sure_hits
    from placed
    group by
        slate_id,
        evidence_window,
        population,
        list_size,
        lowest_score,
        n_tied,
        n_tied_listed,
        n_tied_hits
),

figure as (
    select
        *,
        n_sure_hits + n_drawn * n_tied_hits / n_tied as tie_mean_hits,
        n_sure_hits + greatest(n_drawn - (n_tied - n_tied_hits), 0) as tie_low_hits,
        n_sure_hits + least(n_drawn, n_tied_hits) as tie_high_hits
    from listed
)

select
    slate_sets.slate_id,
    evidence.evidence_window,
    population.population,
    -- Of a population without predictions only the shortest list, which is empty.
    coalesce(figure.list_size, 20) as list_size,
    coalesce(figure.n_predictions, 0) as n_predictions,
    coalesce(figure.n_diseases, 0) as n_diseases,
    coalesce(figure.n_drugs, 0) as n_drugs,
    coalesce(figure.n_hits, 0) as n_hits,
    coalesce(figure.tie_mean_hits, 0) as tie_mean_hits,
    figure.tie_mean_hits / figure.n_predictions as hit_rate,
    figure.tie_low_hits / figure.n_predictions as tie_low_hit_rate,
    figure.tie_high_hits / figure.n_predictions as tie_high_hit_rate,
    if(
        slate_sets.reason is null and figure.list_size is not null,
        coalesce(stratified_ratio.expected_hits, 0),
        null
    ) as expected_hits,
    stratified_ratio.ratio as enrichment_vs_matched,
    stratified_ratio.observed_vs_expected,
    stratified_ratio.own_share,
    figure.lowest_score,
    coalesce(figure.n_tied, 0) as n_tied,
    coalesce(figure.n_tied_listed, 0) as n_tied_listed,
    case
        when figure.list_size is null then 'no predictions of this population'
        when slate_sets.reason is not null then slate_sets.reason
        when stratified_ratio.list_name is null
            then 'nothing came true among equally popular drugs'
        when stratified_ratio.reason is not null then stratified_ratio.reason
        when figure.n_predictions < figure.list_size
            then 'the slate has fewer predictions of this population'
    end as reason
from slate_sets
cross join (values ('all'), ('prospective')) as evidence (evidence_window)
cross join (values ('all'), ('novel')) as population (population)
left join figure
    on
        slate_sets.slate_id = figure.slate_id
        and evidence.evidence_window = figure.evidence_window
        and population.population = figure.population
left join stratified_ratio
    on
        figure.slate_id = stratified_ratio.slate_id
        and stratified_ratio.versus = 'none'
        and stratified_ratio.list_kind = 'size'
        and cast(figure.list_size as varchar) = stratified_ratio.list_name
        and figure.evidence_window = stratified_ratio.evidence_window
        and figure.population = stratified_ratio.population
