-- Title:      Number of indications of a stored release that differ from the incoming ones
-- Reads:      indication, new_indication
-- Note:       Detects differences when one version is ingested again from another kind of file.
with held as (
    select
        source_key,
        chembl_id,
        parent_chembl_id,
        efo_id,
        efo_term,
        mesh_id,
        mesh_heading,
        max_phase
    from indication
    where release_id = :release_id
),

given as (
    select
        source_key,
        chembl_id,
        parent_chembl_id,
        efo_id,
        efo_term,
        mesh_id,
        mesh_heading,
        max_phase
    from new_indication
),

difference as (
    (
        from held
        except all
        from given
    )
    union all
    (
        from given
        except all
        from held
    )
)

select count(*) as n_rows from difference
