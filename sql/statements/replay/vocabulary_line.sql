-- Title:      What releases of vocabularies gave, as lines that can be compared between stores
-- Reads:      release, vocabulary_mapping, vocabulary_name, vocabulary_parent, vocabulary_term
-- Note:       Lines as in event_line. Rows that no key ties to their release may lack it.
select
    'vocabulary_term' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(release.sha256, vocabulary_term.term_id) as varchar) as subject,
    concat_ws(' ', vocabulary_term.term_id, 'in', release.source, release.version) as record,
    json_object(
        'label', vocabulary_term.label,
        'folded_label', fold_marks(vocabulary_term.folded_label),
        'is_obsolete', vocabulary_term.is_obsolete,
        'replaced_by', vocabulary_term.replaced_by
    ) as content,
    cast(null as bigint) as row_id
from vocabulary_term
left join release on vocabulary_term.release_id = release.release_id
union all
select
    'vocabulary_name' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(release.sha256, vocabulary_name.term_id) as varchar) as subject,
    concat_ws(' ', vocabulary_name.term_id, 'in', release.source, release.version) as record,
    json_object(
        'scope', vocabulary_name.scope,
        'name', vocabulary_name.name,
        'folded_name', fold_marks(vocabulary_name.folded_name)
    ) as content,
    cast(null as bigint) as row_id
from vocabulary_name
left join release on vocabulary_name.release_id = release.release_id
union all
select
    'vocabulary_parent' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(release.sha256, vocabulary_parent.term_id) as varchar) as subject,
    concat_ws(' ', vocabulary_parent.term_id, 'in', release.source, release.version) as record,
    json_object('parent_term_id', vocabulary_parent.parent_term_id) as content,
    cast(null as bigint) as row_id
from vocabulary_parent
left join release on vocabulary_parent.release_id = release.release_id
union all
select
    'vocabulary_mapping' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(release.sha256, vocabulary_mapping.term_id) as varchar) as subject,
    concat_ws(' ', vocabulary_mapping.term_id, 'in', release.source, release.version) as record,
    json_object(
        'predicate', vocabulary_mapping.predicate,
        'object_id', vocabulary_mapping.object_id
    ) as content,
    cast(null as bigint) as row_id
from vocabulary_mapping
left join release on vocabulary_mapping.release_id = release.release_id
