"""Loads the user's candidates and labels into the store: all of a file or nothing.

A set is one file, loaded once and never changed, because slates are frozen against it.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import Connection, FromClause, Row, Subquery, Table

from tracker import clock, files, schema, temp_tables
from tracker.entities import molecules
from tracker.entities.kinds import DISEASE, DRUG
from tracker.errors import InputRefused, no_such
from tracker.files import Column, InputFile
from tracker.progress import Progress, silent
from tracker.slates import resolving, seals, shared_ids
from tracker.store import catalog

if TYPE_CHECKING:
    pass

# A set of more pairs is sealed unless the user says otherwise.
MOST_STORED_PAIRS = 5_000_000
# Stands between the name of a file and the columns that it was read with.
_READ_WITH = " --map "
NOTHING_RENAMED: Mapping[str, str] = MappingProxyType({})

CANDIDATE_COLUMNS = (
    *resolving.PAIR_COLUMNS,
    Column("score", "number", synonyms=("prediction", "probability", "prob")),
)
LABEL_COLUMNS = (
    *resolving.PAIR_COLUMNS,
    Column(
        "label",
        "integer",
        low=0,
        high=4,
        meaning="0 a negative, 1 to 3 the highest clinical phase, 4 approved",
    ),
    Column("max_phase", "number", required=False, low=-1, high=4),
    Column("approval_year", "integer", required=False, low=1800, high=2200),
)


@dataclass(frozen=True)
class Loaded:
    """The result of a load; `n_added` is 0 if the file had been loaded before.

    `n_repeated` rows repeated another and were left out. `merged` counts merged rows and names,
    None if there are none. `resembling` has new names with the known one nearest to each, by kind
    of entity; `kept_apart` has a sentence for each name of two drugs or diseases that an earlier
    version told apart. `guessed` has the column for each name in the file that was taken for it.
    `sealed_at` is the place of a sealed set.
    """

    name: str
    n_added: int
    n_rows: int
    n_new_drugs: int = 0
    n_new_diseases: int = 0
    n_repeated: int = 0
    merged: Row[Any] | None = None
    resembling: dict[str, dict[str, str]] = field(default_factory=dict)
    kept_apart: list[str] = field(default_factory=list)
    guessed: Mapping[str, str] = field(default_factory=dict)
    sealed_at: str | Path | None = None


def find_set(
    connection: Connection, table: Table, name: str, hint: str = "none is stored"
) -> Row[Any]:
    """Return the row of a candidate set or label set; InputRefused lists the known names.

    If there are none, the message ends with the hint.
    """
    row = connection.execute(sa.select(table).where(table.c.name == name)).first()
    if row is None:
        names = connection.execute(sa.select(table.c.name).order_by(table.c.name)).scalars().all()
        known = f"known: {', '.join(names)}" if names else hint
        raise no_such(table.name.replace("_", " "), name, names, known)
    return row


def load_candidates(
    connection: Connection,
    path: Path,
    name: str,
    model_version: str,
    *,
    allow_extra: bool = False,
    shared: shared_ids.Choice = "refuse",
    sealed: str | Path | bool | None = None,
    renamed: Mapping[str, str] = NOTHING_RENAMED,
    lower_is_better: bool = False,
    progress: Progress = silent,
) -> Loaded:
    """Load every pair a model scored as candidate set `name`.

    `renamed` has the column for a name in the file. If `lower_is_better`, as with ranks and
    distances, minus the file's scores are stored, and the SHA-256 of the set is not the file's. If
    `sealed`, the pairs go into files beside the store, or to the folder or address given; if None,
    they do so where there are more than MOST_STORED_PAIRS. Pairs that a file repeats under several
    names of one drug or disease are refused or, with `shared`, merged: the highest score counts.
    Raises ProblemsFound with file, row and column, or InputRefused if `name` has other content. The
    same file under the same name adds nothing.
    """
    if not model_version.strip():
        raise InputRefused("the version of the model cannot be empty")
    stored = _stored_set(
        connection, schema.candidate_set, path, name, shared, renamed, lower_is_better
    )
    if stored is not None:
        if stored.model_version != model_version:
            raise InputRefused(
                f"candidate set '{name}' was loaded from this file as model "
                f"'{stored.model_version}'"
            )
        return Loaded(name, 0, stored.n_pairs)
    # What cannot be sealed there is refused before a long file is read.
    place = seals.place_of(connection, None if sealed is True else sealed) if sealed else None
    progress("checking every row")
    file = files.read(connection, path, CANDIDATE_COLUMNS, allow_extra=allow_extra, renamed=renamed)
    if lower_is_better:
        file = replace(file, rows=_negated(file.rows))
    progress("matching names")
    resolved, added = resolving.resolve_pairs(connection, file, file.rows, create=True)
    merged = None
    if shared == "merge":
        merged = shared_ids.merge(connection, resolved, "merged_candidate", ("score",))
    n_pairs = file.n_rows if merged is None else shared_ids.count_pairs(connection)
    if sealed is None and n_pairs > MOST_STORED_PAIRS:
        place = seals.place_of(connection, None)
    progress(f"storing {n_pairs:,} candidates")
    members = schema.stored_candidate if place is None else seals.sealing_row
    if place is not None:
        temp_tables.recreate(connection, members)
    set_id = _store(
        connection,
        schema.candidate_set,
        members,
        resolved if merged is None else merged,
        {
            "name": name,
            "model_version": model_version,
            **_provenance(file, n_pairs, renamed, lower_is_better),
        },
    )
    if place is not None:
        seals.write(connection, set_id, place, progress)
    if merged is None:
        progress("looking for pairs that repeat")
        unique = next(check for check in catalog.read_checks() if check.name == "candidate_unique")
        repeated = connection.exec_driver_sql(
            "from (" + unique.select + "\n) where candidate_set_id = ? limit 1", (set_id,)
        ).first()
        if repeated is not None:
            _refuse_repeated_pairs(connection, file, shared)
    done = _finish(connection, file, schema.candidate_set, set_id, name, n_pairs, added)
    return replace(done, sealed_at=place)


def load_labels(
    connection: Connection,
    path: Path,
    name: str,
    *,
    allow_extra: bool = False,
    shared: shared_ids.Choice = "refuse",
    renamed: Mapping[str, str] = NOTHING_RENAMED,
    progress: Progress = silent,
) -> Loaded:
    """Load the known pairs as label set `name`; raises and repeats like load_candidates.

    With `shared`, the highest label of a pair counts (sql/statements/loads/merged_label.sql).
    """
    stored = _stored_set(connection, schema.label_set, path, name, shared, renamed)
    if stored is not None:
        return Loaded(name, 0, stored.n_pairs)
    progress("checking every row")
    file = files.read(connection, path, LABEL_COLUMNS, allow_extra=allow_extra, renamed=renamed)
    progress("matching names")
    labeled, added = resolving.resolve_pairs(connection, file, file.rows, create=True)
    n_rows = file.n_rows
    values = ("label", "max_phase", "approval_year")
    if _has_repeats(connection, labeled):
        # Rows that say the same of a pair, under the same names, are one.
        columns = [labeled.c[name] for name in (*shared_ids.KEYS, *values)]
        labeled = sa.select(*columns).distinct().order_by(*columns).subquery("pair")
        n_rows = connection.execute(sa.select(sa.func.count()).select_from(labeled)).scalar_one()
    merged = None
    if shared == "merge":
        merged = shared_ids.merge(connection, labeled, "merged_label", values)
    if merged is None and _has_repeats(connection, labeled):
        _refuse_repeated_pairs(connection, file, shared)
    n_pairs = n_rows if merged is None else shared_ids.count_pairs(connection)
    progress(f"storing {n_pairs:,} labeled pairs")
    set_id = _store(
        connection,
        schema.label_set,
        schema.labeled_pair,
        labeled if merged is None else merged,
        {"name": name, **_provenance(file, n_pairs, renamed)},
    )
    n_repeated = file.n_rows - n_rows
    return _finish(connection, file, schema.label_set, set_id, name, n_pairs, added, n_repeated)


def _has_repeats(connection: Connection, resolved: FromClause) -> bool:
    """Whether a pair is in several rows."""
    repeated = (
        sa.select(resolved.c.disease_id)
        .group_by(resolved.c.disease_id, resolved.c.drug_id)
        .having(sa.func.count() > 1)
        .limit(1)
    )
    return connection.execute(repeated).first() is not None


def _refuse_repeated_pairs(
    connection: Connection, file: InputFile, shared: shared_ids.Choice
) -> None:
    numbered, _ = resolving.resolve_pairs(connection, file, file.numbered, create=False)
    shared_ids.refuse_repeats(connection, file, numbered, shared)


def _finish(
    connection: Connection,
    file: InputFile,
    sets: Table,
    set_id: int,
    name: str,
    n_pairs: int,
    added: resolving.Added,
    n_repeated: int = 0,
) -> Loaded:
    """Store what was merged and which molecules the drugs are; return the result of the load."""
    n_merged = file.n_rows - n_repeated - n_pairs
    if n_merged:
        shared_ids.record(connection, sets, set_id, n_merged)
    molecules.link(connection)
    merged = shared_ids.stored(connection, sets, set_id)
    return Loaded(
        name,
        n_pairs,
        file.n_rows,
        added.created[DRUG].n,
        added.created[DISEASE].n,
        n_repeated,
        merged,
        {entity.name: found.resembling for entity, found in added.created.items()},
        added.kept_apart,
        file.guessed,
    )


def _stored_set(
    connection: Connection,
    table: Table,
    path: Path,
    name: str,
    shared: shared_ids.Choice,
    renamed: Mapping[str, str],
    lower_is_better: bool = False,
) -> Row[Any] | None:
    """Return the set of this name, loaded from this same file; None if the name is free."""
    files.require_file(path)
    if not name.strip():
        raise InputRefused("the name of a set cannot be empty")
    stored = connection.execute(sa.select(table).where(table.c.name == name)).first()
    if stored is None:
        return None
    kind = table.name.replace("_", " ")
    sha256 = files.sha256_of(path)
    if stored.sha256 == _set_sha256(sha256, not lower_is_better):
        raise InputRefused(
            f"{kind} '{name}' was loaded from this file with{'out' if lower_is_better else ''} "
            "--lower-is-better; choose another name"
        )
    if stored.sha256 != _set_sha256(sha256, lower_is_better):
        raise InputRefused(
            f"{kind} '{name}' was loaded from different content ({stored.origin}); choose another "
            "name"
        )
    before = stored.origin.partition(_READ_WITH)[2]
    if before != _worded(renamed):
        raise InputRefused(
            f"{kind} '{name}' was loaded from this file with "
            f"{f'--map {before}' if before else 'no --map'}; choose another name"
        )
    merged = shared_ids.stored(connection, table, stored[0])
    if merged is not None and shared != "merge":
        raise InputRefused(
            f"{kind} '{name}' was loaded from this file with --shared-ids merge (rows merged: "
            f"{merged.n_merged_rows:,}); give that option, or another name"
        )
    return stored


def _store(
    connection: Connection,
    sets: Table,
    members: Table,
    found: FromClause,
    provenance: dict[str, object],
) -> int:
    """Append a set and its pairs; return the key of the set."""
    key = sets.c[f"{sets.name}_id"]
    set_id = temp_tables.next_key(connection, key)
    loaded_at = clock.now(connection)
    connection.execute(sets.insert(), {key.name: set_id, "loaded_at": loaded_at, **provenance})
    names = [column.name for column in members.c if column.name != key.name]
    connection.execute(
        members.insert().from_select(
            [key.name, *names], sa.select(sa.literal(set_id), *[found.c[name] for name in names])
        )
    )
    return set_id


def _negated(rows: Subquery) -> Subquery:
    """Return the rows of a file with minus their scores; that of 0 is 0."""
    columns = [
        (0 - column).label("score") if column.name == "score" else column for column in rows.c
    ]
    return sa.select(*columns).subquery("negated_row")


def _set_sha256(file_sha256: str, lower_is_better: bool) -> str:
    """Return the SHA-256 of a set: its file's, unless the scores were negated.

    Then it is that of a line that says so and the file's, so that neither passes for the other.
    """
    if not lower_is_better:
        return file_sha256
    return hashlib.sha256(f"lower is better\n{file_sha256}\n".encode()).hexdigest()


def _provenance(
    file: InputFile, n_pairs: int, renamed: Mapping[str, str], lower_is_better: bool = False
) -> dict[str, object]:
    """Return what a set came from; the same file read with other columns is another set."""
    table = file.table
    origin = f"{table.path.name}{_READ_WITH}{_worded(renamed)}" if renamed else table.path.name
    sha256 = _set_sha256(table.sha256, lower_is_better)
    return {"sha256": sha256, "origin": origin, "n_pairs": n_pairs}


def _worded(renamed: Mapping[str, str]) -> str:
    return " ".join(f"{name}={column}" for name, column in sorted(renamed.items()))
