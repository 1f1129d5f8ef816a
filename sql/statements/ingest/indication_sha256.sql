-- Title:      SHA-256 of the indications of a release that is not a file
-- Reads:      new_indication
with line as (
    select
        indication_id,
        concat_ws(
            chr(31),
            source_key,
            chembl_id,
            coalesce(parent_chembl_id, chr(30)),
            coalesce(efo_id, chr(30)),
            coalesce(efo_term, chr(30)),
            coalesce(mesh_id, chr(30)),
            coalesce(mesh_heading, chr(30)),
            coalesce(cast(max_phase as varchar), chr(30))
        ) as content
    from new_indication
)

select sha256(string_agg(content, chr(29) order by indication_id)) as sha256
from line
