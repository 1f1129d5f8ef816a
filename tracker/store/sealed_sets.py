"""Sealed candidate sets: pairs in Parquet files beside the store, which the view candidate reads.

Where a file is follows from numbers alone: the folder is named by the log's UUID, and holds
`candidate_set_id=7/part-00001.parquet`. Nothing else in a store names a file, so that a store made
by a stranger names none. The folder is beside the store, or in a folder that TRACKER_SEALED lists.
"""

import contextlib
import dataclasses
import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema
from tracker.errors import CheckFailed, TrackerError
from tracker.store import building, catalog, definitions, lake, places, statements
from tracker.store.catalog import View

VIEW = "candidate"
MANIFEST = "manifest.json"
# While a set is being sealed, its folder has this file, which names the store.
UNFINISHED = "unfinished"

_NAME = re.compile(
    r"(s3://[^\s\"']+/)?sealed-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"/candidate_set_id=(-?\d+)/part-(-?\d+)\.parquet"
)


@dataclasses.dataclass(frozen=True)
class Part:
    """A file of a sealed set, as the store describes it."""

    log_id: UUID
    candidate_set_id: int
    part_number: int
    n_rows: int
    n_bytes: int
    sha256: str
    address: str | None

    @property
    def folder(self) -> str:
        """The folder of its set, from the folder that the store is in, or in object storage."""
        folder = folder_name(self.log_id, self.candidate_set_id)
        return folder if self.address is None else f"{self.address}/{folder}"

    @property
    def name(self) -> str:
        """The path of the file, as that of the folder."""
        return f"{self.folder}/{file_name(self.part_number)}"

    def __str__(self) -> str:
        """Return the part in words."""
        return f"part {self.part_number:,} of the sealed candidate set {self.candidate_set_id}"


def folder_name(log_id: UUID, candidate_set_id: int) -> str:
    """Return the path of a set's folder, from the folder that the store is in."""
    return f"sealed-{log_id}/candidate_set_id={candidate_set_id}"


def file_name(part_number: int) -> str:
    """Return the name of a part's file in the folder of its set."""
    return f"part-{part_number:05}.parquet"


def places_of(connection: Connection) -> list[Path]:
    """Return the folders in which this connection looks for the files of sealed sets."""
    setting = "select system.main.current_setting('file_search_path')"
    return places.split(connection.exec_driver_sql(setting).scalar_one())


def parts(connection: Connection, sets: Iterable[int] | None = None) -> list[Part]:
    """Return the parts of all sealed sets, or of `sets`, in order."""
    part, head, place = schema.sealed_part, schema.log_head, schema.sealed_address
    # Without a function, as which the store may define another.
    log_id = sa.select(head.c.log_id).order_by(head.c.head_id).limit(1).scalar_subquery()
    wanted = (
        sa.select(log_id, part, place.c.address)
        .outerjoin(place, part.c.candidate_set_id == place.c.candidate_set_id)
        .order_by(part.c.candidate_set_id, part.c.part_number)
    )
    if sets is not None:
        wanted = wanted.where(part.c.candidate_set_id.in_([*sets]))
    return [Part(row[0] or UUID(int=0), *row[1:]) for row in connection.execute(wanted)]


def installed(connection: Connection, contents: definitions.Contents) -> list[View]:
    """Return the views of this store: those of sql/, where `candidate` also reads sealed sets."""
    views = catalog.read_views()
    if schema.sealed_part.name not in contents.tables:
        return views
    found = parts(connection)
    return [extended(view, found) if found and view.name == VIEW else view for view in views]


def extended(view: View, found: Sequence[Part]) -> View:
    """Return the view `candidate` with the rows of these parts added."""
    select = f"{view.select.rstrip()}\nunion all\n{reading(found)}\n"
    return dataclasses.replace(
        view, select=select, sha256=hashlib.sha256(select.encode()).hexdigest()
    )


def reading(found: Sequence[Part]) -> str:
    """Return the SELECT of the rows of some parts of at least one set.

    DuckDB opens the files of the sets that a query asks for, and of them the row groups that may
    have its diseases.
    """
    names = ", ".join(f"'{part.name}'" for part in found)
    return statements.find("sealed_candidate").select.rstrip().replace(":parts", f"[{names}]")


