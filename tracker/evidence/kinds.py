"""The kinds of sources: how the releases of each are recognised, dated and stored.

A table [[source]] of a configuration names a kind; a refresh and a replay read its entry here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from sqlalchemy import Connection

from tracker.evidence.chembl import reading as chembl
from tracker.evidence.chembl.ingesting import ingest_chembl
from tracker.evidence.ema import reading as ema
from tracker.evidence.ema.ingesting import ingest_ema
from tracker.evidence.fda import reading as fda
from tracker.evidence.fda.ingesting import ingest_fda
from tracker.evidence.ictrp import reading as ictrp
from tracker.evidence.ictrp.ingesting import ingest_ictrp
from tracker.evidence.release_ledger import Ingested
from tracker.evidence.trials import reading as clinicaltrials
from tracker.evidence.trials.ingesting import ingest_trials
from tracker.evidence.vocabularies import reading as vocabularies
from tracker.evidence.vocabularies.ingesting import ingest_vocabulary


@dataclass(frozen=True)
class Stated:
    """What a configuration or a recipe states about a release.

    `name` is that of a vocabulary; `is_complete` says whether the files have every record, None if
    that is not stated; `undated_on` dates a release that has no other date.
    """

    released_on: date | None = None
    version: str | None = None
    name: str | None = None
    is_complete: bool | None = None
    undated_on: date | None = None


@dataclass(frozen=True)
class SourceKind:
    """A kind of source.

    `sources` are the names of its releases in the store; vocabularies have names of their own.
    `sha256_of` returns the hash that identifies the release in a file or folder, and `stated_date`
    the date within a file; both raise InputRefused for a file of another kind. `has_order`: the
    store takes releases only in the order of their dates. `states_completeness`: a user says
    whether the files have every record. `names_state_dates`: the name of a file may state the date.
    `files_are_dated`: otherwise the time of the file does. `is_versioned`: a version identifies a
    release.
    """

    name: str
    sources: tuple[str, ...]
    sha256_of: Callable[[Path], str | None]
    ingest: Callable[[Connection, Sequence[Path | str], Stated], Ingested]
    stated_date: Callable[[Path], date | None] | None = None
    has_order: bool = False
    states_completeness: bool = False
    names_state_dates: bool = False
    files_are_dated: bool = False
    is_versioned: bool = False


def _chembl(connection: Connection, places: Sequence[Path | str], stated: Stated) -> Ingested:
    (place,) = places
    return ingest_chembl(
        connection, str(place), version=stated.version, released_on=stated.released_on
    )


def _trials(connection: Connection, places: Sequence[Path | str], stated: Stated) -> Ingested:
    return ingest_trials(
        connection,
        list(map(Path, places)),
        released_on=stated.released_on,
        is_complete=stated.is_complete,
        undated_on=stated.undated_on,
    )


def _fda(connection: Connection, places: Sequence[Path | str], stated: Stated) -> Ingested:
    (place,) = places
    return ingest_fda(
        connection,
        Path(place),
        released_on=stated.released_on,
        is_partial=stated.is_complete is False,
    )


def _ema(connection: Connection, places: Sequence[Path | str], stated: Stated) -> Ingested:
    (place,) = places
    (done,) = ingest_ema(connection, [Path(place)], released_on=stated.released_on)
    return done


def _ictrp(connection: Connection, places: Sequence[Path | str], stated: Stated) -> Ingested:
    (place,) = places
    (done,) = ingest_ictrp(
        connection,
        [Path(place)],
        released_on=stated.released_on,
        is_complete=stated.is_complete is True,
    )
    return done


def _vocabulary(connection: Connection, places: Sequence[Path | str], stated: Stated) -> Ingested:
    (place,) = places
    done = ingest_vocabulary(
        connection, Path(place), source=stated.name, released_on=stated.released_on
    )
    n_rows = done.n_terms + done.n_mappings
    return Ingested(done.source, done.version, done.released_on, done.is_new, n_rows=n_rows)


_EVIDENCE = (
    SourceKind(
        "chembl",
        ("chembl",),
        lambda place: chembl.locate(str(place)).sha256,
        _chembl,
        is_versioned=True,
    ),
    SourceKind(
        "trials",
        ("ctgov", "ctgov_history"),
        lambda place: clinicaltrials.locate([place]).sha256,
        _trials,
        has_order=True,
        states_completeness=True,
        names_state_dates=True,
        files_are_dated=True,
    ),
    SourceKind(
        "fda",
        ("fda",),
        lambda place: fda.locate(place).sha256,
        _fda,
        lambda place: fda.stated_date(fda.locate(place)),
        has_order=True,
    ),
    SourceKind(
        "ema",
        ("ema",),
        lambda place: ema.locate(place).sha256,
        _ema,
        lambda place: ema.stated_date(ema.locate(place)),
        has_order=True,
        names_state_dates=True,
    ),
    SourceKind(
        "ictrp",
        ("ictrp",),
        lambda place: ictrp.locate(place).sha256,
        _ictrp,
        lambda place: ictrp.stated_date(ictrp.locate(place)),
        has_order=True,
        states_completeness=True,
        names_state_dates=True,
    ),
)
_VOCABULARY = SourceKind(
    "vocabulary", (), lambda place: vocabularies.locate(place).sha256, _vocabulary
)

# By the name of the kind, in the order in which messages list them.
KINDS = {kind.name: kind for kind in (*_EVIDENCE, _VOCABULARY)}
_OF_SOURCE = {name: kind for kind in _EVIDENCE for name in kind.sources}


def is_vocabulary(source: str) -> bool:
    """Return whether releases of this source are those of a vocabulary."""
    return of_source(source) is _VOCABULARY


def of_source(source: str) -> SourceKind:
    """Return the kind of a release of a source: a vocabulary unless it is evidence."""
    return _OF_SOURCE.get(source, _VOCABULARY)
