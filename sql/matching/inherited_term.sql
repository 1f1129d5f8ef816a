-- Title:   Derived terms of past versions of studies
-- Formula: where no row of a past version's conditions, or of its interventions, is a MeSH term:
--          the terms of a version of the study that a snapshot showed with the same words
-- Units:   folded text; mesh_id as in trial_condition
-- Grain:   trial_id, entity_kind, folded_name, mesh_id
-- Note:    the registry derives the terms from the words, and its history lacks them; words are
--          compared sorted, joined by the sign 31, which no text has
with past_study as (
    select distinct nct_id
    from trial
    where version_number is not null
),

followed_trial as (
    select
        trial.trial_id,
        trial.nct_id,
        trial.version_number
    from trial
    semi join past_study using (nct_id)
),

word as (
    select
        trial_id,
        'disease' as entity_kind,
        trial_condition.folded_name,
        trial_condition.is_mesh_term,
        trial_condition.mesh_id
    from trial_condition
    semi join followed_trial using (trial_id)
    union
    select
        trial_id,
        'drug' as entity_kind,
        trial_intervention.folded_name,
        trial_intervention.is_mesh_term,
        trial_intervention.mesh_id
    from trial_intervention
    semi join followed_trial using (trial_id)
),

wording as (
    select
        followed_trial.trial_id,
        followed_trial.nct_id,
        followed_trial.version_number is not null as is_past,
        word.entity_kind,
        string_agg(word.folded_name, chr(31) order by word.folded_name) filter (
            where not word.is_mesh_term
        ) as words,
        bool_or(word.is_mesh_term) as has_terms
    from followed_trial
    inner join word using (trial_id)
    group by all
)

select distinct
    past.trial_id,
    past.entity_kind,
    word.folded_name,
    word.mesh_id
from wording as past
inner join wording as shown
    on
        past.nct_id = shown.nct_id
        and past.entity_kind = shown.entity_kind
        and past.words = shown.words
inner join word
    on
        shown.trial_id = word.trial_id
        and shown.entity_kind = word.entity_kind
where past.is_past and not past.has_terms and not shown.is_past and word.is_mesh_term