def rebuild(connection: Connection) -> None:
    """Let the view `candidate` read the sets that are sealed now."""
    building.replace_view(connection, extended(catalog.find(VIEW), parts(connection)))


def allowed(connection: Connection, contents: definitions.Contents) -> list[str]:
    """Return the paths that a reader may open: those of every part that is as long as sealed.

    Nothing that the store defines is run: it was not compared with what tracker installs yet.
    """
    tables = (schema.sealed_address, schema.sealed_part, schema.log_head)
    if any(table.name not in contents.tables for table in tables):
        return []
    if {table.name for table in tables} & {*definitions.altered_tables(contents)}:
        return []
    where = places_of(connection)
    found = []
    for part in parts(connection):
        if trouble(part, where) is None:
            # DuckDB compares first the name as it stands in the view, then where it found that.
            found += [part.name, located(part, where)]
    return found


def require_present(connection: Connection, contents: definitions.Contents) -> None:
    """Raise CheckFailed unless each part of the store is there, and as long as it was sealed."""
    if schema.sealed_part.name in contents.tables:
        where = places_of(connection)
        for part in parts(connection):
            require(part, where)


def require(part: Part, where: Sequence[Path]) -> None:
    """Raise CheckFailed if a part is not where it should be, or of another length."""
    _require_no(trouble(part, where), part)


def _require_no(wrong: str | None, part: Part) -> None:
    if wrong is not None:
        raise CheckFailed(f"{part} {wrong}")


def located(part: Part, where: Sequence[Path]) -> str:
    """Return the file of a part; where it is missing, the one that the store would have."""
    if part.address is not None:
        return part.name
    return str(_located(part.name, where) or where[0] / part.name)


def trouble(part: Part, where: Sequence[Path]) -> str | None:
    """Return what is wrong with a part by its file's place and length; None if nothing is."""
    if part.address is not None:
        # Its length takes a request.
        is_named = part.address in places.addresses()
        return None if is_named else f"is in {part.address}: {places.VARIABLE} does not list that"
    wrong = _trouble(part.name, where)
    if wrong is not None:
        return wrong
    path = Path(located(part, where))
    n_bytes = path.stat().st_size
    if n_bytes != part.n_bytes:
        return f"has {n_bytes:,} bytes and had {part.n_bytes:,} when it was sealed: {path}"
    return None


def difference(place: str, sha256: str) -> str | None:
    """Return what is wrong with a file or an object by its hash; None if nothing is."""
    if places.is_address(place):
        try:
            _, found = lake.measured(place)
        except TrackerError as error:
            return f"cannot be read: {error}"
    elif not Path(place).is_file():
        return f"is missing: {place}"
    else:
        with Path(place).open("rb") as handle:
            found = hashlib.file_digest(handle, "sha256").hexdigest()
    return None if found == sha256 else f"was altered after it was sealed: {place}"


def damage(part: Part, where: Sequence[Path]) -> str | None:
    """Return what is wrong with a part by its place, length and hash; None if nothing is."""
    return trouble(part, where) or difference(located(part, where), part.sha256)


def require_unaltered(connection: Connection, candidate_set_id: int) -> None:
    """Raise CheckFailed unless the files of a set, if it is sealed, are those that were sealed.

    DuckDB reads most files in which a byte was altered, and takes what is there for the scores.
    """
    where = places_of(connection)
    for part in parts(connection, [candidate_set_id]):
        _require_no(damage(part, where), part)


def require_none_altered(connection: Connection) -> None:
    """Raise CheckFailed if a file of any sealed set is there and not as it was sealed.

    Objects are not read.
    """
    where = places_of(connection)
    for part in parts(connection):
        if part.address is None and trouble(part, where) is None:
            wrong = difference(located(part, where), part.sha256)
            if wrong is not None:
                raise CheckFailed(f"{part} {wrong}; 'tracker check' verifies all")


