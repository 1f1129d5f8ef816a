"""Fetches studies of ClinicalTrials.gov that were updated since the newest snapshot of a store."""

import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from tracker import replacing
from tracker.errors import InputRefused, RequestFailed
from tracker.extras.refresh.fetching.known import Known
from tracker.extras.refresh.fetching.landing import Landed, require_past, require_space
from tracker.extras.refresh.fetching.web import Web
from tracker.files import json_file
from tracker.http_client import NoRoom

BASE_URL = "https://clinicaltrials.gov/api/v2"
VERSION = "/version"
PATTERN = "trials-*.jsonl"
_PAGE_STUDIES = 1_000
# What reading uses of a study: a tenth of it.
_FIELDS = "|".join(
    [
        "protocolSection.identificationModule.nctId",
        "protocolSection.identificationModule.briefTitle",
        "protocolSection.statusModule",
        "protocolSection.designModule.studyType",
        "protocolSection.designModule.phases",
        "protocolSection.designModule.designInfo.primaryPurpose",
        "protocolSection.conditionsModule.conditions",
        "protocolSection.armsInterventionsModule",
        "derivedSection.conditionBrowseModule.meshes",
        "derivedSection.interventionBrowseModule.meshes",
    ]
)
_NCT_ID = re.compile(r"NCT[0-9]{8}")
_PART, _STATE, _SCOPE = ".trials.part", ".trials.part.json", ".trials.names.json"
_OR = " OR "
# Of a query's names; servers take URLs of some 8,000 signs, and a sign may be encoded as three.
_MOST_SIGNS = 2_000


@dataclass(frozen=True)
class _Query:
    """Which studies are asked for: of drugs by name, or all; updated since a day, or ever."""

    names: Sequence[str] | None
    since: str | None


@dataclass
class _Snapshot:
    """What has come so far of a snapshot: enough to continue it in another run."""

    url: str
    as_of: str
    queries: Sequence[_Query]
    n_done: int = 0
    page_token: str | None = None
    n_of_query: int = 0
    n_total: int = 0
    n_studies: int = 0
    n_bytes: int = 0

    @property
    def query(self) -> _Query:
        """The query whose pages are coming."""
        return self.queries[self.n_done]


def fetch(web: Web, base_url: str, folder: Path, known: Known) -> Sequence[Path]:
    """Fetch the studies updated since the newest snapshot, one a line; all without a snapshot.

    With `known.names`, only studies of drugs with these names; of names that are new, all. The
    snapshot has the registry's own date. A page is asked for at a time, and a run that ended early
    is continued by the next as long as the registry has not been updated in between. What there is
    no room for, or what differs from the total that the registry states, is thrown away.
    """
    as_of = _as_of(web, base_url)
    path = folder / f"trials-{as_of[:10]}.jsonl"
    is_old = known.newest is not None and date.fromisoformat(as_of[:10]) <= known.newest
    queries = _queries(folder, known)
    if is_old or path.exists() or not queries:
        return []
    snapshot = _begun(folder, f"{base_url}/studies", as_of, queries)
    try:
        _fetch_pages(web, folder, snapshot)
    except RequestFailed as error:
        if snapshot.n_bytes == 0 or isinstance(error, NoRoom):
            _discard(folder)
        raise
    return _land(folder, path, snapshot, known)


