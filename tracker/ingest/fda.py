"""Ingests FDA approvals: each submission and product stored when it is new or changed."""

from datetime import date
from pathlib import Path

from sqlalchemy import Connection, text

from tracker import folding
from tracker.errors import InputRefused, ProblemsFound
from tracker.ingest import ledger
from tracker.loads import Progress, silent
from tracker.sources import fda
from tracker.sources.formats import MAX_SHOWN

_FDA_NAMES = text(
    """
select trim(drug_name) as name from staged_product where drug_name is not null
union all
select trim(unnest(string_split(active_ingredients, ';'))) as name from staged_product
"""
)

_FDA_REPEATS = text(
    """
with repeated as (
    select
        max(source_key) as source_key,
        concat_ws(' ', application_number, submission_type, submission_number) as record
    from staged_submission
    group by application_number, submission_type, submission_number
    having count(*) > 1
    union all
    select
        max(source_key) as source_key,
        concat_ws(' product ', application_number, product_number) as record
    from staged_product
    group by application_number, product_number
    having count(*) > 1
)

select source_key, record, count(*) over () as n_problems
from repeated
order by source_key
limit :limit
"""
)

_PREPARE_APPROVAL = text(
    """
create or replace temp table new_approval as
with hashed as (
    select
        *,
        sha256(
            concat_ws(
                chr(31),
                coalesce(submission_status, chr(30)),
                coalesce(cast(status_date as varchar), chr(30)),
                coalesce(submission_class, chr(30)),
                coalesce(sponsor_name, chr(30))
            )
        ) as content_sha256
    from staged_submission
),

held as (
    select
        application_number,
        submission_type,
        submission_number,
        arg_max(content_sha256, approval_id) as content_sha256
    from approval
    group by application_number, submission_type, submission_number
)

select
    hashed.*,
    held.content_sha256 is distinct from hashed.content_sha256 as is_changed,
    (select coalesce(max(approval_id), 0) from approval) + row_number() over (
        order by
            is_changed desc,
            hashed.application_number,
            hashed.submission_type,
            hashed.submission_number
    ) as approval_id
from hashed
left join held
    on held.application_number = hashed.application_number
    and held.submission_type = hashed.submission_type
    and held.submission_number = hashed.submission_number
"""
)

_INSERT_APPROVAL = text(
    """
insert into approval by name
select
    approval_id,
    cast(:release_id as integer) as release_id,
    source_key,
    application_number,
    submission_type,
    submission_number,
    submission_status,
    status_date,
    submission_class,
    sponsor_name,
    content_sha256
from new_approval
where is_changed
order by approval_id
"""
)

_PREPARE_PRODUCT = text(
    """
create or replace temp table new_product as
with hashed as (
    select
        source_key,
        application_number,
        product_number,
        trim(drug_name) as drug_name,
        fold_name(trim(drug_name)) as folded_drug_name,
        active_ingredients,
        list_filter(
            list_transform(
                string_split(coalesce(active_ingredients, ''), ';'), lambda part: trim(part)
            ),
            lambda part: part <> ''
        ) as ingredients,
        sha256(
            concat_ws(
                chr(31),
                coalesce(trim(drug_name), chr(30)),
                coalesce(active_ingredients, chr(30))
            )
        ) as content_sha256
    from staged_product
),

held as (
    select
        application_number,
        product_number,
        arg_max(content_sha256, product_id) as content_sha256
    from approval_product
    group by application_number, product_number
)

select
    hashed.*,
    held.content_sha256 is distinct from hashed.content_sha256 as is_changed,
    (select coalesce(max(product_id), 0) from approval_product) + row_number() over (
        order by is_changed desc, hashed.application_number, hashed.product_number
    ) as product_id
from hashed
left join held
    on held.application_number = hashed.application_number
    and held.product_number = hashed.product_number
"""
)

_INSERT_PRODUCT = text(
    """
insert into approval_product by name
select
    product_id,
    cast(:release_id as integer) as release_id,
    source_key,
    application_number,
    product_number,
    drug_name,
    folded_drug_name,
    active_ingredients,
    len(ingredients) as n_ingredients,
    content_sha256
from new_product
where is_changed
order by product_id
"""
)

_INSERT_INGREDIENT = text(
    """
insert into product_ingredient by name
with entry as (
    select
        product_id,
        generate_subscripts(ingredients, 1) as position,
        unnest(ingredients) as name
    from new_product
    where is_changed
)

select
    product_id,
    position,
    name,
    fold_name(name) as folded_name
from entry
"""
)

_FDA_KEYS = text(
    """
select distinct
    'submission' as kind,
    concat_ws('/', application_number, submission_type, submission_number) as record_key
from approval
union all
select distinct
    'product' as kind,
    concat_ws('/', application_number, product_number) as record_key
from approval_product
"""
)

_NEW_FDA_KEYS = text(
    """
select
    'submission' as kind,
    concat_ws('/', application_number, submission_type, submission_number) as record_key
from new_approval
union all
select
    'product' as kind,
    concat_ws('/', application_number, product_number) as record_key
from new_product
"""
)


def ingest_fda(
    connection: Connection,
    path: Path,
    *,
    released_on: date | None = None,
    progress: Progress = silent,
) -> ledger.Ingested:
    """Store the submissions and products of the FDA that are new or changed.

    The release's date is `released_on`, else what the source says: the newest file of the
    Drugs@FDA zip, last_updated of openFDA. A record that a complete release lacks has vanished.
    Raises InputRefused or ProblemsFound naming file and record; the same content adds nothing.
    """
    progress("hashing")
    source = fda.locate(path)
    held = ledger.held(connection, "fda", source.sha256)
    if held is not None:
        return held
    progress("reading the approvals")
    edition = fda.stage(connection, source)
    released_on = released_on or edition.released_on
    if released_on is None:
        raise InputRefused(f"{path.name}: does not say its date; give --released")
    ledger.refuse_future(released_on)
    ledger.refuse_older(connection, "fda", path.name, released_on)
    repeats = connection.execute(_FDA_REPEATS, {"limit": MAX_SHOWN}).all()
    if repeats:
        raise ProblemsFound(
            [f"{row.source_key}: {row.record} stands there twice" for row in repeats],
            repeats[0].n_problems,
        )
    progress("storing what is new")
    folding.prepare(connection, _FDA_NAMES)
    connection.execute(_PREPARE_APPROVAL)
    connection.execute(_PREPARE_PRODUCT)
    n_rows = ledger.count_rows(connection, "new_approval") + ledger.count_rows(
        connection, "new_product"
    )
    version = released_on.isoformat()
    release_id = ledger.add_release(
        connection, "fda", version, released_on, source.sha256, path.name, n_rows
    )
    moved = ledger.record_presence(
        connection, release_id, _FDA_KEYS, _NEW_FDA_KEYS, edition.is_complete
    )
    n_before = ledger.count_rows(connection, "approval") + ledger.count_rows(
        connection, "approval_product"
    )
    for statement in (_INSERT_APPROVAL, _INSERT_PRODUCT):
        connection.execute(statement, {"release_id": release_id})
    connection.execute(_INSERT_INGREDIENT)
    n_after = ledger.count_rows(connection, "approval") + ledger.count_rows(
        connection, "approval_product"
    )
    n_versions = n_after - n_before
    complete = edition.is_complete
    ledger.add_coverage(connection, release_id, source.form, complete, n_rows, n_versions, *moved)
    return ledger.Ingested("fda", version, released_on, True, n_rows, n_versions, *moved)
