"""Brings slates into the store: exports of another store, and slates published elsewhere."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection, FromClause, Row, text

from tracker import clock, files, schema, slates, temp_tables
from tracker.entities.kinds import DISEASE, DRUG
from tracker.errors import CheckFailed, InputRefused
from tracker.files import Column, InputFile
from tracker.log import exported_timestamps
from tracker.log.exported_timestamps import Taken
from tracker.slates import exports, freezing, outcomes, plans, published_folder, resolving
from tracker.slates.frozen import Slate
from tracker.store import sealed_sets, statements

PREDICTION_COLUMNS = (
    Column("disease_identifier"),
    Column("drug_identifier"),
    Column("score", "number"),
    Column("rank", "integer", low=1, high=2**31 - 1),
    Column("tier", choices=schema.TIERS),
    Column("known_label", "integer", required=False, low=0, high=4),
    Column("known_max_phase", "number", required=False, low=-1, high=4),
    Column("first_approval_year", "integer", required=False, low=1800, high=2200),
    Column("criterion", choices=schema.CRITERIA),
    Column("criterion_min_phase", "number", required=False, low=-1, high=4),
    Column("criterion_horizon_years", "integer", required=False, low=0, high=100),
    Column("disease_name"),
    Column("drug_name"),
)
OUTCOME_COLUMNS = (
    Column("disease_identifier"),
    Column("drug_identifier"),
    Column("outcome_type", choices=schema.OUTCOME_TYPES),
    Column("event_date", "date", required=False),
    Column("first_public_on", "date", required=False),
    Column("public_after", "date", required=False),
    Column("public_by", "date", required=False),
    Column("source"),
    Column("detail", "json", required=False),
    Column("observed_at", "instant"),
    # When and how another store found the outcome is for readers: it is not trusted here.
    Column("recorded_at", "instant", required=False),
    Column("outcome_origin", required=False),
    Column("disease_name"),
    Column("drug_name"),
)


@dataclass(frozen=True)
class Imported:
    """The result of importing one slate."""

    slate_id: UUID
    n_predictions: int
    n_duplicates: int
    n_outcomes: int
    n_foreign: int
    is_new: bool
    # The names of the sets that the exporting store had attached, with their kind.
    attached: tuple[str, ...] = ()
    # What came of the tokens of timestamping authorities in the export.
    tokens: Taken = field(default_factory=Taken)


def import_folder(connection: Connection, folder: Path) -> list[Imported]:
    """Store the slates of an export or of a published folder, with their outcomes.

    Rows already there are left alone, so importing again adds nothing. Raises InputRefused for
    another layout or a slate stored with other content, and CheckFailed if an export was altered,
    or a file of the sealed candidate set that the slate was frozen with.
    The timestamps of an export are verified against the roots that are trusted in this store.
    """
    try:
        if folder.is_file():
            raise InputRefused(f"{folder}: is a file, not a folder")
        if not folder.is_dir():
            raise InputRefused(f"{folder}: no such folder")
    except OSError as error:
        raise InputRefused(f"{folder}: cannot be read: {error.strerror}") from error
    if (folder / "manifest.json").is_file():
        return [_import_export(connection, folder)]
    if published_folder.is_published(folder):
        return _import_published(connection, folder)
    raise InputRefused(
        f"{folder}: contains neither an export (manifest.json) nor a published slate "
        "(registry.parquet)"
    )


def _import_export(connection: Connection, folder: Path) -> Imported:
    manifest, slate = exports.read_manifest(folder / "manifest.json")
    file = files.read(connection, folder / "predictions.parquet", PREDICTION_COLUMNS)
    outcome_file = files.read(
        connection, folder / "outcomes.parquet", OUTCOME_COLUMNS, allow_empty=True
    )
    temp_tables.refill(connection, slates.frozen_row, _resolve_identifiers(connection, file))
    digest = slates.incoming_sha256(connection, slate)
    _require_unaltered(folder, manifest, digest, outcome_file, file)
    _refuse_impossible_freeze(connection, slate)
    _refuse_repeated_pair(connection)
    stored = _stored(connection, slate.slate_id)
    if stored is not None and stored.content_sha256 != digest:
        raise InputRefused(f"slate {slate.slate_id} is already stored with different content")
    if stored is None:
        candidate_set_id = _find_set_id(
            connection,
            schema.candidate_set,
            slate.candidate_sha256,
            slate.parameters.get("candidates"),
        )
        if candidate_set_id is not None:
            sealed_sets.require_unaltered(connection, candidate_set_id)
        slates.record(
            connection,
            slate,
            origin="published" if manifest["origin"] == "published" else "imported",
            recorded_at=clock.in_order(connection),
            candidate_set_id=candidate_set_id,
            label_set_id=_find_set_id(
                connection, schema.label_set, slate.label_sha256, slate.parameters.get("labels")
            ),
        )
        notes = [
            {**note, "slate_id": slate.slate_id, "note_number": number}
            for number, note in enumerate(manifest["notes"], start=1)
        ]
        if notes:
            connection.execute(schema.slate_note.insert(), notes)
    outcome_pairs = _resolve_identifiers(connection, outcome_file)
    n_outcomes, n_foreign = _append_outcomes(
        connection, slate.slate_id, outcome_file, outcome_pairs
    )
    return Imported(
        slate.slate_id,
        slate.n_predictions,
        0,
        n_outcomes,
        n_foreign,
        stored is None,
        tuple(f"{one['set_kind']} '{one['name']}'" for one in manifest["attached"]),
        exported_timestamps.take(connection, folder, digest, manifest["timestamps"]),
    )


def _require_unaltered(
    folder: Path, manifest: dict[str, Any], content_sha256: str, *read: InputFile
) -> None:
    """Raise CheckFailed unless content and files have the hashes in the manifest."""
    stated = {**manifest["files"], "its content": manifest["content_sha256"]}
    found = {file.table.path.name: file.table.sha256 for file in read}
    for name, digest in {"its content": content_sha256, **found}.items():
        if stated.get(name) != digest:
            raise CheckFailed(
                f"{folder}: the export was altered: {name} has SHA-256 {digest[:12]}..., "
                "not the one in the manifest"
            )


def _refuse_impossible_freeze(connection: Connection, slate: Slate) -> None:
    """Refuse a future freeze, and a frozen_on other than its day unless a replay."""
    if slate.created_at > clock.now(connection):
        raise InputRefused("manifest.json: created_at is in the future")
    day = slate.created_at.date()
    if slate.frozen_on > day or (slate.frozen_on < day and not slate.is_replay):
        raise InputRefused(
            f"manifest.json: frozen_on {slate.frozen_on} is not the day of the freeze ({day})"
        )


def _refuse_repeated_pair(connection: Connection) -> None:
    row = slates.frozen_row.c
    pair = [row.disease_identifier, row.drug_identifier]
    repeated = sa.select(*pair).group_by(*pair).having(sa.func.count() > 1).order_by(*pair)
    found = connection.execute(repeated.limit(1)).first()
    if found is not None:
        raise InputRefused(
            f"predictions.parquet: drug '{found.drug_identifier}' is predicted for disease "
            f"'{found.disease_identifier}' more than once"
        )


def _import_published(connection: Connection, folder: Path) -> list[Imported]:
    published = published_folder.read(connection, folder)
    rows, _ = resolving.resolve_pairs(
        connection, published.registry, published.registry.numbered, create=True
    )
    _stage(connection, "registry_row", published_folder.REGISTRY_COLUMNS, rows)
    outcome_pairs = None
    if published.outcomes is not None:
        outcome_pairs, _ = resolving.resolve_pairs(
            connection, published.outcomes, published.outcomes.numbered, create=False
        )
    registry_sha256 = published.registry.table.sha256
    imported = []
    for entry in published.entries:
        key = {"slate_id": str(entry.slate_id)}
        statements.run(connection, "published_row", key)
        statements.run(connection, "published_prediction_row")
        count = text(
            "select count(*), count(*) filter (where repeat_number > 1) from published_row"
        )
        n_rows, n_duplicates = connection.execute(count).one()
        if n_rows == 0:
            raise InputRefused(f"registry.parquet: has no prediction of slate {entry.slate_id}")
        slate = Slate(
            slate_id=entry.slate_id,
            created_at=entry.created_at,
            frozen_on=entry.created_at.date(),
            description=entry.description,
            model_version=entry.model_version,
            parameters={**entry.parameters, "tiers": plans.default().tiers},
            fingerprint={**entry.fingerprint, "registry_sha256": registry_sha256},
            n_predictions=n_rows - n_duplicates,
        )
        stored = _stored(connection, entry.slate_id)
        if stored is not None and slates.from_row(stored).header != slate.header:
            raise InputRefused(f"slate {entry.slate_id} is already stored with different content")
        if stored is None:
            freezing.build_frozen_rows(connection, plans.default().tiers)
            recorded_at = clock.in_order(connection)
            slates.record(connection, slate, origin="published", recorded_at=recorded_at)
            statements.run(connection, "append_slate_note", key)
        n_outcomes, n_foreign = 0, 0
        if published.outcomes is not None and outcome_pairs is not None:
            own = (
                sa.select(outcome_pairs)
                .where(sa.cast(outcome_pairs.c.slate_id, sa.Uuid) == entry.slate_id)
                .subquery("own_outcome")
            )
            n_outcomes, n_foreign = _append_outcomes(
                connection, entry.slate_id, published.outcomes, own
            )
        imported.append(
            Imported(
                entry.slate_id,
                slate.n_predictions,
                n_duplicates,
                n_outcomes,
                n_foreign,
                stored is None,
            )
        )
    return imported


def _append_outcomes(
    connection: Connection, slate_id: UUID, file: InputFile, rows: FromClause
) -> tuple[int, int]:
    """Append outcomes of pairs the slate knows; return how many were new and how many set aside."""
    slate = _stored(connection, slate_id)
    if slate is None:
        raise InputRefused(f"slate {slate_id} is not stored")
    outcomes.stage(connection, rows)
    outcomes.refuse_impossible_times(connection, file)
    n_dropped = outcomes.drop_foreign(connection, slate)
    return outcomes.append(connection, slate, "imported"), n_dropped


def _resolve_identifiers(connection: Connection, file: InputFile) -> FromClause:
    """Resolve rows that have identifiers, or folded names, as they were frozen."""
    rows = file.numbered
    given = [
        rows.c[f"{entity.name}_identifier"].label(entity.file_identifier_column)
        for entity in (DISEASE, DRUG)
    ]
    mentioned = sa.select(*rows.c, *given).subquery("mentioned_row")
    return resolving.resolve_pairs(connection, file, mentioned, create=True, are_frozen=True)[0]


def _stage(
    connection: Connection, name: str, columns: tuple[Column, ...], rows: FromClause
) -> None:
    """Materialise resolved rows of a file as a temporary table."""
    types: dict[str, sa.types.TypeEngine[Any]] = {
        "number": sa.Double(),
        "integer": sa.Integer(),
        "date": sa.Date(),
        "instant": sa.TIMESTAMP(timezone=True),
    }
    kept = [column for column in columns if column.name not in ("disease_id", "chembl_id")]
    table = temp_tables.define(
        name,
        row_number=sa.BigInteger,
        disease_id=sa.Integer,
        drug_id=sa.Integer,
        **{column.name: types.get(column.kind, sa.String()) for column in kept},
    )
    temp_tables.refill(connection, table, rows)


def _stored(connection: Connection, slate_id: UUID) -> Row[Any] | None:
    slate = schema.slate
    return connection.execute(sa.select(slate).where(slate.c.slate_id == slate_id)).first()


def _find_set_id(
    connection: Connection, table: sa.Table, sha256: str | None, name: object
) -> int | None:
    """Return the key of the set loaded from the file a slate was frozen with, None if absent.

    Of several, read with other columns for instance, it is the one that has the name of the
    slate's set, else the first.
    """
    key = table.c[f"{table.name}_id"]
    found = sa.select(key).where(table.c.sha256 == sha256).order_by(table.c.name != str(name), key)
    return None if sha256 is None else connection.execute(found.limit(1)).scalar()
