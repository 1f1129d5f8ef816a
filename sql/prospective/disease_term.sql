-- Title:   Terms that diseases are in the vocabulary of a slate
-- Formula: the terms that a disease of the store is by identifier, else by replaced identifier, by
--          typed exact match, by cross-reference, by label, or by exact synonym; of one release,
--          that which has most of the slate's diseases, of equals the first of MONDO, DO, EFO and
--          MeSH, and the newest
-- Units:   terms of vocabulary_area alone, and diseases that the slate does not predict for, too;
--          no row where no vocabulary has a disease of the slate
-- Grain:   slate_id, disease_id, term_id
with recursive term as materialized (
    select distinct
        release_id,
        source,
        term_id
    from vocabulary_area
),

predicted as (
    select distinct
        slate_id,
        disease_id
    from prediction
),

-- Identifiers as tracker/entities/curies.py spells those of vocabularies.
known_alias as (
    select
        disease_alias.*,
        regexp_replace(
            concat(
                coalesce(spelling.prefix, split_part(upper(disease_alias.value), ':', 1)),
                substr(
                    upper(disease_alias.value),
                    length(split_part(disease_alias.value, ':', 1)) + 1
                )
            ),
            '^MESH:([CD])0*(\d{6,9})$',
            'MESH:\1\2'
        ) as identifier
    from disease_alias
    left join
        (
            values
            ('MIM', 'OMIM'),
            ('MSH', 'MESH'),
            ('NCI', 'NCIT'),
            ('ORPHANET', 'ORDO'),
            ('SCTID', 'SNOMEDCT')
        ) as spelling (given_prefix, prefix)
        on split_part(upper(disease_alias.value), ':', 1) = spelling.given_prefix
    where
        disease_alias.added_at <= (select report_instant.as_of from report_instant)
        and disease_alias.kind <> 'synonym'
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

replacement as (
    select distinct
        vocabulary_term.term_id as identifier,
        vocabulary_term.replaced_by as term_id
    from vocabulary_term
    inner join release using (release_id)
    where
        vocabulary_term.replaced_by is not null
        and release.ingested_at <= (select report_instant.as_of from report_instant)
),

-- Each term that came after another, in any vocabulary; a circle ends where it began.
succession as (
    from replacement
    union
    select
        succession.identifier,
        replacement.term_id
    from succession
    inner join replacement on succession.term_id = replacement.identifier
),

-- How an identifier leads to a term: of a release, or, where that is NULL, of any.
synonymous as (
    select distinct
        cast(null as integer) as release_id,
        term_id as identifier,
        term_id,
        1 as step
    from term
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
        null as release_id,
        identifier,
        term_id,
        2 as step
    from succession
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
        term.release_id,
        term.source,
        claim.term_id
    from claim
    inner join term
        on
            claim.term_id = term.term_id
            and coalesce(claim.release_id = term.release_id, true)
    qualify
        claim.step = min(claim.step) over (partition by claim.disease_id, term.release_id)
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
    slate_release.slate_id,
    placed.disease_id,
    placed.term_id,
    placed.release_id
from slate_release
inner join placed using (release_id)
