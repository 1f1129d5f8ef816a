"""Reads the canonical lines of a slate's download, an untrusted Parquet file."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import duckdb

from tracker import memory, scratch
from tracker.errors import InputRefused
from tracker.files import parquet
from tracker.files.table_files import MAX_COLUMNS

# The first eleven columns are hashed.
_LINES = """
    select concat(
        disease_identifier, chr(9), drug_identifier, chr(9), score, chr(9), rank, chr(9), tier,
        chr(9), known_label, chr(9), known_max_phase, chr(9), first_approval_year,
        chr(9), criterion, chr(9), criterion_min_phase, chr(9), criterion_horizon_years
    )
    from read_parquet(?)
    order by disease_identifier, drug_identifier
    limit ?
"""


def differences(content: bytes, lines: list[str]) -> list[str]:
    """Return how a download differs from the lines published with its page."""
    with scratch.folder() as folder:
        path = folder / "predictions.parquet"
        path.write_bytes(content)
        try:
            with confined(path, folder) as connection:
                # One more line than expected reveals that there are too many.
                result = connection.execute(_LINES, [str(path), len(lines) + 1])
                found = [line for (line,) in result.fetchall()]
        except duckdb.OutOfMemoryException:
            return [f"cannot be read within the limit of memory, {memory.limit()}"]
        except InputRefused as error:
            return [str(error)]
        except duckdb.Error:
            return ["does not contain the predictions of a slate"]
    if found == lines:
        return []
    if len(found) != len(lines):
        n_found = f"{len(found):,}" if len(found) < len(lines) else "more"
        return [f"has {n_found} predictions, {len(lines):,} are published with the page"]
    line = next(one for one, other in zip(found, lines, strict=True) if one != other)
    pair = ", ".join(line.split("\t")[:2])
    return [f"{pair}: differs from the rows published with the page"]


@contextlib.contextmanager
def confined(path: Path, spill: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection that can only read the file and write to the folder `spill`.

    Raises InputRefused for a file that unpacks to far more than its size suggests.
    """
    parquet.refuse_bomb(path, MAX_COLUMNS)
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory.limit(),
        "temp_directory": str(spill),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    with duckdb.connect(config=config) as connection:
        # Settings do not accept bound values.
        name = str(path).replace("'", "''")
        place = str(spill).replace("'", "''")
        connection.execute(f"set allowed_paths = ['{name}']")
        connection.execute(f"set allowed_directories = ['{place}']")
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        yield connection
