-- Title:   Global lists
-- Formula: hits among the first 20, 50, 100 and 500 predictions over all diseases by score, as a
--          share of them (hit_rate), and beside those of equally popular candidates of the same
--          diseases (stratified_ratio)
-- Source:  docs/metrics.md#global_list
-- Units:   fraction 0..1; ratios, 1 = no better than equally popular candidates; n_tied predictions
--          have the last score on the list, and n_tied_listed of them are on it
-- Grain:   slate_id, evidence_window, population, list_size
with listed as (
    select
        global_list_pair.slate_id,
        global_list_pair.evidence_window,
        global_list_pair.population,
        size.list_size,
        count(*) as n_predictions,
        count(distinct global_list_pair.disease_id) as n_diseases,
        count(distinct global_list_pair.drug_id) as n_drugs,
        count(*) filter (where global_list_pair.is_hit) as n_hits,
        min(global_list_pair.score) as lowest_score,
        arg_max(global_list_pair.n_tied, global_list_pair.place) as n_tied,
        arg_max(global_list_pair.n_tied_so_far, global_list_pair.place) as n_tied_listed
    from global_list_pair
    -- The last list_name is the first that holds every prediction.
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
)

select
    slate_sets.slate_id,
    evidence.evidence_window,
    population.population,
    -- Of a population without predictions only the shortest list_name, which is empty.
    coalesce(listed.list_size, 20) as list_size,
    coalesce(listed.n_predictions, 0) as n_predictions,
    coalesce(listed.n_diseases, 0) as n_diseases,
    coalesce(listed.n_drugs, 0) as n_drugs,
    coalesce(listed.n_hits, 0) as n_hits,
    listed.n_hits / listed.n_predictions as hit_rate,
    if(
        slate_sets.reason is null and listed.list_size is not null,
        coalesce(stratified_ratio.expected_hits, 0),
        null
    ) as expected_hits,
    stratified_ratio.ratio as enrichment_vs_matched,
    stratified_ratio.observed_vs_expected,
    stratified_ratio.own_share,
    listed.lowest_score,
    coalesce(listed.n_tied, 0) as n_tied,
    coalesce(listed.n_tied_listed, 0) as n_tied_listed,
    case
        when listed.list_size is null then 'no predictions of this population'
        when slate_sets.reason is not null then slate_sets.reason
        when stratified_ratio.list_name is null
            then 'nothing came true among equally popular drugs'
        when stratified_ratio.reason is not null then stratified_ratio.reason
        when listed.n_predictions < listed.list_size
            then 'the slate has fewer predictions of this population'
    end as reason
from slate_sets
cross join (values ('all'), ('prospective')) as evidence (evidence_window)
cross join (values ('all'), ('novel')) as population (population)
left join listed
    on
        slate_sets.slate_id = listed.slate_id
        and evidence.evidence_window = listed.evidence_window
        and population.population = listed.population
left join stratified_ratio
    on
        listed.slate_id = stratified_ratio.slate_id
        and stratified_ratio.versus = 'none'
        and stratified_ratio.list_kind = 'size'
        and cast(listed.list_size as varchar) = stratified_ratio.list_name
        and listed.evidence_window = stratified_ratio.evidence_window
        and listed.population = stratified_ratio.population
