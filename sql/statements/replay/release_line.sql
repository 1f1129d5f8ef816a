-- Title:      Releases, and the records that vanished and returned, as lines that can be compared
-- Reads:      record_presence, release, release_coverage, vocabulary_release
-- Note:       Lines as in event_line. The name of a file does not count.
select
    'release' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(release.source, release.sha256) as varchar) as subject,
    concat_ws(' ', release.source, release.version) as record,
    json_object(
        'version', release.version,
        'released_on', release.released_on,
        'n_rows', release.n_rows,
        'form', release_coverage.form,
        'is_complete', release_coverage.is_complete,
        'n_records', release_coverage.n_records,
        'n_versions', release_coverage.n_versions,
        'n_vanished', release_coverage.n_vanished,
        'n_returned', release_coverage.n_returned,
        'n_terms', vocabulary_release.n_terms,
        'n_names', vocabulary_release.n_names,
        'n_parents', vocabulary_release.n_parents,
        'n_mappings', vocabulary_release.n_mappings
    ) as content,
    cast(release.release_id as bigint) as row_id
from release
left join release_coverage on release.release_id = release_coverage.release_id
left join vocabulary_release on release.release_id = vocabulary_release.release_id
union all
select
    'record_presence' as kind,
    concat_ws(' ', release.source, release.sha256) as part,
    cast(json_array(
        release.sha256, record_presence.kind, record_presence.record_key
    ) as varchar) as subject,
    concat_ws(' ', record_presence.kind, record_presence.record_key) as record,
    json_object('is_present', record_presence.is_present) as content,
    cast(null as bigint) as row_id
from record_presence
inner join release on record_presence.release_id = release.release_id
