"""Lists what stands behind a slate's page: each prediction with its evidence, and where it is from.

Listings name rows as the store holds them; they compute no figure.
"""

from dataclasses import dataclass
from typing import Any

import duckdb
import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

import tracker
from tracker import schema
from tracker.report.rows import Rows

# A page holds so many predictions, the best ranks first; exports and csv hold all of them.
MOST_PREDICTIONS = 1_000

_PREDICTIONS = text(
    """
    select
        prediction.rank,
        disease.name as disease_name,
        drug.name as drug_name,
        prediction.tier,
        prediction.score,
        prediction.known_label,
        prediction.known_max_phase,
        falsification_status.due_date,
        if(falsification_status.due_date is null, 'monitored', falsification_status.status)
            as status,
        prediction.disease_id,
        prediction.drug_id
    from prediction
    inner join disease using (disease_id)
    inner join drug using (drug_id)
    inner join falsification_status using (slate_id, disease_id, drug_id)
    where prediction.slate_id = :slate_id
    order by prediction.rank, prediction.disease_id, prediction.drug_id
    limit :most
    """
)

_EVIDENCE = text(
    """
    select
        outcome_timing.disease_id,
        outcome_timing.drug_id,
        outcome_timing.outcome_type,
        outcome_timing.event_date,
        outcome_timing.timing,
        outcome_timing.source,
        outcome_card.record,
        outcome_card.withdrawal
    from outcome_timing
    inner join outcome_card using (outcome_id)
    where outcome_timing.slate_id = :slate_id
    order by
        outcome_timing.disease_id,
        outcome_timing.drug_id,
        outcome_timing.event_date nulls last,
        outcome_id
    """
)


@dataclass(frozen=True)
class Listings:
    """What stands behind a slate's page; `provenance` is a list of names and values."""

    predictions: Rows
    chain: Rows
    releases: Rows
    provenance: list[tuple[str, str]]


def read(connection: Connection, slate: Row[Any]) -> Listings:
    """Return the listings of a slate, as of the connection's instant."""
    return Listings(
        predictions(connection, slate, MOST_PREDICTIONS),
        chain(connection, slate),
        releases(connection),
        provenance(connection, slate),
    )


def predictions(connection: Connection, slate: Row[Any], most: int) -> Rows:
    """Return the slate's first `most` predictions by rank, each with its due date and evidence.

    `evidence` lists the pair's outcomes on record, the earliest first, each with its date, timing
    and source; it is None where nothing is on record.
    """
    key = {"slate_id": str(slate.slate_id)}
    evidence: dict[tuple[int, int], list[str]] = {}
    for row in connection.execute(_EVIDENCE, key):
        on = row.event_date.isoformat() if row.event_date else "no date"
        source = f"{row.source} {row.record}" if row.record else row.source
        withdrawn = f"; since withdrawn: {row.withdrawal}" if row.withdrawal else ""
        evidence.setdefault((row.disease_id, row.drug_id), []).append(
            f"{row.outcome_type.replace('_', ' ')} ({on}, {row.timing}, {source}{withdrawn})"
        )
    result = connection.execute(_PREDICTIONS, {**key, "most": most})
    columns = [*list(result.keys())[:-2], "evidence"]
    return Rows(
        columns,
        [(*row[:-2], "; ".join(evidence.get(tuple(row[-2:]), [])) or None) for row in result],
    )


def chain(connection: Connection, slate: Row[Any]) -> Rows:
    """Return the slates recorded up to this one, in the order of their chain of hashes."""
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
    return Rows(list(result.keys()), [tuple(row) for row in result])


def releases(connection: Connection) -> Rows:
    """Return the releases of outside sources in the store, as of the connection's instant."""
    result = connection.execute(
        text(
            "select source, version, released_on, n_rows, sha256 from release "
            "where ingested_at <= coalesce(cast(getvariable('as_of') as timestamptz), "
            "cast('infinity' as timestamptz)) order by released_on, source, version"
        )
    )
    return Rows(list(result.keys()), [tuple(row) for row in result])


def provenance(connection: Connection, slate: Row[Any]) -> list[tuple[str, str]]:
    """Return the hashes a slate was frozen with and the versions that made the page, by name."""
    revision = connection.execute(text("select version_num from alembic_version")).scalar_one()
    named = [
        ("SHA-256 of the slate", slate.content_sha256),
        ("SHA-256 of the slate before it", slate.previous_sha256 or "none: the first of its chain"),
        ("SHA-256 of the candidate file", slate.candidate_sha256),
        ("SHA-256 of the label file", slate.label_sha256),
        ("SHA-256 of the aliases", slate.alias_sha256),
        ("tables of the store", f"revision {revision}"),
        ("tracker", tracker.__version__),
        ("DuckDB", duckdb.__version__),
    ]
    return [(name, str(value)) for name, value in named if value is not None]
