-- Title:   Phases that ChEMBL shows of pairs
-- Formula: a release shows the pair in a higher phase than every earlier one, or for the first
--          time, as far as matches as strong and known as early tell
-- Source:  docs/metrics.md#indication_phase_event
-- Units:   as in the ledger; public, and event date, by indication_date of the row; where it has
--          none, by the first release that had this phase, or a higher one, under an identifier of
--          the row, and after the release before
-- Grain:   disease_id, drug_id, release_id, drug_alias, disease_alias
-- Note:    of several rows in that phase, the one whose identifiers showed it first, then the one
--          that was public first; phase NULL where none is known
with pair_release as (
    select
        indication_pair.disease_id,
        indication_pair.drug_id,
        indication_phase.release_id,
        indication_phase.position,
        indication_pair.level,
        indication_pair.known_since,
        indication_pair.is_shared,
        max(indication_phase.phase) as phase,
        min_by(
            {
                'indication_id': indication_pair.indication_id,
                'first_position': indication_phase.first_position,
                'reference_types': indication_date.reference_types,
                'public_after': indication_date.public_after,
                'public_by': indication_date.public_by,
                'dated_by': indication_date.dated_by,
                'drug_alias': indication_pair.drug_alias,
                'disease_alias': indication_pair.disease_alias,
                'match_kind': indication_pair.match_kind
            },
            (
                -indication_phase.phase,
                indication_phase.first_position,
                coalesce(indication_date.public_by, 'infinity'),
                indication_phase.indication_id
            )
        ) as news
    from indication_pair
    inner join indication_phase using (indication_id)
    left join indication_date using (indication_id)
    group by
        indication_pair.disease_id,
        indication_pair.drug_id,
        indication_phase.release_id,
        indication_phase.position,
        indication_pair.level,
        indication_pair.known_since,
        indication_pair.is_shared
),

-- What a slate that knows the row's aliases had seen of the pair before.
followed_pair as (
    select
        pair_release.disease_id,
        pair_release.drug_id,
        pair_release.release_id,
        pair_release.phase,
        pair_release.news,
        max(earlier.phase) as shown_phase
    from pair_release
    left join pair_release as earlier
        on
            pair_release.disease_id = earlier.disease_id
            and pair_release.drug_id = earlier.drug_id
            and pair_release.position > earlier.position
            and pair_release.is_shared = earlier.is_shared
            and pair_release.level >= earlier.level
            and pair_release.known_since >= earlier.known_since
    group by
        pair_release.disease_id,
        pair_release.drug_id,
        pair_release.release_id,
        pair_release.level,
        pair_release.known_since,
        pair_release.is_shared,
        pair_release.phase,
        pair_release.news
),

-- What the release shows cannot have become public after it.
dated_pair as (
    select
        followed_pair.*,
        if(
            followed_pair.news.dated_by is null,
            first_release.previous_released_on,
            followed_pair.news.public_after
        ) as public_after,
        least(followed_pair.news.public_by, first_release.released_on) as public_by
    from followed_pair
    inner join release_order as first_release
        on
            followed_pair.news.first_position = first_release.position
            and first_release.source = 'chembl'
    where followed_pair.phase > coalesce(followed_pair.shown_phase, -1)
)

select
    dated_pair.disease_id,
    dated_pair.drug_id,
    'indication_phase' as event_type,
    nullif(dated_pair.phase, 0) as phase,
    dated_pair.public_by as event_date,
    if(
        dated_pair.public_after >= dated_pair.public_by,
        cast(dated_pair.public_by - 1 as date),
        dated_pair.public_after
    ) as public_after,
    dated_pair.public_by,
    'chembl' as source,
    dated_pair.release_id,
    indication.source_key as record,
    dated_pair.news.drug_alias,
    dated_pair.news.disease_alias,
    dated_pair.news.match_kind,
    json_object(
        'phase', nullif(dated_pair.phase, 0),
        'record', indication.source_key,
        'chembl_id', indication.chembl_id,
        'efo_id', indication.efo_id,
        'mesh_id', indication.mesh_id,
        'references', dated_pair.news.reference_types,
        'dated_by', dated_pair.news.dated_by,
        'drug_alias', dated_pair.news.drug_alias,
        'disease_alias', dated_pair.news.disease_alias
    ) as detail
from dated_pair
inner join indication on dated_pair.news.indication_id = indication.indication_id
