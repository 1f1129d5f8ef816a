"""Fetches what is new from the servers that a configuration names."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from uuid import UUID

from tracker import store
from tracker.errors import InputRefused
from tracker.extras.refresh import fetching
from tracker.extras.refresh.configuration import Configuration, Watched
from tracker.extras.refresh.fetching import Web, known
from tracker.extras.refresh.sources import Found, Log
from tracker.progress import Progress, silent
from tracker.store import statements


def fetch(
    path: Path,
    config: Configuration,
    slate_ids: Sequence[UUID],
    *,
    only: Sequence[str] = (),
    log: Log,
    progress: Progress = silent,
) -> list[Found]:
    """Fetch what the store at `path` lacks, from every server or from those named in `only`.

    `slate_ids` are the slates followed. The status of a result is fetched, unchanged or not
    fetched; one server does not stop the others. Raises InputRefused for a name that the
    configuration does not have.
    """
    names = [provider.name for _, provider in config.fetched]
    for name in only:
        if name not in names:
            listed = ", ".join(names) or "nothing"
            raise InputRefused(f"{config.path}: does not fetch '{name}'; it fetches {listed}")
    wanted = [one for one in config.fetched if not only or one[1].name in only]
    trusted = [watched.base_url for watched, _ in wanted]
    found = []
    for watched, provider in wanted:
        # One client for each source, with limits of time and bytes of its own.
        most_bytes = config.most_bytes or provider.most_bytes
        with Web(trusted, config.contact, config.limits, progress, most_bytes) as web:
            for one in _fetched(path, web, watched, provider, slate_ids):
                one.report(log)
                found.append(one)
    return found


def _fetched(
    path: Path, web: Web, watched: Watched, provider: fetching.Provider, slate_ids: Sequence[UUID]
) -> list[Found]:
    try:
        watched.fetched.mkdir(parents=True, exist_ok=True)
        held = _known(path, watched, provider, slate_ids)
        try:
            files = provider.fetch(web, watched.base_url, watched.fetched, held)
        except InputRefused as error:
            return [Found(watched.kind, provider.name, "not fetched", problem=str(error))]
    except OSError as error:
        problem = f"{error.filename or watched.fetched}: cannot be written: {error.strerror}"
        return [Found(watched.kind, provider.name, "not fetched", problem=problem)]
    if not files:
        return [Found(watched.kind, provider.name, "unchanged")]
    return [Found(watched.kind, file.name, "fetched") for file in files]


def _known(
    path: Path, watched: Watched, provider: fetching.Provider, slate_ids: Sequence[UUID]
) -> known.Known:
    is_narrow = watched.studies == "followed"
    if not path.exists():
        fetched = known.in_folder(watched.fetched, provider.pattern)
        return known.Known(fetched=fetched, names=[] if is_narrow else None)
    with store.reader(path) as connection:
        if provider.follows_ledger:
            return known.of_studies(connection, slate_ids if is_narrow else None)
        held = known.of_kind(connection, watched.kind, watched.fetched, provider.pattern)
        if not is_narrow:
            return held
        keys = [{"slate_id": str(slate_id)} for slate_id in slate_ids]
        names = {
            name
            for key in keys
            for name in statements.run(connection, "slate_drug_name", key).scalars()
        }
    return replace(held, names=sorted(names))
