-- Title:   First studies of pairs that ChEMBL gives
-- Formula: of the studies of a pair's indications in all releases, the one that was public first,
--          as far as matches as strong and known as early tell
-- Units:   as in the ledger; event date and interval are those of indication_study, phase is NULL:
--          the study shows that the pair was in trials, not in which phase
-- Grain:   disease_id, drug_id, release_id, drug_alias, disease_alias
with named_study as (
    select
        indication_pair.disease_id,
        indication_pair.drug_id,
        indication_pair.level,
        indication_pair.known_since,
        indication_pair.is_shared,
        min_by(
            {
                'indication_id': indication_pair.indication_id,
                'nct_id': indication_study.nct_id,
                'public_after': indication_study.public_after,
                'public_by': indication_study.public_by,
                'dated_by': indication_study.dated_by,
                'drug_alias': indication_pair.drug_alias,
                'disease_alias': indication_pair.disease_alias,
                'match_kind': indication_pair.match_kind
            },
            (
                indication_study.public_by,
                release_order.position,
                indication_study.nct_id,
                indication_pair.indication_id
            )
        ) as study
    from indication_pair
    inner join indication_study using (indication_id)
    inner join indication using (indication_id)
    inner join release_order using (release_id)
    group by
        indication_pair.disease_id,
        indication_pair.drug_id,
        indication_pair.level,
        indication_pair.known_since,
        indication_pair.is_shared
),

first_study as (
    select named_study.*
    from named_study
    anti join named_study as other
        on
            named_study.disease_id = other.disease_id
            and named_study.drug_id = other.drug_id
            and named_study.is_shared = other.is_shared
            and named_study.level >= other.level
            and named_study.known_since >= other.known_since
            and (named_study.level > other.level or named_study.known_since > other.known_since)
            and named_study.study.public_by >= other.study.public_by
)

select
    first_study.disease_id,
    first_study.drug_id,
    'indication_phase' as event_type,
    cast(null as double) as phase,
    first_study.study.public_by as event_date,
    first_study.study.public_after,
    first_study.study.public_by,
    'chembl' as source,
    indication.release_id,
    indication.source_key as record,
    first_study.study.drug_alias,
    first_study.study.disease_alias,
    first_study.study.match_kind,
    json_object(
        'record', indication.source_key,
        'chembl_id', indication.chembl_id,
        'efo_id', indication.efo_id,
        'mesh_id', indication.mesh_id,
        'study', first_study.study.nct_id,
        'dated_by', first_study.study.dated_by,
        'drug_alias', first_study.study.drug_alias,
        'disease_alias', first_study.study.disease_alias
    ) as detail
from first_study
inner join indication on first_study.study.indication_id = indication.indication_id
