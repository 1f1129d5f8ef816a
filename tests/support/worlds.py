"""Puts small hand-written worlds into a store and reads views back as plain Python rows.

A world is a dict of table name to rows that have only the columns that matter; `complete` fills
the rest with the defaults in DEFAULTS and adds the parent rows (drug, disease, slate, sets,
releases) that the given rows refer to. A slate_id may be a small whole number: 1 is the UUID
ending in ...001. Rows of `outcome`, which is a view, are stored as what their slate's publisher
claims: events of the slate.
"""

import contextlib
import functools
import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection, text
from sqlalchemy.pool import NullPool

from tracker import schema
from tracker.store import catalog
from tracker.store.state import kept, scope

Row = dict[str, Any]
World = dict[str, list[Row]]

# What most views of slates read.
SHARED = scope.shared([view.name for view in catalog.read_views()], "slate_id")
FREEZE = date(2026, 1, 1)
# What a given outcome may have, in the order of the view.
OUTCOME = sa.Table(
    "outcome",
    sa.MetaData(),
    sa.Column("outcome_id", sa.BigInteger),
    sa.Column("slate_id", sa.Uuid),
    sa.Column("disease_id", sa.Integer),
    sa.Column("drug_id", sa.Integer),
    sa.Column("outcome_type", sa.String),
    sa.Column("event_date", sa.Date),
    sa.Column("first_public_on", sa.Date),
    sa.Column("public_after", sa.Date),
    sa.Column("public_by", sa.Date),
    sa.Column("source", sa.String),
    sa.Column("release_id", sa.Integer),
    sa.Column("detail", sa.JSON(none_as_null=True)),
    sa.Column("observed_at", sa.TIMESTAMP(timezone=True)),
    sa.Column("recorded_at", sa.TIMESTAMP(timezone=True)),
    sa.Column("outcome_origin", sa.String),
)
EARLY = datetime(2026, 1, 1, tzinfo=UTC)

# Parents before children; rows are inserted in this order.
TABLES = (
    "drug",
    "drug_alias",
    "disease",
    "disease_alias",
    "label_set",
    "labeled_pair",
    "candidate_set",
    "candidate",
    "release",
    "release_coverage",
    "vocabulary_release",
    "vocabulary_term",
    "vocabulary_name",
    "vocabulary_parent",
    "vocabulary_mapping",
    "indication",
    "indication_reference",
    "molecule_name",
    "molecule_key",
    "drug_warning",
    "trial",
    "study_number",
    "trial_condition",
    "trial_intervention",
    "approval",
    "approval_product",
    "product_ingredient",
    "medicine",
    "medicine_substance",
    "medicine_area",
    "record_presence",
    "matching",
    "disease_match",
    "drug_match",
    "shared_name",
    "slate",
    "slate_attachment",
    "timestamp_token",
    "round",
    "round_extension",
    "round_deposit",
    "round_entry",
    "log_entry",
    "log_head",
    "prediction",
    "event",
    "outcome",
    "annulment",
    "cutoff",
    "evaluation",
    "ranker_run",
    "loo_trial",
    "temporal_score",
    "estimate",
    "scoreboard",
    "recorded_verdict",
    "backtest",
    "backtest_run",
)

SIGNALS = {
    "first_trial_seen": "high",
    "phase_advanced": "high",
    "fda_approved": "high",
    "status_transition": "low",
    "trial_failed": "low",
    "ema_approved": "high",
    "approval_refused": "low",
    "approval_withdrawn": "low",
}

# Which table a key column points to. Missing parents are added with defaults.
PARENTS = {
    "drug_id": "drug",
    "disease_id": "disease",
    "label_set_id": "label_set",
    "candidate_set_id": "candidate_set",
    "release_id": "release",
    "slate_id": "slate",
    "round_id": "round",
    "evaluation_id": "evaluation",
    "backtest_id": "backtest",
}

