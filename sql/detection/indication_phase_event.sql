-- Title:   Phases that ChEMBL shows of pairs
-- Formula: a release shows the pair in a higher phase than every earlier one, or for the first
--          time, as far as matches as strong and known as early tell; and so in a lower phase that
--          references date earlier
-- Units:   as in the ledger; public, and event date, by indication_date of the row; where it has
--          none, by the first release that had this phase, or a higher one, under an identifier of
--          the row, and after the release before
-- Grain:   disease_id, drug_id, release_id, record, drug_alias, disease_alias
-- Note:    of several rows in that phase, the one that was public first, then a dated one, then the
--          one whose identifiers showed it first; phase NULL where none is known
with dated_phase as (
    select
        indication_phase.indication_id,
        indication_phase.release_id,
        indication_phase.position,
        indication_phase.phase,
        indication_phase.first_position,
        indication_date.reference_types,
        indication_date.dated_by,
        if(
            indication_date.dated_by is null,
            first_release.previous_released_on,
            indication_date.public_after
        ) as public_after,
        -- What a release shows cannot have become public after it.
        least(
            coalesce(indication_date.public_by, 'infinity'), first_release.released_on
        ) as public_by
    from indication_phase
    left join indication_date using (indication_id)
    inner join release_order as first_release
        on
            indication_phase.first_position = first_release.position
            and first_release.source = 'chembl'
),

pair_phase as (
    select
        indication_pair.disease_id,
        indication_pair.drug_id,
        dated_phase.release_id,
        dated_phase.position,
        indication_pair.level,
        indication_pair.known_since,
        indication_pair.is_shared,
        dated_phase.phase,
        min_by(
            {
                'indication_id': indication_pair.indication_id,
                'reference_types': dated_phase.reference_types,
                'public_after': dated_phase.public_after,
                'public_by': dated_phase.public_by,
                'dated_by': dated_phase.dated_by,
                'drug_alias': indication_pair.drug_alias,
                'disease_alias': indication_pair.disease_alias,
                'match_kind': indication_pair.match_kind
            },
            (
                dated_phase.public_by,
                dated_phase.dated_by is null,
                dated_phase.first_position,
                indication_pair.indication_id
            )
        ) as news
    from indication_pair
    inner join dated_phase using (indication_id)
    group by
        indication_pair.disease_id,
        indication_pair.drug_id,
        dated_phase.release_id,
        dated_phase.position,
        indication_pair.level,
        indication_pair.known_since,
        indication_pair.is_shared,
        dated_phase.phase
),

-- The highest phase, and each lower one that references show to have been public before it.
shown_phase as (
    select *
    from pair_phase
    window
        higher as (
            partition by disease_id, drug_id, release_id, level, known_since, is_shared
            order by phase desc
        )
    qualify
        row_number() over higher = 1
        or (
            struct_extract(news, 'dated_by') is not null
            and struct_extract(news, 'public_by') < min(struct_extract(news, 'public_by')) over (
                higher rows between unbounded preceding and 1 preceding
            )
        )
),

-- What a slate that knows the row's aliases had seen of the pair before.
followed_phase as (
    select
        shown_phase.disease_id,
        shown_phase.drug_id,
        shown_phase.release_id,
        shown_phase.phase,
        shown_phase.news,
        max(earlier.phase) as earlier_phase
    from shown_phase
    left join pair_phase as earlier
        on
            shown_phase.disease_id = earlier.disease_id
            and shown_phase.drug_id = earlier.drug_id
            and shown_phase.position > earlier.position
            and shown_phase.is_shared = earlier.is_shared
            and shown_phase.level >= earlier.level
            and shown_phase.known_since >= earlier.known_since
    group by
        shown_phase.disease_id,
        shown_phase.drug_id,
        shown_phase.release_id,
        shown_phase.level,
        shown_phase.known_since,
        shown_phase.is_shared,
        shown_phase.phase,
        shown_phase.news
)

select
    followed_phase.disease_id,
    followed_phase.drug_id,
    'indication_phase' as event_type,
    nullif(followed_phase.phase, 0) as phase,
    followed_phase.news.public_by as event_date,
    if(
        followed_phase.news.public_after >= followed_phase.news.public_by,
        cast(followed_phase.news.public_by - 1 as date),
        followed_phase.news.public_after
    ) as public_after,
    followed_phase.news.public_by,
    'chembl' as source,
    followed_phase.release_id,
    indication.source_key as record,
    followed_phase.news.drug_alias,
    followed_phase.news.disease_alias,
    followed_phase.news.match_kind,
    json_object(
        'phase', nullif(followed_phase.phase, 0),
        'record', indication.source_key,
        'chembl_id', indication.chembl_id,
        'efo_id', indication.efo_id,
        'mesh_id', indication.mesh_id,
        'references', followed_phase.news.reference_types,
        'dated_by', followed_phase.news.dated_by,
        'drug_alias', followed_phase.news.drug_alias,
        'disease_alias', followed_phase.news.disease_alias
    ) as detail
from followed_phase
inner join indication on followed_phase.news.indication_id = indication.indication_id
where followed_phase.phase > coalesce(followed_phase.earlier_phase, -1)
