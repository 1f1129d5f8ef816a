-- Title:   Drug breadth
-- Result:  Diseases and drugs
-- Formula: distinct diseases of the drug in the slate's labeled pairs; decile = NTILE(10) over
--          (breadth, MD5 of the drug's folded name); cohort = 1 + floor(10 (mid-rank - 0.5) / n),
--          capped at 10; class = 0 for breadth 0, else 1 + floor(ln(breadth) / ln(span) + 1e-9);
--          the positive_ columns count only labels above 0
-- Units:   diseases; decile and cohort 1 (least studied) to 10; none without a label set; span as
--          in breadth_span
-- Grain:   slate_id, drug_id
-- Stored:  freeze
with labeled_breadth as (
    select
        label_set_id,
        drug_id,
        count(distinct disease_id) as breadth,
        count(distinct disease_id) filter (where label > 0) as positive_breadth
    from labeled_pair
    group by label_set_id, drug_id
),

candidate_drug as (
    select distinct
        candidate_set_id,
        drug_id
    from candidate
),

universe as (
    select
        slate_sets.slate_id,
        slate_sets.label_set_id,
        candidate_drug.drug_id
    from slate_sets
    inner join candidate_drug using (candidate_set_id)
    where slate_sets.label_set_id is not null
    union
    select
        slate_sets.slate_id,
        slate_sets.label_set_id,
        labeled_breadth.drug_id
    from slate_sets
    inner join labeled_breadth using (label_set_id)
),

universe_breadth as (
    select
        universe.slate_id,
        universe.drug_id,
        coalesce(labeled_breadth.breadth, 0) as breadth,
        coalesce(labeled_breadth.positive_breadth, 0) as positive_breadth,
        breadth_span.breadth_span,
        coalesce(md5(drug_name.folded_name), '') as tie_order
    from universe
    inner join breadth_span on universe.slate_id = breadth_span.slate_id
    left join labeled_breadth using (label_set_id, drug_id)
    inner join slate on universe.slate_id = slate.slate_id
    left join entity_tie_name as drug_name
        on
            drug_name.entity_kind = 'drug'
            and universe.drug_id = drug_name.entity_id
            and (drug_name.name_number = 1 or slate.recorded_at >= drug_name.named_since)
            and slate.recorded_at < coalesce(drug_name.named_until, 'infinity')
),

ranked_drug as (
    select
        *,
        ntile(10) over (
            partition by slate_id order by breadth, tie_order, drug_id
        ) as breadth_decile,
        ntile(10) over (
            partition by slate_id order by positive_breadth, tie_order, drug_id
        ) as positive_decile,
        rank() over (partition by slate_id order by breadth) as first_rank,
        count(*) over (partition by slate_id, breadth) as n_tied,
        count(*) over (partition by slate_id) as n_drugs
    from universe_breadth
)

-- The mid-rank is first_rank + (n_tied - 1) / 2; doubled, the cohort needs whole numbers only.
select
    slate_id,
    drug_id,
    breadth,
    -- A bound of a class is a whole power of the span, whose quotient may fall short by rounding.
    cast(
        if(
            breadth = 0,
            0,
            1 + floor(ln(greatest(breadth, 1)) / ln(breadth_span) + 1e-9)
        ) as integer
    ) as breadth_class,
    breadth_decile,
    least(10, 1 + (10 * (2 * first_rank + n_tied - 2)) // (2 * n_drugs)) as breadth_cohort,
    positive_breadth,
    positive_decile
from ranked_drug