# The documented defaults of the NOT NULL columns; {column} is taken from the row itself.
DEFAULTS: dict[str, Row] = {
    "drug": {"name": "drug {drug_id}"},
    "disease": {"name": "disease {disease_id}"},
    "label_set": {
        "name": "labels {label_set_id}",
        "sha256": "sha-labels-{label_set_id}",
        "origin": "test",
        "n_pairs": 0,
        "loaded_at": EARLY,
    },
    "labeled_pair": {"label": 4},
    "candidate_set": {
        "name": "candidates {candidate_set_id}",
        "model_version": "test",
        "sha256": "sha-candidates-{candidate_set_id}",
        "origin": "test",
        "n_pairs": 0,
        "loaded_at": EARLY,
    },
    "candidate": {"score": 0.5},
    "release": {
        "source": "chembl",
        "version": "release {release_id}",
        "released_on": FREEZE,
        "ingested_at": EARLY,
        "sha256": "sha-release-{release_id}",
        "origin": "test",
        "n_rows": 0,
    },
    "release_coverage": {
        "form": "API JSON",
        "is_complete": True,
        "n_records": "{n_versions}",
        "n_versions": 0,
        "n_vanished": 0,
        "n_returned": 0,
    },
    "vocabulary_release": {"n_terms": 1, "n_names": 1, "n_parents": 0, "n_mappings": 0},
    "vocabulary_term": {"folded_label": "{label}", "is_obsolete": False},
    "vocabulary_name": {"scope": "label", "name": "{folded_name}"},
    "slate": {
        "created_at": EARLY,
        "frozen_on": FREEZE,
        "recorded_at": EARLY,
        "origin": "frozen",
        "description": "slate {slate_id}",
        "model_version": "test",
        "parameters": {},
        "fingerprint": {},
        "is_replay": False,
        "n_predictions": 1,
        "content_sha256": "sha-slate-{slate_id}",
    },
    "slate_attachment": {"attached_at": EARLY},
    "annulment": {"reason": "mistaken", "annulled_at": EARLY},
    "log_entry": {"table_name": "slate", "n_rows": 1, "leaf_sha256": "-"},
    "log_head": {
        "log_id": UUID(int=1),
        "root_sha256": "-",
        "peaks": [],
        "sealed_at": EARLY,
        "reason": "written",
        "tracker_version": "test",
        "head_sha256": "sha-head-{head_id}",
    },
    "timestamp_token": {
        "generated_at": EARLY,
        "authority": "test",
        "root_sha256": "sha-root",
        "reply": "",
        "recorded_at": EARLY,
    },
    "prediction": {
        "disease_identifier": "EFO_{disease_id}",
        "drug_identifier": "CHEMBL{drug_id}",
        "score": 0.5,
        "rank": 1,
        "tier": "high",
        "criterion": "any_activity",
        "line_checksum": "-",
    },
    "event": {
        "event_type": "trial_registered",
        "source": "ctgov",
        "observed_at": datetime(2026, 6, 1, tzinfo=UTC),
    },
    "outcome": {
        "outcome_type": "first_trial_seen",
        "source": "ctgov",
        "observed_at": datetime(2026, 6, 1, tzinfo=UTC),
    },
}

# A round whose deadline is the day of the freeze; entries are baselines unless stated otherwise.
DEFAULTS |= {
    "round": {
        "name": "round {round_id}",
        "question": {},
        "question_sha256": "sha-round-{round_id}",
        "candidate_set_id": 1,
        "label_set_id": 1,
        "deadline": EARLY,
        "is_replay": False,
        "opened_at": EARLY,
    },
    "round_extension": {"reason": "asked for", "extended_at": EARLY},
    "round_deposit": {
        "round_id": 1,
        "team": "team {deposit_id}",
        "model": "test",
        "sha256": "sha-deposit-{deposit_id}",
        "token_id": 1,
        "deposited_at": EARLY,
    },
    "round_entry": {
        "round_id": 1,
        "entry_kind": "baseline",
        "entry_name": "{entry_kind}",
        "entered_at": EARLY,
    },
}

DEFAULTS |= {
    "evaluation": {"label_set_id": 1, "positive_min_label": 4, "created_at": EARLY},
    "backtest": {
        "recipe": {},
        "recipe_sha256": "sha-backtest-{backtest_id}",
        "followed_until": FREEZE,
        "created_at": EARLY,
    },
    "backtest_run": {
        "is_shuffled": False,
        "horizon_months": 24,
        "n_known": 40,
        "n_diseases": 4,
        "n_candidates": 100,
        "computed_at": EARLY,
    },
    "ranker_run": {"procedure": "leave_one_out", "origin": "test", "started_at": EARLY},
    "temporal_score": {"score": 0.5},
    "estimate": {
        "computed_at": EARLY,
        "view_name": "tier_hit_rate",
        "metric": "hit_rate",
        "row_key": {},
        "level": 0.95,
        "method": "Clopper-Pearson",
        "unit": "pair",
    },
    "scoreboard": {
        "recorded_at": EARLY,
        "metric": "hit_rate",
        "evidence_window": "all",
        "population": "all",
        "tier": "all",
        "n": 1,
        "previous_sha256": "-",
        "row_sha256": "-",
    },
}

