-- Title:   Global lists
-- Result:  Lists and baselines
-- Formula: hits among the first 20, 50, 100 and 500 predictions over all diseases by score, as a
--          share of them (hit_rate), and beside those of equally popular candidates of the same
--          diseases (stratified_ratio); where the list ends within a tie, the hit rate is the mean
--          over all orders of the tied predictions, with the lowest and the highest
-- Units:   fraction 0..1; ratios, 1 = no better than equally popular candidates, of the list as it
--          stands, as are n_hits; tie_mean_hits is the mean over ties; n_tied predictions have the
--          last score on the list, and n_tied_listed of them are on it
-- Grain:   slate_id, evidence_window, population, list_size
with size_ratio as (
    from stratified_ratio
    where list_kind = 'size'
),

sized as (
    select
        pair.*,
        size_ratio.list_number,
        cast(size_ratio.list_name as integer) as list_size
    from global_list_pair as pair
    inner join size_ratio
        on
            pair.slate_id = size_ratio.slate_id
            and pair.evidence_window = size_ratio.evidence_window
            and pair.population = size_ratio.population
            and pair.place <= cast(size_ratio.list_name as integer)
),

placed as (
    select
        *,
        last_value(score) over whole_list as lowest_score,
        last_value(n_tied) over whole_list as n_last_tied,
        last_value(n_tied_so_far) over whole_list as n_tied_listed,
        last_value(n_tied_hits) over whole_list as n_last_tied_hits
    from sized
    window whole_list as (
        partition by slate_id, evidence_window, population, list_size
        order by place
        rows between unbounded preceding and unbounded following
    )
),

-- A tie at the edge is drawn from, where it is cut; all others are on the list in every order.
listed as (
    select
        slate_id,
        evidence_window,
        population,
        list_size,
        list_number,
        lowest_score,
        n_last_tied as n_tied,
        n_tied_listed,
        n_last_tied_hits as n_tied_hits,
        if(n_tied_listed < n_last_tied, n_tied_listed, 0) as n_drawn,
        count(*) as n_predictions,
        count(distinct disease_id) as n_diseases,
        count(distinct drug_id) as n_drugs,
        count(*) filter (where is_hit) as n_hits,
        count(*) filter (where is_hit and (score > lowest_score or n_tied_listed = n_last_tied))
            as n_sure_hits
    from placed
    group by all
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
    slate_id,
    evidence.evidence_window,
    population.population,
    -- Of a population without predictions only the shortest list, which is empty.
    coalesce(figure.list_size, 20) as list_size,
    figure.list_number,
    coalesce(figure.n_predictions, 0) as n_predictions,
    coalesce(figure.n_diseases, 0) as n_diseases,
    coalesce(figure.n_drugs, 0) as n_drugs,
    coalesce(figure.n_hits, 0) as n_hits,
    coalesce(figure.tie_mean_hits, 0) as tie_mean_hits,
    figure.tie_mean_hits / figure.n_predictions as hit_rate,
    figure.tie_low_hits / figure.n_predictions as tie_low_hit_rate,
    figure.tie_high_hits / figure.n_predictions as tie_high_hit_rate,
    size_ratio.expected_hits,
    size_ratio.ratio as enrichment_vs_matched,
    size_ratio.observed_vs_expected,
    size_ratio.own_share,
    figure.lowest_score,
    coalesce(figure.n_tied, 0) as n_tied,
    coalesce(figure.n_tied_listed, 0) as n_tied_listed,
    case
        when figure.list_size is null then 'no predictions of this population'
        when size_ratio.reason is not null then size_ratio.reason
        when figure.n_predictions < figure.list_size
            then 'the slate has fewer predictions of this population'
    end as reason
from slate
cross join (values ('all'), ('prospective')) as evidence (evidence_window)
cross join (values ('all'), ('novel')) as population (population)
left join figure using (slate_id, evidence_window, population)
left join size_ratio using (slate_id, list_number)
