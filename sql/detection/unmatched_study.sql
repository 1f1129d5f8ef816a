-- Title:   Studies that name no pair of the store
-- Result:  Evidence and matching
-- Formula: interventional studies, as now shown, without a row in trial_pair, with what is missing
-- Units:   reason is the first that holds: no condition or no tested intervention, no drug of
--          the store named, no disease, or the drug stands in comparator arms alone
-- Grain:   trial_id
with named as (
    select
        trial_text.trial_id,
        bool_or(trial_text.entity_kind = 'drug') as has_drug,
        bool_or(trial_text.entity_kind = 'disease') as has_disease
    from trial_text
    semi join entity_text
        on
            trial_text.entity_kind = entity_text.entity_kind
            and trial_text.value = entity_text.value
    group by trial_text.trial_id
),

listed as (
    select
        trial_text.trial_id,
        bool_or(trial_text.entity_kind = 'drug') and bool_or(trial_text.entity_kind = 'disease')
            as has_both
    from trial_text
    group by trial_text.trial_id
)

select
    trial_state.trial_id,
    trial_state.nct_id,
    trial.release_id,
    trial.title,
    case
        when not coalesce(listed.has_both, false) then 'has no condition or no tested intervention'
        when not coalesce(named.has_drug, false) then 'names no drug of the store'
        when not named.has_disease then 'names no disease of the store'
        else 'names the drug in comparator arms alone'
    end as reason
from trial_state
inner join trial using (trial_id)
left join listed using (trial_id)
left join named using (trial_id)
anti join trial_pair using (trial_id)
where trial_state.until_position is null and trial.study_type = 'INTERVENTIONAL'