# Evidence: an approval is an approved original, and a study interventional, unless stated
# otherwise.
DEFAULTS |= {
    "drug_alias": {"added_at": EARLY},
    "disease_alias": {"added_at": EARLY},
    "indication": {"source_key": "{indication_id}"},
    "trial": {
        "source_key": "{nct_id}",
        "content_sha256": "-",
        "study_type": "INTERVENTIONAL",
    },
    "trial_condition": {"name": "{folded_name}", "is_mesh_term": False},
    "trial_intervention": {
        "name": "{folded_name}",
        "is_other_name": False,
        "is_mesh_term": False,
    },
    "matching": {
        "matched_at": EARLY,
        "knowledge_sha256": "-",
        "last_trial_id": 0,
        "last_medicine_id": 0,
        "is_whole": True,
        "n_texts": 0,
        "n_matches": 0,
    },
    "drug_warning": {"warning_type": "Withdrawn"},
    "disease_match": {"matching_id": 1, "is_mesh_term": False, "known_since": EARLY},
    "drug_match": {"matching_id": 1, "is_mesh_term": False, "known_since": EARLY},
    "shared_name": {"matching_id": 1},
    "approval": {
        "source_key": "{approval_id}",
        "submission_type": "ORIG",
        "submission_number": "1",
        "submission_status": "AP",
        "content_sha256": "-",
    },
    "approval_product": {
        "source_key": "{product_id}",
        "product_number": "{product_id}",
        "n_ingredients": 1,
        "content_sha256": "-",
    },
    "product_ingredient": {"name": "{folded_name}"},
    "medicine": {
        "source_key": "{medicine_id}",
        "category": "human",
        "name": "{product_number}",
        "status": "Authorised",
        "n_substances": 1,
        "is_generic": False,
        "is_biosimilar": False,
        "content_sha256": "-",
    },
    "medicine_substance": {"position": 1, "name": "{folded_name}"},
    "medicine_area": {"position": 1, "name": "{folded_name}"},
    "record_presence": {"is_present": False},
}


def parse_uuid(cell: str) -> UUID:
    """Return the UUID; a small whole number n means UUID(int=n)."""
    return UUID(int=int(cell)) if cell.isdigit() and len(cell) < 12 else UUID(cell)


def _parse_bool(cell: str) -> bool:
    return {"true": True, "false": False}[cell]


def parse_instant(cell: str) -> datetime:
    instant = datetime.fromisoformat(cell)
    if instant.tzinfo is None:
        raise ValueError(f"{cell}: an instant needs its offset from UTC")
    return instant.astimezone(UTC)


def parse_table_cell(column: sa.Column[Any], cell: str) -> Any:
    if cell == "":
        return None
    match column.type:
        case sa.Uuid():
            return parse_uuid(cell)
        case sa.Boolean():
            return _parse_bool(cell)
        case sa.Date():
            return date.fromisoformat(cell)
        case sa.TIMESTAMP():
            return parse_instant(cell)
        case sa.Double():
            return float(cell)
        case sa.JSON():
            return json.loads(cell)
        case sa.Integer():
            return int(cell)
        case _:
            return cell


def flat(row: Row) -> Row:
    """Return a view's row with the fields of its JSON detail as separate columns."""
    detail = row.get("detail")
    fields: dict[str, Any] = detail if isinstance(detail, dict) else {}
    return row | {f"detail.{name}": value for name, value in fields.items()}


def view_types(connection: Connection, view: str) -> dict[str, str]:
    """Return the DuckDB type of each column of a view."""
    described = connection.execute(
        text("select column_name, data_type from duckdb_columns() where table_name = :view"),
        {"view": view},
    )
    return {row.column_name: row.data_type for row in described}


def typed(cell: str, kind: str) -> Any:
    """Return what an expected cell means in a column of DuckDB type `kind`.

    A list is given by words, of which "-" is a NULL.
    """
    if cell == "":
        return None
    if kind.endswith("[]"):
        words = ["" if word == "-" else word for word in cell.split()]
        return [typed(word, kind.removesuffix("[]")) for word in words]
    if kind == "DOUBLE" or kind.startswith("DECIMAL"):
        return math.inf if cell == "inf" else float(Fraction(cell))
    if kind == "BOOLEAN":
        return _parse_bool(cell)
    if kind == "UUID":
        return parse_uuid(cell)
    if kind == "DATE":
        return date.fromisoformat(cell)
    if kind == "TIMESTAMP WITH TIME ZONE":
        return parse_instant(cell)
    if kind.endswith("INT") or kind == "INTEGER":
        return int(cell)
    return cell.replace("\\t", "\t")


