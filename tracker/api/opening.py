"""Opens a store for notebooks and programs."""

from pathlib import Path

from tracker import store
from tracker.api import frames, instants
from tracker.api.stores import Store
from tracker.errors import InputRefused
from tracker.progress import Progress, silent


def open_store(
    path: str | Path = "tracker.duckdb",
    *,
    as_of: instants.Given | None = None,
    as_claimed: bool = False,
    from_rows: bool = False,
    write: bool = False,
    frames: frames.Library = "pandas",
    wait: float = store.DEFAULT_WAIT_SECONDS,
    progress: Progress = silent,
    spark: str | None = None,
    scratch: str | Path | None = None,
) -> Store:
    """Open a store, read-only unless `write`; use it in a `with` block or close it.

    `write` makes an absent store and upgrades one of an earlier version. `as_of`, a day or an
    instant, leaves out outcomes recorded later; with `as_claimed`, slates count from the dates that
    they state, proved or not. `from_rows` reads a private copy of the rows, where statistics forged
    in the file hide none. `frames` is the form of tables: pandas, polars, arrow, or the package's
    own rows. A write waits `wait` seconds for another; `progress` is called with what a long step
    is doing. With `spark`, a master such as local[*], Spark computes what freezes and evaluations
    read of all candidates; its other files go below `scratch`. Raises InputRefused if the store is
    absent, of another version, or cannot be opened so.
    """
    if write and as_of is not None:
        raise InputRefused("a store opened as of a past day cannot be written")
    opened = Store(
        Path(path),
        as_of=None if as_of is None else instants.end_of(as_of, "as_of"),
        as_claimed=as_claimed,
        from_rows=from_rows,
        write=write,
        library=frames,
        wait=wait,
        progress=progress,
        spark=spark,
        scratch=None if scratch is None else Path(scratch),
    )
    _ = opened.connection
    return opened
