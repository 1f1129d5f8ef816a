-- Title:   Pairs whose close relatives were known
-- Formula: predictions and candidates of which another pair was known at the freeze: of the same
--          disease or one closely related (related_disease), and of the same drug or one molecule
--          with it, sharing a ChEMBL id, its own or its parent's; the closest such pair, and the
--          related diseases of all
-- Units:   relation is what the known disease is to the disease, or 'same molecule' for the same
--          disease, closeness its place: 1 same molecule, 2 same disease, 3 ancestor, 4 descendant,
--          5 sibling; near-known unless is_known, as in known_anywhere; candidates as in slate_sets
-- Grain:   slate_id, disease_id, drug_id
-- Stored:  evidence
-- Note:    the closest is the same molecule, then as in related_disease, of equals that of the
--          smallest class, then the first by name
with relative as (
    select
        slate_id,
        disease_id,
        related_disease_id as known_disease_id,
        relation,
        distance,
        class_size
    from related_disease
    union all
    select distinct
        slate_id,
        disease_id,
        disease_id as known_disease_id,
        'same molecule' as relation,
        0 as distance,
        1 as class_size
    from prediction
),

known_relative as (
    select
        relative.*,
        known_anywhere.drug_id as known_drug_id
    from known_anywhere
    inner join relative
        on
            known_anywhere.slate_id = relative.slate_id
            and known_anywhere.disease_id = relative.known_disease_id
),

-- A parent and its salts share an id, and so do salts of one parent.
drug_molecule as materialized (
    select
        drug_id,
        value as chembl_id
    from drug_alias
    where
        kind in ('chembl_id', 'parent_chembl_id')
        and added_at <= (select report_instant.as_of from report_instant)
),

near as (
    select
        *,
        known_drug_id as drug_id
    from known_relative
    where disease_id <> known_disease_id
    union all
    select distinct
        known_relative.*,
        drug_molecule.drug_id
    from known_relative
    inner join drug_molecule as known_molecule
        on known_relative.known_drug_id = known_molecule.drug_id
    inner join drug_molecule on known_molecule.chembl_id = drug_molecule.chembl_id
    where known_relative.known_drug_id <> drug_molecule.drug_id
),

-- Few pairs are near a known one, and candidates are many: they are read once, for these alone.
scored as (
    select
        slate_sets.slate_id,
        candidate.disease_id,
        candidate.drug_id,
        true as is_candidate
    from candidate
    inner join slate_sets using (candidate_set_id)
    semi join near using (slate_id, disease_id, drug_id)
    union all
    select
        slate_id,
        disease_id,
        drug_id,
        false as is_candidate
    from prediction
),

scored_pair as (
    select
        slate_id,
        disease_id,
        drug_id,
        bool_or(is_candidate) as is_candidate
    from scored
    group by slate_id, disease_id, drug_id
),

ordered as (
    select
        near.*,
        scored_pair.is_candidate,
        row(
            near.distance,
            near.class_size,
            disease.name,
            drug.name,
            near.known_disease_id,
            near.known_drug_id
        ) as farness
    from near
    inner join scored_pair using (slate_id, disease_id, drug_id)
    inner join disease on near.known_disease_id = disease.disease_id
    inner join drug on near.known_drug_id = drug.drug_id
),

closest as (
    select
        slate_id,
        disease_id,
        drug_id,
        is_candidate,
        arg_min(relation, farness) as relation,
        arg_min(known_disease_id, farness) as known_disease_id,
        arg_min(known_drug_id, farness) as known_drug_id,
        cast(1 + min(distance) as integer) as closeness,
        count(distinct known_disease_id) filter (where distance > 0) as n_related_diseases
    from ordered
    group by slate_id, disease_id, drug_id, is_candidate
)

select
    slate_id,
    disease_id,
    drug_id,
    closest.relation,
    closest.known_disease_id,
    closest.known_drug_id,
    closest.closeness,
    closest.n_related_diseases,
    known_anywhere.drug_id is not null as is_known,
    closest.is_candidate
from closest
left join known_anywhere using (slate_id, disease_id, drug_id)