def complete(world: World) -> World:
    """Return the world with defaults filled in and missing parent rows added."""
    full: World = {table: [dict(row) for row in world.get(table, [])] for table in TABLES}
    unknown = set(world) - set(TABLES)
    if unknown:
        raise ValueError(f"tables the harness does not know: {sorted(unknown)}")
    # Children are looked at last to first, so that a slate added for a prediction is seen too.
    for table in reversed(TABLES):
        for row in full[table]:
            known = DEFAULTS.get(table, {}) | row
            for column, parent in PARENTS.items():
                if parent != table and known.get(column) is not None:
                    _add_parent(full[parent], column, known[column])
    for table in TABLES:
        columns = table_of(table).columns.keys()
        full[table] = [_fill(row, DEFAULTS.get(table, {}), columns) for row in full[table]]
    if "timestamp_token" not in world:
        # Unless the case is about dates, the freeze of every slate is proved.
        full["timestamp_token"] = [
            _fill(_proof(row, number), DEFAULTS["timestamp_token"], schema.timestamp_token.c.keys())
            for number, row in enumerate(full["slate"], start=1)
        ]
    for number, row in enumerate(full["outcome"], start=1):
        # Unless the case is about claims, an outcome was recorded when it was observed.
        if row["recorded_at"] is None:
            row["recorded_at"] = row["observed_at"]
        if row["outcome_origin"] is None:
            row["outcome_origin"] = "detected" if row["release_id"] else "loaded"
        if row["outcome_id"] is None:
            row["outcome_id"] = number
        if row["first_public_on"] is not None:
            row["public_by"] = row["first_public_on"]
            row["public_after"] = row["first_public_on"] - timedelta(days=1)
    for number, row in enumerate(full["event"], start=1):
        row["event_id"] = row["event_id"] or number
        row["recorded_at"] = row["recorded_at"] or row["observed_at"]
        row["event_origin"] = row["event_origin"] or "detected"
    return full


def partly_proved(rng: random.Random, world: World) -> World:
    """Return a complete world in which the freeze of some slates only is proved, or late."""
    for row in world["slate"]:
        row["recorded_at"] += timedelta(days=rng.choice((0, 0, 1, 100)))
        row["origin"] = rng.choice(("frozen", "imported"))
    tokens = [row for row in world["timestamp_token"] if rng.random() < 0.75]
    for row in tokens:
        row["generated_at"] += timedelta(days=rng.choice((0, 0, 0, 1, 60)))
    return {**world, "timestamp_token": tokens}


def table_of(name: str) -> sa.Table:
    """Return the table of this name, or the one whose rows a view shows.

    Outcomes have one of their own.
    """
    views = {"outcome": OUTCOME, "candidate": schema.stored_candidate}
    return views[name] if name in views else schema.metadata.tables[name]


def claimed(outcome: Row) -> Row:
    """Return the event that a given outcome is stored as: the claim of its slate's publisher."""
    detail = outcome["detail"] if isinstance(outcome["detail"], dict) else {}
    given = {name: outcome[name] for name in outcome.keys() & schema.event.columns.keys()}
    return given | {
        "event_id": outcome["outcome_id"],
        "event_type": outcome["outcome_type"],
        "event_origin": outcome["outcome_origin"],
        "phase": _proven_phase(outcome["outcome_type"], detail.get("phase")),
        "record": detail.get("record"),
        "drug_alias": detail.get("drug_alias"),
        "disease_alias": detail.get("disease_alias"),
    }


def _proven_phase(outcome_type: str, named: Any) -> float | None:
    if outcome_type in ("fda_approved", "ema_approved"):
        return 4.0
    if SIGNALS[outcome_type] == "low" or isinstance(named, bool):
        return None
    try:
        phase = float(named)
    except (TypeError, ValueError):
        return None
    return phase if 0 <= phase <= 4 else None


def _proof(slate: Row, number: int) -> Row:
    """Return a token by which the hash of a slate existed on the day it states."""
    frozen_at = datetime.combine(slate["frozen_on"], time(), UTC)
    return {
        "token_id": number,
        "sha256": slate["content_sha256"],
        "generated_at": frozen_at,
        "recorded_at": frozen_at,
    }


