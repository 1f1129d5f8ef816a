-- Title:   Studies resolved to pairs
-- Formula: an intervention is a text of the drug and a condition one of the disease; only of
--          interventional studies, and not what stands in comparator arms alone
-- Source:  docs/metrics.md#trial_pair
-- Units:   a row for each version of a study; level is that of the weaker text; known_since is when
--          both were known; is_shared where one of them means its entity no longer to slates
--          recorded now; study_use as in study_use, by all texts of the drug
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

-- A MeSH term states neither arm nor type: those of the texts that name its drug are its own.
intervention as (
    select
        *,
        coalesce(
            intervention_type not in ('PROCEDURE', 'BEHAVIORAL', 'DEVICE', 'DIAGNOSTIC_TEST'), true
        ) as is_drug
    from trial_intervention
    where not is_mesh_term
),

placed_drug as (
    select
        entity_text.entity_id as drug_id,
        intervention.trial_id,
        bool_and(coalesce(intervention.arm_role = 'comparator', false)) as is_compared,
        case
            when
                bool_or(
                    intervention.is_drug
                    and coalesce(intervention.arm_role, 'experimental') = 'experimental'
                )
                then null
            when bool_or(intervention.is_drug and intervention.arm_role = 'background')
                then 'background'
            else 'not as a drug'
        end as other_use
    from intervention
    inner join entity_text on intervention.folded_name = entity_text.value
    where entity_text.entity_kind = 'drug'
    group by entity_text.entity_id, intervention.trial_id
),

named_drug as (
    select
        entity_text.entity_id as drug_id,
        trial_text.trial_id,
        entity_text.value as drug_alias,
        entity_text.level,
        entity_text.strength,
        entity_text.known_since,
        entity_text.is_shared,
        placed_drug.other_use
    from trial_text
    inner join entity_text using (value)
    left join placed_drug
        on
            entity_text.entity_id = placed_drug.drug_id
            and trial_text.trial_id = placed_drug.trial_id
    where
        trial_text.entity_kind = 'drug'
        and entity_text.entity_kind = 'drug'
        and not coalesce(placed_drug.is_compared, false)
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
        named_drug.is_shared or named_disease.is_shared as is_shared,
        coalesce(named_drug.other_use, study_use.study_use, 'other purpose') as study_use
    from named_drug
    inner join named_disease using (trial_id)
    inner join trial using (trial_id)
    left join study_use on coalesce(trial.primary_purpose, 'NOT_STATED') = study_use.primary_purpose
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
    named_pair.is_shared,
    named_pair.study_use
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