def fetch(part: Part, folder: Path) -> Path:
    """Return the copy in `folder` of a part that is in object storage, which is made once.

    Raises CheckFailed if the object is not the one that was sealed, and TrackerError if it cannot
    be read or copied.
    """
    path = folder / folder_name(part.log_id, part.candidate_set_id) / file_name(part.part_number)
    if path.exists():
        return path
    unfinished = path.with_suffix(".unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        found = lake.fetch(part.name, unfinished)
        if found == part.sha256:
            unfinished.rename(path)
    except OSError as error:
        raise TrackerError(f"{folder}: cannot be written: {error.strerror}") from error
    if found != part.sha256:
        raise CheckFailed(f"{part} was altered after it was sealed: {part.name}")
    return path


def is_about(error: Exception) -> bool:
    """Whether an error of DuckDB names a file of a sealed set."""
    return _NAME.search(str(error)) is not None


def raise_if_about(error: Exception, path: Path) -> None:
    """Raise CheckFailed if DuckDB could not read a file of a sealed set of the store at `path`."""
    found = _NAME.search(str(error))
    if found is None:
        return
    if not found[1]:
        wrong = _trouble(found[0], places.of_store(path))
    elif found[1].rstrip("/") not in places.addresses():
        wrong = f"is in {found[1].rstrip('/')}: {places.VARIABLE} does not list that"
    else:
        wrong = f"{lake.reason(str(error)) or 'cannot be read'}: {found[0]}"
    if wrong is None and "Permission Error" in str(error):
        # A reader may open all files but those.
        wrong = f"has another length than when it was sealed: {found[0]}"
    wrong = wrong or f"is not as it was sealed: {found[0]}"
    raise CheckFailed(
        f"part {int(found[3]):,} of the sealed candidate set {found[2]} {wrong}; 'tracker check' "
        "verifies all"
    ) from error


def unfinished(path: Path) -> list[Path]:
    """Return the folders of sets that commands of this store, which is locked, began to seal."""
    found = []
    for place in places.of_store(path):
        for marker in place.glob(f"sealed-*/candidate_set_id=*/{UNFINISHED}"):
            with contextlib.suppress(OSError):
                if marker.read_bytes() == os.fsencode(path.resolve()):
                    found.append(marker.parent)
    return found


def is_unmarked(folder: Path, path: Path) -> bool:
    """Whether a command of the store at `path` was killed before its mark was in a folder.

    It is a folder, no link to one, with nothing in it but a part of the mark.
    """
    if folder.is_symlink() or not folder.is_dir():
        return False
    marker = folder / UNFINISHED
    if [*folder.iterdir()] not in ([], [marker]) or marker.is_symlink():
        return False
    return not marker.exists() or os.fsencode(path).startswith(marker.read_bytes())


def discard(folders: Iterable[Path]) -> None:
    """Remove the folders of sets that no store lists."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        # Only if it was the first one.
        with contextlib.suppress(OSError):
            folder.parent.rmdir()


def settle(connection: Connection, folders: Iterable[Path]) -> None:
    """Take those of unfinished folders as complete that the store lists; remove the others."""
    listed = set()
    if schema.sealed_part.name in definitions.read(connection).tables:
        listed = {folder_name(part.log_id, part.candidate_set_id) for part in parts(connection)}
    for folder in folders:
        if folder.relative_to(folder.parents[1]).as_posix() in listed:
            (folder / UNFINISHED).unlink(missing_ok=True)
        else:
            discard([folder])


def _located(name: str, where: Sequence[Path]) -> Path | None:
    """Return the file that DuckDB reads by a part's name, unless one hides it."""
    return next((place / name for place in where if os.path.lexists(place / name)), None)


def _trouble(name: str, where: Sequence[Path]) -> str | None:
    path = _located(name, where)
    if path is None:
        listed = ", ".join(map(str, where))
        return f"is missing: {name} is not in {listed}"
    inner = [path, *path.parents[:2]]
    if any(one.is_symlink() for one in inner) or not path.is_file():
        return f"is not a plain file in a plain folder: {path}"
    here = Path(name)
    if here.exists() and not here.samefile(path):
        return f"is hidden by a file of the same name in the current folder: {here.resolve()}"
    return None