def _add_parent(rows: list[Row], column: str, value: Any) -> None:
    if all(row[column] != value for row in rows):
        rows.append({column: value})


def _fill(row: Row, defaults: Row, columns: Iterable[str]) -> Row:
    filled = dict.fromkeys(columns) | row
    for name, default in defaults.items():
        if name not in row:
            filled[name] = default.format(**filled) if isinstance(default, str) else default
    return filled


def insert(connection: Connection, world: World, *, skip: Iterable[str] = ()) -> None:
    """Insert a complete world, parents first. Tables in `skip` already have their rows."""
    for table in TABLES:
        rows = world[table]
        if rows and table not in skip:
            stored = schema.event if table == "outcome" else table_of(table)
            values = [claimed(row) for row in rows] if table == "outcome" else rows
            connection.execute(sa.insert(stored).values(values))


@contextlib.contextmanager
def scratch(path: Path) -> Iterator[Connection]:
    """Yield a connection whose changes are rolled back at exit: one store serves many worlds."""
    engine, _ = _opened(path)
    with engine.connect() as connection:
        transaction = connection.begin()
        try:
            yield connection
        finally:
            transaction.rollback()


@contextlib.contextmanager
def viewed(path: Path, world: World) -> Iterator[Connection]:
    """Yield a connection to a world, the views that most others read computed once.

    Each view is still read as it is defined; test_state holds that what is kept changes no figure.
    """
    with scratch(path) as connection:
        insert(connection, world)
        with kept.computed(connection), scope.computed_once(connection, SHARED):
            yield connection


@functools.cache
def _opened(path: Path) -> tuple[sa.Engine, Connection]:
    """Return an engine, and a connection that keeps the store loaded between worlds."""
    engine = sa.create_engine(
        sa.URL.create("duckdb", database=str(path)),
        connect_args={"config": {"threads": 1}},
        poolclass=NullPool,
    )
    return engine, engine.connect()


def view_rows(
    connection: Connection, view: str, slate_ids: Iterable[UUID] | None = None
) -> list[Row]:
    """Return every row of a view, or those of the given slates, instants in UTC."""
    relation = sa.table(view, sa.column("slate_id", sa.Uuid()))
    statement = sa.select(text("*")).select_from(relation)
    if slate_ids is not None:
        statement = statement.where(relation.c.slate_id.in_(list(slate_ids)))
    return [
        {name: _plain(value) for name, value in row.items()}
        for row in connection.execute(statement).mappings()
    ]


def _plain(value: Any) -> Any:
    return value.astimezone(UTC) if isinstance(value, datetime) else value


def same(expected: Any, actual: Any, relative: float = 1e-12, absolute: float = 0.0) -> bool:
    """Return whether two cells agree: numbers with a point within a tolerance, all else exactly."""
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(
            same(one, other, relative, absolute)
            for one, other in zip(expected, actual, strict=True)
        )
    if isinstance(expected, float):
        return isinstance(actual, float | Decimal) and math.isclose(
            expected, actual, rel_tol=relative, abs_tol=absolute
        )
    return type(expected) is type(actual) and bool(expected == actual)


def differences(
    expected: Sequence[Row],
    actual: Sequence[Row],
    grain: Sequence[str],
    columns: Iterable[str],
    absolute: float = 0.0,
) -> list[str]:
    """Return one line for each missing, surplus, repeated or deviating row, none if equal."""
    wanted, found = _by_key(expected, grain), _by_key(actual, grain)
    problems = [
        f"{side} row repeated: {key}"
        for side, rows in (("expected", expected), ("actual", actual))
        for key, count in Counter(_key(row, grain) for row in rows).items()
        if count > 1
    ]
    problems += [f"missing row: {wanted[key]}" for key in wanted if key not in found]
    problems += [f"surplus row: {found[key]}" for key in found if key not in wanted]
    names = list(columns)
    for key in wanted.keys() & found.keys():
        for name in names:
            if name not in found[key]:
                problems.append(f"no column {name}")
            elif not same(wanted[key][name], found[key][name], absolute=absolute):
                problems.append(
                    f"{dict(zip(grain, key, strict=True))}: {name} is {found[key][name]!r}, "
                    f"expected {wanted[key][name]!r}"
                )
    return problems


def _key(row: Mapping[str, Any], grain: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in grain)


def _by_key(rows: Sequence[Row], grain: Sequence[str]) -> dict[tuple[Any, ...], Row]:
    return {_key(row, grain): row for row in rows}