def _fetch_pages(web: Web, folder: Path, snapshot: _Snapshot) -> None:
    """Fetch the pages that a snapshot lacks; raises RequestFailed if one does not come."""
    queries = snapshot.queries
    with (folder / _PART).open("ab") as handle:
        handle.truncate(snapshot.n_bytes)
        held = _ids(folder / _PART) if len(queries) > 1 else set()
        seen = {snapshot.page_token}
        while snapshot.n_done < len(queries):
            asked_at = time.monotonic()
            studies, page = _page(web, snapshot)
            lines = [line for nct_id, line in studies.items() if nct_id not in held]
            n_bytes = sum(map(len, lines))
            web.take_in(snapshot.url, 0, snapshot.n_bytes + n_bytes)
            require_space(folder / _PART, n_bytes)
            if len(queries) > 1:
                held |= studies.keys()
            handle.writelines(lines)
            handle.flush()
            os.fsync(handle.fileno())
            snapshot.n_studies += len(lines)
            snapshot.n_of_query += len(studies)
            snapshot.n_bytes = handle.tell()
            snapshot.n_total = page.get("totalCount", snapshot.n_total)
            snapshot.page_token = page.get("nextPageToken")
            if snapshot.page_token is None:
                if snapshot.n_of_query < snapshot.n_total:
                    _discard(folder)
                    raise RequestFailed(
                        f"{snapshot.url}: states a total of {snapshot.n_total:,}, "
                        f"of which {snapshot.n_of_query:,} came"
                    )
                snapshot.n_done, snapshot.n_of_query, snapshot.n_total = snapshot.n_done + 1, 0, 0
                seen = {None}
            elif snapshot.page_token in seen or snapshot.n_of_query > 2 * snapshot.n_total:
                _discard(folder)
                raise RequestFailed(f"{snapshot.url}: its pages never end")
            seen.add(snapshot.page_token)
            with replacing.file(folder / _STATE) as written:
                written.write_text(json.dumps(asdict(snapshot)), encoding="utf-8")
            web.progress(_progress(snapshot))
            if snapshot.n_done < len(queries):
                time.sleep(max(0.0, web.limits.between_pages - (time.monotonic() - asked_at)))


def _progress(snapshot: _Snapshot) -> str:
    part = f", query {snapshot.n_done + 1:,} of {len(snapshot.queries):,}"
    of_total = f" of {snapshot.n_total:,}" if snapshot.n_total else ""
    return (
        f"fetching studies: {snapshot.n_of_query:,}{of_total}"
        f"{part if len(snapshot.queries) > 1 else ''}"
    )


def _queries(folder: Path, known: Known) -> list[_Query]:
    """Return the queries for what the snapshots before do not have."""
    since = None if known.newest is None else known.newest.isoformat()
    scope = _scope(folder)
    if known.names is None:
        # Snapshots of some drugs alone say nothing of the others.
        return [_Query(None, since if scope is None else None)]
    asked = set(known.names) if scope is None else set(scope)
    of_asked = [name for name in known.names if name in asked]
    of_new = [name for name in known.names if name not in asked]
    return [*_chunks(of_asked, since), *_chunks(of_new, None)]


def _chunks(names: Sequence[str], since: str | None) -> Iterator[_Query]:
    """Yield queries for names, each as many as a URL can carry."""
    chunk: list[str] = []
    n_signs = 0
    for name in names:
        n_signs += len(_phrase(name)) + len(_OR)
        if chunk and n_signs > _MOST_SIGNS:
            yield _Query(chunk, since)
            chunk, n_signs = [], len(_phrase(name)) + len(_OR)
        chunk.append(name)
    if chunk:
        yield _Query(chunk, since)


def _phrase(name: str) -> str:
    """Return a name as a phrase of the registry's query language."""
    return '"' + re.sub(r'["\\\s]+', " ", name).strip() + '"'


