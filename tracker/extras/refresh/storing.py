"""Stores the release that a followed file or database has, as `tracker ingest` does."""

from pathlib import Path

from sqlalchemy import Connection

from tracker import evidence
from tracker.extras.refresh import configuration
from tracker.extras.refresh.configuration import Watched


def ingest(connection: Connection, watched: Watched, place: Path | str) -> evidence.Ingested:
    """Store the release in a file, a folder or a database, by the kind of its source."""
    if watched.kind == "chembl":
        return evidence.ingest_chembl(
            connection, str(place), version=watched.version, released_on=watched.released
        )
    if watched.kind == "trials":
        return evidence.ingest_trials(
            connection,
            [Path(place)],
            released_on=watched.released,
            is_complete=watched.complete,
            undated_on=configuration.dated(Path(place)),
        )
    if watched.kind == "fda":
        return evidence.ingest_fda(connection, Path(place), released_on=watched.released)
    if watched.kind == "ema":
        return evidence.ingest_ema(connection, [Path(place)], released_on=watched.released)[0]
    vocabulary = evidence.ingest_vocabulary(
        connection, Path(place), source=watched.name, released_on=watched.released
    )
    return evidence.Ingested(
        vocabulary.source,
        vocabulary.version,
        vocabulary.released_on,
        vocabulary.is_new,
        n_rows=vocabulary.n_terms + vocabulary.n_mappings,
    )
