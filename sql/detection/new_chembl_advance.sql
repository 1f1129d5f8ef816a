-- Title:   Advances and approvals in ChEMBL not yet in the ledger
-- Formula: a release after the freeze shows the pair in a phase above that known at freeze, that
--          of every earlier release and that of every advance on record; 4 is an approval
-- Source:  docs/metrics.md#new_chembl_advance
-- Units:   event date and first public date are the release's; not public where it is the first
-- Grain:   slate_id, disease_id, drug_id, release_id
with pair_release as (
    select
        indication_pair.slate_id,
        indication_pair.disease_id,
        indication_pair.drug_id,
        indication_phase.release_id,
        indication_phase.position,
        max(indication_phase.phase) as phase,
        -- A row is new only where its phase exceeds that of earlier releases under its identifiers.
        max(indication_phase.phase) filter (
            where indication_phase.phase > coalesce(indication_phase.prior_phase, 0)
        ) as news_phase,
        min_by(
            {
                'indication_id': indication_pair.indication_id,
                'drug_alias': indication_pair.drug_alias,
                'disease_alias': indication_pair.disease_alias
            },
            (-indication_phase.phase, indication_phase.indication_id)
        ) filter (
            where indication_phase.phase > coalesce(indication_phase.prior_phase, 0)
        ) as news
    from indication_pair
    inner join indication_phase using (indication_id)
    group by
        indication_pair.slate_id,
        indication_pair.disease_id,
        indication_pair.drug_id,
        indication_phase.release_id,
        indication_phase.position
),

followed_pair as (
    select
        *,
        coalesce(
            max(phase) over (
                partition by slate_id, disease_id, drug_id
                order by position
                rows between unbounded preceding and 1 preceding
            ),
            0
        ) as shown_phase
    from pair_release
),

advance as (
    select
        followed_pair.slate_id,
        followed_pair.disease_id,
        followed_pair.drug_id,
        followed_pair.release_id,
        followed_pair.position,
        followed_pair.news_phase as phase,
        greatest(followed_pair.shown_phase, coalesce(pair_known_phase.known_phase, 0))
            as known_phase,
        followed_pair.news
    from followed_pair
    inner join freeze_position
        on
            followed_pair.slate_id = freeze_position.slate_id
            and freeze_position.source = 'chembl'
            and followed_pair.position > freeze_position.position
    left join pair_known_phase
        on
            followed_pair.slate_id = pair_known_phase.slate_id
            and followed_pair.disease_id = pair_known_phase.disease_id
            and followed_pair.drug_id = pair_known_phase.drug_id
    where
        followed_pair.news_phase >= 1
        and followed_pair.news_phase > followed_pair.shown_phase
        and followed_pair.news_phase > coalesce(pair_known_phase.known_phase, 0)
)

select
    advance.slate_id,
    advance.disease_id,
    advance.drug_id,
    if(advance.phase = 4, 'fda_approved', 'phase_advanced') as outcome_type,
    release_order.released_on as event_date,
    if(advance.position = 1, null, release_order.released_on) as first_public_on,
    'chembl' as source,
    advance.release_id,
    json_object(
        'phase', advance.phase,
        'known_phase', advance.known_phase,
        'record', indication.source_key,
        'chembl_id', indication.chembl_id,
        'efo_id', indication.efo_id,
        'mesh_id', indication.mesh_id,
        'drug_alias', advance.news.drug_alias,
        'disease_alias', advance.news.disease_alias
    ) as detail
from advance
inner join release_order on advance.release_id = release_order.release_id
inner join indication on advance.news.indication_id = indication.indication_id
anti join outcome
    on
        advance.slate_id = outcome.slate_id
        and advance.disease_id = outcome.disease_id
        and advance.drug_id = outcome.drug_id
        and outcome.source = 'chembl'
        and advance.phase <= if(
            outcome.outcome_type = 'fda_approved', 4, try_cast(outcome.detail ->> 'phase' as double)
        )
