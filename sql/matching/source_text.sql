-- Title:   Texts and ids by which the sources name drugs and diseases
-- Formula: those of interventional studies, as now shown, of the indications of the newest release
--          of ChEMBL, of products with an FDA action, and of EMA's medicines, as now shown, that
--          can make events, each once
-- Units:   value as in trial_text, or an identifier, of a molecule every one that it had; an
--          indication has its terms with their ids too
-- Grain:   source, entity_kind, value
with newest_indication as (
    select indication.*
    from indication
    inner join release_order using (release_id)
    qualify release_order.position = max(release_order.position) over ()
),

indicated_molecule as (
    select distinct unnest([chembl_id, parent_chembl_id]) as value
    from newest_indication
),

indicated_text as (
    select
        'drug' as entity_kind,
        value
    from indicated_molecule
    union all
    select
        'drug' as entity_kind,
        molecule_identity.same_chembl_id as value
    from indicated_molecule
    inner join molecule_identity on indicated_molecule.value = molecule_identity.chembl_id
    union all
    select
        'disease' as entity_kind,
        unnest(
            [
                efo_id,
                mesh_id,
                folded_efo_term,
                folded_mesh_heading,
                folded_efo_term || ' [' || efo_id || ']',
                folded_mesh_heading || ' [' || mesh_id || ']'
            ]
        ) as value
    from newest_indication
),

shown_trial as (
    select trial_id
    from trial_state
    where until_position is null
),

shown_medicine as (
    select medicine_id
    from medicine_state
    where until_position is null
)

select distinct
    release_order.source,
    trial_text.entity_kind,
    trial_text.value
from trial_text
inner join trial using (trial_id)
inner join release_order using (release_id)
semi join shown_trial using (trial_id)
where trial.study_type = 'INTERVENTIONAL'
union all
select distinct
    'chembl' as source,
    entity_kind,
    value
from indicated_text
where value is not null
union all
select distinct
    'fda' as source,
    'drug' as entity_kind,
    name as value
from approval_action
union all
select distinct
    'ema' as source,
    medicine_text.entity_kind,
    medicine_text.value
from medicine_text
semi join shown_medicine using (medicine_id)