def _scope(folder: Path) -> list[str] | None:
    """Return the names whose studies snapshots have, None if they have all studies or none."""
    try:
        found = json.loads((folder / _SCOPE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, list) else None


def _ids(part: Path) -> set[str]:
    with part.open("rb") as lines:
        found = (json.loads(line) for line in lines)
        return {study["protocolSection"]["identificationModule"]["nctId"] for study in found}


def _as_of(web: Web, base_url: str) -> str:
    """Return the instant of the registry's data."""
    url = f"{base_url}{VERSION}"
    document = web.json(url)
    stated = document.get("dataTimestamp") if isinstance(document, dict) else None
    try:
        if isinstance(stated, str):
            datetime.fromisoformat(stated)
            require_past(date.fromisoformat(stated[:10]), url)
            return stated
    except ValueError:
        pass
    raise RequestFailed(f"{url}: does not state the time of its data")


def _begun(folder: Path, url: str, as_of: str, queries: Sequence[_Query]) -> _Snapshot:
    """Return the snapshot that an earlier run began, if it is of the same data; else a new one."""
    fresh = _Snapshot(url, as_of, queries)
    try:
        held = json.loads((folder / _STATE).read_text(encoding="utf-8"))
        asked = [_Query(one["names"], one["since"]) for one in held["queries"]]
        begun = _Snapshot(**{**held, "queries": asked})
        size = (folder / _PART).stat().st_size
    except (OSError, ValueError, TypeError, KeyError):
        return fresh
    is_same = (begun.url, begun.as_of, list(begun.queries)) == (url, as_of, list(queries))
    return begun if is_same and begun.n_bytes <= size else fresh


def _page(web: Web, snapshot: _Snapshot) -> tuple[dict[str, bytes], Mapping[str, Any]]:
    """Return the studies of the next page as lines, by their identifiers, and the page."""
    params = {
        "format": "json",
        "pageSize": str(_PAGE_STUDIES),
        "countTotal": "true",
        "fields": _FIELDS,
    }
    query = snapshot.query
    if query.names:
        params["query.intr"] = _OR.join(map(_phrase, query.names))
    if query.since:
        params["filter.advanced"] = f"AREA[LastUpdatePostDate]RANGE[{query.since},MAX]"
    if snapshot.page_token:
        params["pageToken"] = snapshot.page_token
    where = f"{snapshot.url}, after {snapshot.n_of_query:,} studies"
    try:
        page = json_file.mapping(web.json(snapshot.url, params), where)
        studies = {
            _nct_id(study, where): json.dumps(study, separators=(",", ":")).encode() + b"\n"
            for study in json_file.mappings(page, "studies", where)
        }
        token = json_file.text(page, "nextPageToken", where)
    except RequestFailed:
        raise
    except InputRefused as error:
        raise RequestFailed(str(error)) from error
    total = page.get("totalCount", snapshot.n_total)
    if not isinstance(total, int) or isinstance(total, bool) or total < (1 if token else 0):
        raise RequestFailed(f"{where}: does not state a total")
    if token and not studies:
        raise RequestFailed(f"{where}: the page has no study, although it is not the last")
    return studies, page


def _nct_id(study: Mapping[str, Any], where: str) -> str:
    protocol = json_file.mapping(study.get("protocolSection"), where)
    identification = json_file.mapping(protocol.get("identificationModule"), where)
    nct_id = str(identification.get("nctId"))
    if not _NCT_ID.fullmatch(nct_id):
        raise RequestFailed(f"{where}: a study has no NCT id")
    return nct_id


def _note_scope(folder: Path, known: Known) -> None:
    """Keep the names that snapshots cover, so that only for new names all studies are asked for."""
    scope = folder / _SCOPE
    if known.names is None:
        scope.unlink(missing_ok=True)
        return
    names = sorted({*known.names, *(_scope(folder) or [])})
    with replacing.file(scope) as written:
        written.write_text(json.dumps(names, ensure_ascii=False), encoding="utf-8")


def _discard(folder: Path) -> None:
    for name in (_PART, _STATE):
        (folder / name).unlink(missing_ok=True)


def _land(folder: Path, path: Path, snapshot: _Snapshot, known: Known) -> Sequence[Path]:
    part = folder / _PART
    if snapshot.n_studies == 0:
        _note_scope(folder, known)
        _discard(folder)
        return []
    Landed.now(snapshot.url, part).put(part, path)
    # Afterwards: if names were noted too early, their earlier studies would never be asked for.
    _note_scope(folder, known)
    _discard(folder)
    return [path]
