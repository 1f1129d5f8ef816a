"""Fetches past versions of the studies in the ledger, from the record history of the registry.

The addresses are those that the registry's own site asks for; the API does not document them. Each
version costs a request, so that a run takes some of them, and the next one goes on.
"""

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import httpx

from tracker import replacing
from tracker.errors import InputRefused, RequestFailed
from tracker.evidence.trials import history
from tracker.extras.refresh.fetching.known import Known
from tracker.extras.refresh.fetching.landing import Landed, free_place, require_past, require_space
from tracker.extras.refresh.fetching.web import Web, document
from tracker.files import json_file
from tracker.http_client import bare, shown

BASE_URL = "https://clinicaltrials.gov/api/int"
# The study that the documentation of the R package cthist asks for.
PROBE = "/studies/NCT02110043/history"
PATTERN = "trial-history-*.jsonl"
# Some 40 minutes at the pace that the registry asks for; then what has come is ingested.
MOST_REQUESTS = 2_000
# A study whose answers cannot be read is left for the next run; if many cannot, the server fails.
_MOST_PROBLEMS = 10
_MOST_LIST_BYTES = 1 << 24
_MOST_VERSION_BYTES = 1 << 26
_PART, _DONE, _STATE = ".trial-history.part", ".trial-history.done", ".trial-history.json"
# What reading uses of a study, by section and module; None for a whole module.
_USED: Mapping[str, Mapping[str, Sequence[str] | None]] = {
    "protocolSection": {
        "identificationModule": ("nctId", "briefTitle"),
        "statusModule": None,
        "designModule": ("studyType", "phases", "designInfo"),
        "conditionsModule": ("conditions",),
        "armsInterventionsModule": None,
    },
    "derivedSection": {
        "conditionBrowseModule": ("meshes",),
        "interventionBrowseModule": ("meshes",),
    },
}


class _Unreadable(Exception):
    """An answer came and is not what the registry answers."""


@dataclass
class _Run:
    """The histories that a run has: versions by study, and the studies that are complete.

    `state` maps a study to its last update when all its versions had come, None before, and to the
    files that contain them.
    """

    web: Web
    base_url: str
    folder: Path
    state: dict[str, dict[str, Any]]
    held: dict[str, set[int]]
    done: dict[str, str] = field(default_factory=dict)
    came: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    n_requests: int = 0
    asked_at: float = 0.0

    def answer(self, path: str, most_bytes: int) -> Mapping[str, Any] | None:
        """Return the JSON object at a path, None if the registry does not have it.

        Raises _Unreadable for anything else, RequestFailed if nothing comes.
        """
        pause = self.web.limits.between_pages - (time.monotonic() - self.asked_at)
        if self.n_requests:
            time.sleep(max(0.0, pause))
        self.n_requests, self.asked_at = self.n_requests + 1, time.monotonic()
        url = f"{self.base_url}/studies/{path}"
        try:
            content = self.web.content(url, most_bytes)
        except RequestFailed as error:
            if error.status in (httpx.codes.NOT_FOUND, httpx.codes.GONE):
                return None
            raise
        try:
            return json_file.mapping(document(url, content), shown(url))
        except InputRefused as error:
            raise _Unreadable(str(error)) from error


def fetch(web: Web, base_url: str, folder: Path, known: Known) -> Sequence[Path]:
    """Fetch the versions of the studies in `known.studies` that neither store nor folder has.

    A study is asked for when it is new, or was updated since it was asked for. What has come is
    kept when a run ends early, and the next one goes on; a run lands its versions in one file.
    Raises RequestFailed, once the rest has landed, for studies whose answers did not come or cannot
    be read.
    """
    run = _begun(web, base_url, folder, known)
    waiting = [
        nct_id
        for nct_id, updated_on in known.studies.items()
        if run.done.get(nct_id, _listed(run, nct_id)) != updated_on
    ]
    problems: list[str] = []
    has_failed = False
    with (folder / _PART).open("ab") as part, (folder / _DONE).open("a") as done:
        for number, nct_id in enumerate(waiting, start=1):
            if run.n_requests >= MOST_REQUESTS or len(problems) >= _MOST_PROBLEMS:
                break
            web.progress(f"fetching histories: study {number:,} of {len(waiting):,}, {nct_id}")
            try:
                is_whole = _fetch_study(run, nct_id, part)
            except _Unreadable as error:
                problems.append(str(error))
                continue
            except RequestFailed as error:
                problems.append(str(error))
                # One study may be broken on the server; at the first request or twice, it is down.
                if has_failed or run.n_requests == 1:
                    break
                has_failed = True
                continue
            has_failed = False
            if is_whole:
                run.done[nct_id] = known.studies[nct_id]
                done.write(f"{nct_id} {run.done[nct_id]}\n")
                done.flush()
    landed = _land(run)
    if problems:
        n_others = len(problems) - 1
        others = f", and {n_others:,} more failed" if n_others else ""
        raise RequestFailed(f"{problems[0]}{others}; the next run asks again")
    return landed


