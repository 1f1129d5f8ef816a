"""Sources of evidence from other packages, which are read as claims in the ledger.

Such a source has no tables in a store: each event it reads is a claim, as in a file of outcomes
that a user loads. Reports count claims separately.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from tracker import plugins, temp_tables
from tracker.errors import InputRefused, TrackerError, no_such
from tracker.files import require_file
from tracker.files.frames import as_file
from tracker.progress import Progress, silent
from tracker.slates import outcomes

if TYPE_CHECKING:
    import pandas as pd

GROUP = "tracker.sources"

# Takes the path of a file; returns a row for each event, with the columns of a file of outcomes
# but `source`, which is the name of the source.
Read = Callable[[Path], "pd.DataFrame"]


@dataclass(frozen=True)
class Claimed:
    """How many rows a source read, how many name known drugs and diseases, how many were new."""

    source: str
    n_rows: int
    n_named: int
    n_added: int


def available() -> dict[str, EntryPoint]:
    """Return the sources that installed packages bring, by name."""
    return plugins.named(GROUP)


def ingest(
    connection: Connection, name: str, path: Path, *, progress: Progress = silent
) -> Claimed:
    """Append to the ledger what the source `name` reads in a file; the same events once.

    Rows whose drug or disease the store does not know are left out. Raises InputRefused if there is
    no such source, its code fails, or the file does not exist, and ProblemsFound naming rows by the
    index of the source's frame.
    """
    known = available()
    if name not in known:
        installed = f"installed: {', '.join(known)}" if known else "no package brings one"
        raise no_such("source", name, known, installed)
    read: Read = plugins.load(known[name], "source")
    require_file(path)
    progress(f"reading {path.name}")
    frame = _read(read, path, known[name])
    progress("storing what is new")
    with as_file(frame.assign(source=name), f"events of {name}") as rows:
        loaded = outcomes.load(connection, rows, skip_unknown=True)
    n_named = temp_tables.count_rows(connection, "incoming_outcome")
    return Claimed(name, len(frame), n_named, loaded.n_added)


def _read(read: Read, path: Path, entry: EntryPoint) -> "pd.DataFrame":
    """Return the frame of a source, and refuse it where the code of its package fails."""
    said = f"source '{entry.name}' ({plugins.origin(entry)})"
    try:
        frame = read(path)
    except TrackerError:
        raise
    except Exception as error:
        raise InputRefused(
            f"{path.name}: {said} cannot read it: {type(error).__name__}: {error}"
        ) from error
    # A source that returns a frame has imported it; a refresh without one need not.
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise InputRefused(f"{said} returned no data frame of pandas: {type(frame).__name__}")
    return frame
