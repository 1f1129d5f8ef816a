-- Title:   Studies resolved to pairs
-- Formula: an intervention is a text of the drug and a condition one of the disease; only of
--          interventional studies, and not what stands in comparator arms alone
-- Source:  docs/metrics.md#trial_pair
-- Units:   a row for each version of a study; level is that of the weaker text; known_since is when
--          both were known; is_shared where one of them means its entity no longer to slates
--          recorded now
-- Grain:   disease_id, drug_id, trial_id, drug_alias, disease_alias, level, known_since, is_shared
-- Note:    of several texts the strongest, and a weaker one where it was known earlier; then the
--          first by value
with named_disease as (
    select
        entity_text.entity_id as disease_id,
        trial_text.trial_id,
        entity_text.value as disease_alias,
        entity_text.level,
        entity_text.strength,
        entity_text.known_since,
        entity_text.is_shared
    from trial_text
    inner join entity_text using (value)
    where trial_text.entity_kind = 'disease' and entity_text.entity_kind = 'disease'
    qualify
        entity_text.known_since < coalesce(
            min(entity_text.known_since) over (
                partition by
                    entity_text.entity_id, trial_text.trial_id, entity_text.is_shared
                order by entity_text.level, entity_text.known_since, entity_text.value
                rows between unbounded preceding and 1 preceding
            ),
            'infinity'
        )
),

-- A MeSH term states no arm: that of a drug named in comparator arms alone is theirs.
compared_drug as (
    select
        entity_text.entity_id as drug_id,
        trial_intervention.trial_id
    from trial_intervention
    inner join entity_text on trial_intervention.folded_name = entity_text.value
    where entity_text.entity_kind = 'drug' and not trial_intervention.is_mesh_term
    group by entity_text.entity_id, trial_intervention.trial_id
    having bool_and(coalesce(trial_intervention.arm_role = 'comparator', false))
),

named_drug as (
    select
        entity_text.entity_id as drug_id,
        trial_text.trial_id,
        entity_text.value as drug_alias,
        entity_text.level,
        entity_text.strength,
        entity_text.known_since,
        entity_text.is_shared
    from trial_text
    inner join entity_text using (value)
    anti join compared_drug
        on
            entity_text.entity_id = compared_drug.drug_id
            and trial_text.trial_id = compared_drug.trial_id
    where trial_text.entity_kind = 'drug' and entity_text.entity_kind = 'drug'
    qualify
        entity_text.known_since < coalesce(
            min(entity_text.known_since) over (
                partition by entity_text.entity_id, trial_text.trial_id, entity_text.is_shared
                order by entity_text.level, entity_text.known_since, entity_text.value
                rows between unbounded preceding and 1 preceding
            ),
            'infinity'
        )
),

named_pair as (
    select
        named_disease.disease_id,
        named_drug.drug_id,
        named_drug.trial_id,
        named_drug.drug_alias,
        named_disease.disease_alias,
        greatest(named_drug.level, named_disease.level) as level,
        greatest(named_drug.strength, named_disease.strength) as strength,
        greatest(named_drug.known_since, named_disease.known_since) as known_since,
        named_drug.is_shared or named_disease.is_shared as is_shared
    from named_drug
    inner join named_disease using (trial_id)
    inner join trial using (trial_id)
    where coalesce(trial.study_type, 'INTERVENTIONAL') = 'INTERVENTIONAL'
)

select
    named_pair.disease_id,
    named_pair.drug_id,
    named_pair.trial_id,
    named_pair.drug_alias,
    named_pair.disease_alias,
    named_pair.level,
    match_kind.match_kind,
    named_pair.known_since,
    named_pair.is_shared
from named_pair
inner join match_kind using (strength)
qualify
    named_pair.known_since < coalesce(
        min(named_pair.known_since) over (
            partition by
                named_pair.disease_id,
                named_pair.drug_id,
                named_pair.trial_id,
                named_pair.is_shared
            order by
                named_pair.level,
                named_pair.known_since,
                named_pair.drug_alias,
                named_pair.disease_alias
            rows between unbounded preceding and 1 preceding
        ),
        'infinity'
    )
