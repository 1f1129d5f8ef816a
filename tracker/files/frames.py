"""A data frame on its way into the store: a private file, called by the frame's name."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb

from tracker import scratch
from tracker.errors import InputRefused


class FramePath(type(Path())):  # type: ignore[misc]  # Path itself cannot be subclassed before 3.12
    """The path of the Parquet file that a data frame was written to.

    Its name is what messages call the frame; `labels` are those of its index, None where the
    library has none.
    """

    labels: Sequence[Any] | None = None


@contextlib.contextmanager
def as_file(data: Any, noun: str) -> Iterator[Path]:
    """Yield the path of a file with `data`: a path as it is, a frame as a Parquet file.

    The file of a frame is private, and messages about it name the frame by `noun` and its rows by
    the index of pandas, which is left out. Raises InputRefused if the data are not a table.
    """
    if isinstance(data, str | Path):
        yield Path(data)
        return
    with scratch.folder() as private:
        path = FramePath(private / f"{noun} (data frame)")
        # Of a Series or a list, index is no sequence of labels.
        path.labels = data.index if hasattr(data, "iloc") else None
        try:
            if hasattr(data, "write_parquet"):
                data.write_parquet(str(path))
            else:
                with duckdb.connect() as memory:
                    memory.register("given", data)
                    memory.sql("from given").write_parquet(str(path))
        except (duckdb.Error, TypeError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputRefused(f"the {noun} are not a table of plain values: {reason}") from error
        yield path
