"""Copies files, sharing their blocks where the file system can."""

import contextlib
import os
import shutil
from typing import BinaryIO

_COPY_BYTES = 1 << 30


def copy(source: BinaryIO, target: BinaryIO) -> None:
    """Copy the rest of a file to an empty one."""
    if hasattr(os, "copy_file_range"):
        # What this cannot share is copied below.
        with contextlib.suppress(OSError):
            while os.copy_file_range(source.fileno(), target.fileno(), _COPY_BYTES):
                pass
    shutil.copyfileobj(source, target)
    target.flush()
