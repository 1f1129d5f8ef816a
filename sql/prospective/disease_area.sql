-- Title:   Areas of a slate's diseases
-- Formula: areas above the terms that the disease is by identifier, else by replaced identifier, by
--          typed exact match, by cross-reference, by label, or by exact synonym; 'unknown' for none
-- Source:  docs/metrics.md#disease_area
-- Units:   areas overlap; those of a slate are of one vocabulary, that in which most of its
--          diseases have one, of equals the first of MONDO, DO, EFO and MeSH; no row without any
-- Grain:   slate_id, disease_id, area
with term_area as materialized (
    from vocabulary_area
),

predicted as (
    select distinct
        slate_id,
        disease_id
    from prediction
),

known_alias as (
    select
        *,
        regexp_replace(
            regexp_replace(upper(value), '^ORPHANET:', 'ORDO:'),
            '^(MSH|MESH):([CD])0*(\d{6,9})$',
            'MESH:\2\3'
        ) as identifier
    from disease_alias
    where
        added_at <= (select report_instant.as_of from report_instant)
        and kind <> 'synonym'
),

mapping as (
    select vocabulary_mapping.*
    from vocabulary_mapping
    inner join release using (release_id)
    where
        vocabulary_mapping.predicate
        in ('skos:exactMatch', 'oboInOwl:hasDbXref', 'oboInOwl:hasAlternativeId')
        and release.ingested_at <= (select report_instant.as_of from report_instant)
),

-- How an identifier leads to a term: of a release, or, where that is NULL, of any.
synonymous as (
    select distinct
        cast(null as integer) as release_id,
        term_id as identifier,
        term_id,
        1 as step
    from term_area
    union all
    select
        release_id,
        object_id as identifier,
        term_id,
        2 as step
    from mapping
    where predicate = 'oboInOwl:hasAlternativeId'
    union all
    select
        release_id,
        vocabulary_term.term_id as identifier,
        vocabulary_term.replaced_by as term_id,
        2 as step
    from vocabulary_term
    semi join term_area using (release_id)
    where vocabulary_term.replaced_by is not null
    union all
    select
        null as release_id,
        unnest([term_id, object_id]) as identifier,
        unnest([object_id, term_id]) as term_id,
        if(predicate = 'skos:exactMatch', 3, 4) as step
    from mapping
    where predicate <> 'oboInOwl:hasAlternativeId'
),

claim as (
    select
        known_alias.disease_id,
        synonymous.release_id,
        synonymous.term_id,
        synonymous.step
    from known_alias
    inner join synonymous using (identifier)
    where known_alias.kind <> 'name'
    union all
    select
        known_alias.disease_id,
        vocabulary_name.release_id,
        vocabulary_name.term_id,
        if(vocabulary_name.scope = 'label', 5, 6) as step
    from known_alias
    inner join vocabulary_name on known_alias.value = vocabulary_name.folded_name
    where known_alias.kind = 'name' and vocabulary_name.scope in ('label', 'exact')
),

placed as materialized (
    select
        claim.disease_id,
        term_area.release_id,
        term_area.source,
        term_area.area
    from claim
    inner join term_area
        on
            claim.term_id = term_area.term_id
            and coalesce(claim.release_id = term_area.release_id, true)
    qualify
        claim.step = min(claim.step) over (partition by claim.disease_id, term_area.release_id)
),

slate_release as (
    select
        predicted.slate_id,
        placed.release_id
    from predicted
    inner join placed using (disease_id)
    group by predicted.slate_id, placed.release_id, placed.source
    qualify
        row_number() over (
            partition by predicted.slate_id
            order by
                count(distinct disease_id) desc,
                coalesce(list_position(['mondo', 'doid', 'efo', 'mesh'], placed.source), 5),
                placed.release_id desc
        ) = 1
)

select distinct
    slate_id,
    disease_id,
    coalesce(placed.area, 'unknown') as area
from predicted
inner join slate_release using (slate_id)
left join placed using (disease_id, release_id)
