-- Title:   Candidates by disease and breadth group
-- Formula: candidates of the disease whose drug falls in the breadth decile or cohort, in the
--          decile of its positive breadth, or has the breadth itself, and how many are hits
-- Source:  docs/metrics.md#disease_breadth_count
-- Units:   counts; they add up to breadth_baseline over the diseases
-- Grain:   slate_id, evidence_window, population, disease_id, grouping_kind, breadth_group
with drug_profile as (
    -- Drugs that fall in the same groups are counted as one: there are few such profiles.
    select
        slate_id,
        slate_sets.candidate_set_id,
        drug_breadth.drug_id,
        min(drug_breadth.drug_id) over (
            partition by
                slate_id,
                drug_breadth.breadth_decile,
                drug_breadth.breadth_cohort,
                drug_breadth.positive_decile,
                drug_breadth.breadth
        ) as profile_id
    from slate_sets
    inner join drug_breadth using (slate_id)
),

pair_count as (
    select
        slate_id,
        disease_id,
        drug_profile.profile_id,
        count(*) as n_pairs
    from candidate
    inner join drug_profile using (candidate_set_id, drug_id)
    semi join prediction using (slate_id, disease_id)
    group by all
),

marked_count as (
    select
        slate_id,
        marked.disease_id,
        drug_profile.profile_id,
        count(*) filter (where marked.is_known) as n_known,
        count(*) filter (where marked.is_hit) as n_hits,
        count(*) filter (where marked.is_hit and not marked.is_known) as n_novel_hits,
        count(*) filter (where marked.is_prospective_hit) as n_prospective_hits,
        count(*) filter (where marked.is_prospective_hit and not marked.is_known)
            as n_novel_prospective_hits
    from marked_candidate as marked
    inner join drug_profile using (slate_id, drug_id)
    group by all
),

profile_group as (
    select
        pair_count.slate_id,
        pair_count.disease_id,
        unnest(['decile', 'cohort', 'positive_decile', 'breadth']) as grouping_kind,
        unnest([
            drug_breadth.breadth_decile,
            drug_breadth.breadth_cohort,
            drug_breadth.positive_decile,
            drug_breadth.breadth
        ]) as breadth_group,
        pair_count.n_pairs,
        pair_count.n_pairs - coalesce(marked_count.n_known, 0) as n_novel,
        marked_count.n_hits,
        marked_count.n_novel_hits,
        marked_count.n_prospective_hits,
        marked_count.n_novel_prospective_hits
    from pair_count
    left join marked_count using (slate_id, disease_id, profile_id)
    inner join drug_breadth
        on
            pair_count.slate_id = drug_breadth.slate_id
            and pair_count.profile_id = drug_breadth.drug_id
)

select
    slate_id,
    unnest(['all', 'all', 'prospective', 'prospective']) as evidence_window,
    unnest(['all', 'novel', 'all', 'novel']) as population,
    disease_id,
    grouping_kind,
    breadth_group,
    cast(unnest([sum(n_pairs), sum(n_novel), sum(n_pairs), sum(n_novel)]) as bigint)
        as n_candidates,
    cast(
        coalesce(
            unnest([
                sum(n_hits),
                sum(n_novel_hits),
                sum(n_prospective_hits),
                sum(n_novel_prospective_hits)
            ]),
            0
        ) as bigint
    ) as n_candidate_hits
from profile_group
group by slate_id, disease_id, grouping_kind, breadth_group