def _fetch_study(run: _Run, nct_id: str, part: IO[bytes]) -> bool:
    """Fetch a study's missing versions, if the registry has it; False if the run had to end."""
    listed = run.answer(f"{nct_id}/history", _MOST_LIST_BYTES)
    if listed is None:
        run.web.progress(f"{nct_id}: the registry has no history of it")
        return True
    where = f"{run.base_url}/studies/{nct_id}/history"
    # The whole list first: if it cannot be read, no version is fetched.
    for number, submitted_on in list(_versions(listed, where)):
        if number in run.held[nct_id]:
            continue
        if run.n_requests >= MOST_REQUESTS:
            return False
        found = run.answer(f"{nct_id}/history/{number}", _MOST_VERSION_BYTES)
        study = None if found is None else _used(found, nct_id, f"{where}/{number}")
        line = {"nctId": nct_id, "version": number, "date": submitted_on, "study": study}
        content = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        require_space(run.folder / _PART, len(content))
        part.write(content)
        part.flush()
        os.fsync(part.fileno())
        run.held[nct_id].add(number)
        run.came[nct_id].add(number)
    return True


def _versions(listed: Mapping[str, Any], where: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the day of each version in a list; raises _Unreadable."""
    changes = listed.get("changes")
    if not isinstance(changes, list) or not changes:
        raise _Unreadable(f"{where}: lists no versions")
    seen = set()
    for change in changes:
        number = change.get("version") if isinstance(change, dict) else None
        if not isinstance(number, int) or isinstance(number, bool) or number < 0 or number in seen:
            raise _Unreadable(f"{where}: has a version without a number of its own")
        seen.add(number)
        try:
            submitted_on = history.day(change.get("date"), where)
            require_past(submitted_on, f"{where}, version {number}")
            yield number, submitted_on.isoformat()
        except InputRefused as error:
            raise _Unreadable(str(error)) from error


def _used(found: Mapping[str, Any], nct_id: str, where: str) -> dict[str, Any]:
    """Return what reading uses of a version; raises _Unreadable if it is not of the study."""
    try:
        study = json_file.mapping(found.get("study"), where)
        protocol = json_file.mapping(study.get("protocolSection"), where)
        stated = json_file.mapping(protocol.get("identificationModule"), where).get("nctId")
        if stated != nct_id:
            raise _Unreadable(f"{where}: is not a version of {nct_id}")
        used: dict[str, Any] = {}
        for section, modules in _USED.items():
            given = json_file.mapping(study.get(section), where)
            for module, keys in modules.items():
                content = json_file.mapping(given.get(module), where)
                kept = {key: content[key] for key in content if keys is None or key in keys}
                if kept:
                    used.setdefault(section, {})[module] = kept
    except InputRefused as error:
        raise _Unreadable(str(error)) from error
    return used


def _begun(web: Web, base_url: str, folder: Path, known: Known) -> _Run:
    """Return a run that goes on where an earlier one ended."""
    state = _state(folder)
    held: dict[str, set[int]] = defaultdict(set)
    for nct_id, numbers in known.past_versions.items():
        held[nct_id].update(numbers)
    for nct_id, one in state.items():
        for name, numbers in one["files"].items():
            if (folder / name).exists():
                held[nct_id].update(numbers)
    run = _Run(web, base_url, folder, state, held)
    with suppress(FileNotFoundError):
        for mark in (folder / _DONE).read_text().splitlines():
            nct_id, _, updated_on = mark.partition(" ")
            run.done[nct_id] = updated_on
    part = folder / _PART
    if not part.exists():
        # Its marks are of a file that has landed or was removed.
        run.done.clear()
        (folder / _DONE).unlink(missing_ok=True)
        return run
    n_bytes = 0
    with part.open("rb") as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                break
            version = json.loads(line)
            run.held[version["nctId"]].add(version["version"])
            run.came[version["nctId"]].add(version["version"])
            n_bytes += len(line)
    # A killed run may have written half a line.
    os.truncate(part, n_bytes)
    return run


def _listed(run: _Run, nct_id: str) -> str | None:
    """Return the last update of a study when it was asked for, None if it has to be once more."""
    one = run.state.get(nct_id)
    if one is None:
        return None
    numbers = {number for listed in one["files"].values() for number in listed}
    updated_on: str | None = one["updated"] if numbers <= run.held[nct_id] else None
    return updated_on


def _state(folder: Path) -> dict[str, dict[str, Any]]:
    """Return what earlier runs fetched, by study; nothing if that cannot be read."""
    try:
        found = json.loads((folder / _STATE).read_text(encoding="utf-8"))
        return {
            str(nct_id): {
                "updated": None if one["updated"] is None else str(one["updated"]),
                "files": {str(name): list(map(int, of)) for name, of in one["files"].items()},
            }
            for nct_id, one in found.items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _land(run: _Run) -> Sequence[Path]:
    """Give what has come its name, and keep which studies need not be asked for again."""
    folder, part = run.folder, run.folder / _PART
    path = None
    if run.came:
        done = Landed.now(f"{bare(run.base_url)}/studies", part)
        path = free_place(folder, f"trial-history-{done.fetched_at[:10]}", ".jsonl", done)
        done.put(part, path)
    for nct_id in run.came.keys() | run.done.keys():
        one = run.state.setdefault(nct_id, {"updated": None, "files": {}})
        one["updated"] = run.done.get(nct_id)
        if path is not None and run.came.get(nct_id):
            one["files"][path.name] = sorted(run.came[nct_id])
    with replacing.file(folder / _STATE) as written:
        written.write_text(json.dumps(run.state), encoding="utf-8")
    part.unlink(missing_ok=True)
    (folder / _DONE).unlink(missing_ok=True)
    return [] if path is None else [path]
