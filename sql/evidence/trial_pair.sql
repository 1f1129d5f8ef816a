-- Title:   Studies resolved to pairs
-- Formula: an intervention is a text of the drug and a condition one of the disease; only of
--          interventional studies, and not what stands in comparator arms alone
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

intervention as (
    select
        trial_id,
        if(
            is_mesh_term,
            concat(folded_name, ' [', coalesce(mesh_id, 'MeSH'), ']'),
            folded_name
        ) as value,
        is_mesh_term,
        coalesce(arm_role, 'experimental') as arm_role,
        coalesce(
            intervention_type not in ('PROCEDURE', 'BEHAVIORAL', 'DEVICE', 'DIAGNOSTIC_TEST'), true
        ) as is_drug
    from trial_intervention
),

-- A MeSH term states neither arm nor type: those of the texts that name its drug are its own. A
-- text that came to mean the drug later says nothing to slates that were recorded before.
drug_text as (
    select
        entity_text.entity_id as drug_id,
        intervention.trial_id,
        entity_text.value as drug_alias,
        entity_text.level,
        entity_text.strength,
        entity_text.known_since,
        entity_text.is_shared,
        -- A text that a stronger kind of match followed still means the drug.
        bool_and(entity_text.is_shared) over (
            partition by entity_text.entity_id, intervention.trial_id, entity_text.value
        ) as is_lost,
        intervention.is_mesh_term,
        intervention.arm_role,
        intervention.is_drug
    from intervention
    inner join entity_text on intervention.value = entity_text.value
    where entity_text.entity_kind = 'drug'
),

-- Most drugs are in experimental arms as drugs alone, and need no more.
otherwise_named as (
    select distinct
        drug_id,
        trial_id,
        is_lost
    from drug_text
    where not is_mesh_term and (arm_role <> 'experimental' or not is_drug)
),

drug_use as (
    select distinct
        drug_text.drug_id,
        drug_text.trial_id,
        drug_text.is_lost,
        drug_text.known_since,
        bool_and(drug_text.arm_role = 'comparator') over known_text as is_compared,
        case
            when
                bool_or(drug_text.is_drug and drug_text.arm_role = 'experimental') over known_text
                then null
            when
                bool_or(drug_text.is_drug and drug_text.arm_role = 'background') over known_text
                then 'background'
            else 'not as a drug'
        end as other_use
    from drug_text
    semi join otherwise_named using (drug_id, trial_id, is_lost)
    where not drug_text.is_mesh_term
    window
        known_text as (
            partition by drug_text.drug_id, drug_text.trial_id, drug_text.is_lost
            order by drug_text.known_since
            range between unbounded preceding and current row
        )
),

tested_text as (
    select distinct
        drug_id,
        trial_id,
        drug_alias,
        level,
        strength,
        known_since,
        is_shared,
        is_lost
    from drug_text
    where is_mesh_term or arm_role <> 'comparator'
),

named_drug as (
    select *
    from tested_text
    qualify
        known_since < coalesce(
            min(known_since) over (
                partition by drug_id, trial_id, is_shared
                order by level, known_since, drug_alias
                rows between unbounded preceding and 1 preceding
            ),
            'infinity'
        )
),

interventional_pair as (
    select
        named_disease.disease_id,
        named_drug.drug_id,
        named_drug.trial_id,
        named_drug.drug_alias,
        named_disease.disease_alias,
        greatest(named_drug.level, named_disease.level) as level,
        greatest(named_drug.strength, named_disease.strength) as strength,
        greatest(named_drug.known_since, named_disease.known_since) as known_since,
        named_drug.is_lost,
        named_drug.is_shared or named_disease.is_shared as is_shared,
        coalesce(study_use.study_use, 'other purpose') as study_use
    from named_drug
    inner join named_disease using (trial_id)
    inner join trial using (trial_id)
    left join study_use on coalesce(trial.primary_purpose, 'NOT_STATED') = study_use.primary_purpose
    where trial.study_type = 'INTERVENTIONAL'
),

named_pair as (
    select
        interventional_pair.* exclude (study_use),
        coalesce(drug_use.other_use, interventional_pair.study_use) as study_use
    from interventional_pair
    asof left join drug_use
        on
            interventional_pair.drug_id = drug_use.drug_id
            and interventional_pair.trial_id = drug_use.trial_id
            and interventional_pair.is_lost = drug_use.is_lost
            and interventional_pair.known_since >= drug_use.known_since
    where not coalesce(drug_use.is_compared, false)
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
