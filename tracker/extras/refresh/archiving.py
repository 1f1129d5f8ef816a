"""Keeps the files that a refresh ingested in an archive, where a replay finds them."""

from collections.abc import Sequence
from pathlib import Path

from tracker.errors import InputRefused
from tracker.evidence import archive
from tracker.evidence.kinds import KINDS
from tracker.extras.refresh.sources import Found, Log

NOT_KEPT = "not kept"


def keep(folder: Path | None, found: Sequence[Found], log: Log) -> list[Found]:
    """Keep the file of each release that was ingested or is held; return what could not be kept.

    The store has these releases whatever becomes of their files, and the next run tries again.
    """
    if folder is None:
        return []
    problems = []
    for one in found:
        problem = _problem(folder, one)
        if problem is not None:
            problems.append(Found("archive", one.origin, NOT_KEPT, problem=problem))
            problems[-1].report(log)
    return problems


def _problem(folder: Path, found: Found) -> str | None:
    """Keep the file of a release; return why it could not be kept, if it could not."""
    held = found.release
    if held is None:
        return None
    try:
        # What was kept before is not read again every night.
        if found.status == "ingested" or archive.find(folder, held.source, held.sha256) is None:
            archive.keep(
                folder,
                held.source,
                held.sha256,
                held.path,
                lambda path: str(KINDS[found.kind].sha256_of(path)),
            )
    except InputRefused as error:
        return str(error)
    except OSError as error:
        return (
            f"{error.filename or folder}: cannot be kept: {error.strerror or error}; the "
            "release is in the store, and the next refresh keeps its file if it is still there"
        )
    return None
