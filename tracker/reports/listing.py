"""Lists the data behind a slate's page as stored: predictions, evidence, provenance."""

from dataclasses import dataclass
from typing import Any

import duckdb
import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker import schema
from tracker.errors import InputRefused
from tracker.rows import Rows, rows_from
from tracker.store import statements
from tracker.store.state import scope
from tracker.version import VERSION

# The predictions on a page, the best ranks first; exports and csv have all.
MOST_PREDICTIONS = 1_000
# Annulled outcomes no longer count, but users still ask about them.
_CARDS = text(
    "(select * exclude (observed_at) from outcome_card union all by name "
    "select * exclude (annulled_at, observed_at), 'annulled' as counts_as from annulled_outcome) "
    "as card"
)


@dataclass(frozen=True)
class Listings:
    """The data behind a slate's page; `provenance` is a list of names and values."""

    predictions: Rows
    hits: Rows
    chain: Rows
    releases: Rows
    provenance: list[tuple[str, str]]


def read(connection: Connection, slate: Row[Any]) -> Listings:
    """Return the listings of a slate, as of the connection's instant."""
    # Many views read what the evidence of a prediction now shows.
    with scope.computed_once(connection, ["prediction_card"], {"slate_id": [slate.slate_id]}):
        return Listings(
            predictions(connection, slate, MOST_PREDICTIONS),
            predictions(connection, slate, MOST_PREDICTIONS, only_hits=True),
            chain(connection, slate),
            releases(connection),
            provenance(connection, slate),
        )


def outcomes(
    connection: Connection,
    slate: Row[Any],
    *,
    drug: str | None = None,
    disease: str | None = None,
    only_hits: bool = False,
) -> Rows:
    """Return the outcomes of the pairs that a slate scored, in the order of recording.

    `drug` and `disease` are names or identifiers; `counts_as` says why an outcome is a hit or not.
    Raises InputRefused if the store has no such drug or disease.
    """
    key = {
        "slate_id": str(slate.slate_id),
        "drug_id": _key_of(connection, "drug", drug),
        "disease_id": _key_of(connection, "disease", disease),
        "only_hits": only_hits,
    }
    with scope.of_slates(connection, slate):
        return rows_from(statements.run(connection, "listed_outcome", key))


def cards(connection: Connection, outcome_id: int) -> Rows:
    """Return the evidence cards of an outcome, one for each slate that contains its pair.

    Raises InputRefused if the store has no such outcome.
    """
    found = _cards(connection, outcome_id=outcome_id)
    if not found.values:
        raise InputRefused(f"the store has no outcome {outcome_id}; see 'tracker outcome list'")
    return found


def pair_cards(connection: Connection, slate: Row[Any], drug: str, disease: str) -> Rows:
    """Return the evidence cards of a pair that a slate scored, in the order of recording.

    `drug` and `disease` are names or identifiers. Raises InputRefused for an unknown one, and for a
    pair without an outcome.
    """
    key = {
        "drug_id": _key_of(connection, "drug", drug),
        "disease_id": _key_of(connection, "disease", disease),
    }
    found = _cards(connection, slate_id=slate.slate_id, **key)
    if not found.values:
        status = _status(connection, slate, key)
        raise InputRefused(
            f"slate {str(slate.slate_id)[:8]} has no outcome of '{drug}' and '{disease}': {status}"
        )
    return found


def _cards(connection: Connection, **key: Any) -> Rows:
    query = (
        sa.select(sa.text("*"))
        .select_from(_CARDS)
        .where(*[sa.column(name) == value for name, value in key.items()])
        .order_by(*map(sa.column, ["recorded_at", "slate_id", "disease_name", "outcome_id"]))
    )
    with scope.of_views(connection, "outcome_card", "annulled_outcome"):
        return rows_from(connection.execute(query))


def _status(connection: Connection, slate: Row[Any], key: dict[str, Any]) -> str:
    """Say what the prediction of a pair without an outcome waits for."""
    query = text(
        "select prediction.rank, due_date, status "
        "from prediction join falsification_status using (slate_id, disease_id, drug_id) "
        "where slate_id = :slate_id and drug_id = :drug_id and disease_id = :disease_id"
    )
    with scope.of_slates(connection, slate):
        found = connection.execute(query, {"slate_id": slate.slate_id, **key}).one_or_none()
    if found is None:
        return "it is not predicted"
    due = "" if found.due_date is None else f", due on {found.due_date}"
    return f"predicted at rank {found.rank}, {found.status}{due}"


def _key_of(connection: Connection, kind: str, name: str | None) -> int | None:
    if name is None:
        return None
    # This import takes longer than most listings.
    from tracker import entities
    from tracker.entities.kinds import DISEASE, DRUG

    (key,) = entities.keys_of(connection, {"drug": DRUG, "disease": DISEASE}[kind], [name])
    return key


def predictions(
    connection: Connection, slate: Row[Any], most: int, *, only_hits: bool = False
) -> Rows:
    """Return the slate's first `most` predictions, or hits, with what happened to each.

    They are sorted by rank and, within a rank, as in the canonical bytes. `is_hit` counts
    prospective hits, whose first event is `hit_event`, with its date, source and record. `evidence`
    lists the pair's recorded outcomes, earliest first, with date, timing and source; None without
    any.
    """
    key = {"slate_id": str(slate.slate_id), "only_hits": only_hits, "most": most}
    result = statements.run(connection, "listed_prediction", key)
    return rows_from(result)


def chain(connection: Connection, slate: Row[Any]) -> Rows:
    """Return the slates recorded up to this one, in the order of their hash chain."""
    table = schema.slate
    result = connection.execute(
        sa.select(
            table.c.frozen_on,
            table.c.slate_id,
            table.c.description,
            table.c.content_sha256,
            table.c.previous_sha256,
        )
        .where(table.c.recorded_at <= slate.recorded_at)
        .order_by(table.c.recorded_at, table.c.slate_id)
    )
    return rows_from(result)


def releases(connection: Connection) -> Rows:
    """Return the releases of outside sources in the store, as of the connection's instant."""
    result = connection.execute(
        text(
            "select source, version, released_on, n_rows, sha256 from release "
            "where ingested_at <= coalesce(cast(getvariable('as_of') as timestamptz), "
            "cast('infinity' as timestamptz)) order by released_on, source, version"
        )
    )
    return rows_from(result)


def provenance(connection: Connection, slate: Row[Any]) -> list[tuple[str, str]]:
    """Return names and values: the hashes of the frozen slate, the versions behind the page."""
    revision = connection.execute(text("select version_num from alembic_version")).scalar_one()
    named = [
        ("SHA-256 of the slate", slate.content_sha256),
        ("SHA-256 of the slate before it", slate.previous_sha256 or "none: the first of its chain"),
        ("SHA-256 of the candidate file", slate.candidate_sha256),
        ("SHA-256 of the label file", slate.label_sha256),
        ("SHA-256 of the aliases", slate.alias_sha256),
        ("tables of the store", f"revision {revision}"),
        ("tracker", VERSION),
        ("DuckDB", duckdb.__version__),
    ]
    return [(name, str(value)) for name, value in named if value is not None]
