-- Title:   The board of a round
-- Result:  Rounds
-- Formula: enrichment = r / s over the diseases of round_disease, those left out included as
--          misses; expected_hits = n_hits / enrichment, where that is not above 0 as in
--          enrichment_vs_matched and missed_hits more
-- Units:   ratio, 1 = no better than equally popular drugs, NULL with a reason; coverage 0..1 is
--          the share of the round's diseases that the entry lists; missed_hits is the part of s
--          from diseases left out, missed_variance its variance; n_pending are predictions without
--          a hit before the horizon ends; n_annulled are outcomes of predictions that were taken
--          back
-- Grain:   round_id, slate_id
with entry as (
    select round_entry.*
    from round_entry
    cross join report_instant
    where round_entry.entered_at <= report_instant.as_of
),

covered as (
    select
        slate_id,
        count(*) as n_diseases,
        count(*) filter (where not is_left_out) as n_listed_diseases,
        coalesce(sum(s order by disease_id) filter (where is_left_out), 0) as missed_hits,
        coalesce(sum(s_variance order by disease_id), 0) as missed_variance
    from round_disease
    group by slate_id
),

annulled as (
    select
        slate_id,
        count(*) as n_annulled
    from annulled_outcome
    semi join prediction using (slate_id, disease_id, drug_id)
    group by slate_id
)

select
    entry.round_id,
    slate_id,
    entry.entry_kind,
    entry.entry_name,
    deposit.team,
    deposit.model,
    model_slate.tier,
    model_slate.n_predictions,
    model_slate.n_hits,
    if(
        model_slate.own_share > 0.9,
        null,
        coalesce(model_slate.r, 0)
        / nullif(coalesce(model_slate.s, 0) + coalesce(covered.missed_hits, 0), 0)
    ) as enrichment,
    if(
        covered.missed_hits > 0,
        coalesce(
            model_slate.n_hits / nullif(enrichment, 0),
            coalesce(model_slate.expected_hits, 0) + covered.missed_hits
        ),
        model_slate.expected_hits
    ) as expected_hits,
    model_slate.r,
    model_slate.s,
    model_slate.own_share,
    coalesce(covered.n_diseases, 0) as n_diseases,
    coalesce(covered.n_listed_diseases, 0) as n_listed_diseases,
    covered.n_listed_diseases / nullif(covered.n_diseases, 0) as coverage,
    coalesce(covered.missed_hits, 0) as missed_hits,
    coalesce(covered.missed_variance, 0) as missed_variance,
    if(
        report_day.reported_on <= slate_horizon.ends_on,
        model_slate.n_predictions - model_slate.n_hits,
        0
    ) as n_pending,
    coalesce(annulled.n_annulled, 0) as n_annulled,
    slate_horizon.ends_on,
    if(enrichment is null, model_slate.reason, null) as reason
from entry
inner join model_slate using (slate_id)
inner join slate_horizon using (slate_id)
cross join report_day
left join round_deposit as deposit using (deposit_id)
left join covered using (slate_id)
left join annulled using (slate_id)
