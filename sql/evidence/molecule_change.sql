-- Title:   Molecules that ChEMBL gave another identifier
-- Result:  Evidence and matching
-- Formula: a molecule is gone from a release, and exactly one there has its InChIKey, else its
--          UNII, else its preferred name; keys of both must not contradict each other, and a name
--          counts only if it was one molecule's and the two were never in one release
-- Units:   release_id is the first release that shows the change; matched_by is inchi_key, unii or
--          name
-- Grain:   chembl_id, release_id
with shown_molecule as (
    select
        chembl_id,
        position
    from molecule_bearer
    where kind = 'chembl_id'
),

chembl_release as (
    select
        position,
        bool_and(is_whole) as is_whole
    from molecule_bearer
    group by position
),

first_shown as (
    select
        chembl_id,
        min(position) as position
    from shown_molecule
    group by chembl_id
),

followed_molecule as (
    select
        first_shown.chembl_id,
        chembl_release.position,
        chembl_release.is_whole and shown_molecule.position is null as is_gone,
        max(shown_molecule.position) over (
            partition by first_shown.chembl_id
            order by chembl_release.position
            rows between unbounded preceding and 1 preceding
        ) as last_position
    from first_shown
    inner join chembl_release on first_shown.position <= chembl_release.position
    left join shown_molecule
        on
            first_shown.chembl_id = shown_molecule.chembl_id
            and chembl_release.position = shown_molecule.position
),

gone_key as (
    select
        followed_molecule.chembl_id,
        followed_molecule.position,
        followed_molecule.last_position,
        molecule_bearer.kind,
        molecule_bearer.value
    from followed_molecule
    inner join molecule_bearer
        on
            followed_molecule.chembl_id = molecule_bearer.chembl_id
            and followed_molecule.last_position = molecule_bearer.position
    where followed_molecule.is_gone and molecule_bearer.kind <> 'chembl_id'
),

claim as (
    select
        gone_key.chembl_id,
        gone_key.position,
        gone_key.last_position,
        gone_key.kind,
        gone_key.value,
        case gone_key.kind
            when 'inchi_key' then 1
            when 'unii' then 2
            else 3
        end as strength,
        min(molecule_bearer.chembl_id) as new_chembl_id,
        count(distinct molecule_bearer.chembl_id) as n_bearers
    from gone_key
    inner join molecule_bearer
        on
            gone_key.position = molecule_bearer.position
            and gone_key.kind = molecule_bearer.kind
            and gone_key.value = molecule_bearer.value
    group by
        gone_key.chembl_id,
        gone_key.position,
        gone_key.last_position,
        gone_key.kind,
        gone_key.value
),

strongest_claim as (
    select *
    from claim
    qualify
        row_number() over (
            partition by chembl_id, position order by strength, value
        ) = 1
),

contradiction as (
    select
        strongest_claim.chembl_id,
        strongest_claim.position,
        strongest_claim.new_chembl_id
    from strongest_claim
    inner join gone_key
        on
            strongest_claim.chembl_id = gone_key.chembl_id
            and strongest_claim.position = gone_key.position
    inner join molecule_bearer
        on
            strongest_claim.new_chembl_id = molecule_bearer.chembl_id
            and gone_key.position = molecule_bearer.position
            and gone_key.kind = molecule_bearer.kind
    where gone_key.kind in ('inchi_key', 'unii')
    group by
        strongest_claim.chembl_id,
        strongest_claim.position,
        strongest_claim.new_chembl_id,
        gone_key.kind
    having not bool_or(gone_key.value = molecule_bearer.value)
),

-- Names are given to more than one molecule, keys of structures and substances are not.
common_name as (
    select
        position,
        value
    from molecule_bearer
    where kind = 'name'
    group by position, value
    having count(distinct chembl_id) > 1
),

meeting as (
    select distinct
        strongest_claim.chembl_id,
        strongest_claim.new_chembl_id
    from strongest_claim
    inner join shown_molecule as old_shown on strongest_claim.chembl_id = old_shown.chembl_id
    inner join shown_molecule as new_shown
        on
            strongest_claim.new_chembl_id = new_shown.chembl_id
            and old_shown.position = new_shown.position
)

select
    strongest_claim.chembl_id,
    strongest_claim.new_chembl_id,
    release_order.release_id,
    strongest_claim.kind as matched_by,
    strongest_claim.value
from strongest_claim
inner join release_order
    on strongest_claim.position = release_order.position and release_order.source = 'chembl'
anti join contradiction
    on
        strongest_claim.chembl_id = contradiction.chembl_id
        and strongest_claim.position = contradiction.position
        and strongest_claim.new_chembl_id = contradiction.new_chembl_id
left join common_name
    on
        strongest_claim.last_position = common_name.position
        and strongest_claim.value = common_name.value
left join meeting
    on
        strongest_claim.chembl_id = meeting.chembl_id
        and strongest_claim.new_chembl_id = meeting.new_chembl_id
where
    strongest_claim.n_bearers = 1
    and (
        strongest_claim.kind <> 'name'
        or (common_name.value is null and meeting.chembl_id is null)
    )
qualify
    row_number() over (
        partition by strongest_claim.chembl_id, strongest_claim.last_position
        order by strongest_claim.position
    ) = 1
