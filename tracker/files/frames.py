"""A data frame on its way into the store: a private file, called by the frame's name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any


class FramePath(type(Path())):  # type: ignore[misc]  # Path itself cannot be subclassed before 3.12
    """The path of the Parquet file that a data frame was written to.

    Its name is what messages call the frame; `labels` are those of its index, None where the
    library has none.
    """

    labels: Sequence[Any] | None = None
