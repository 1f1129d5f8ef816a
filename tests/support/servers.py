"""A local server that answers as the sources of evidence do, and misbehaves on request.

It serves ClinicalTrials.gov's API version 2 and its record history, openFDA's list of downloads,
the Drugs@FDA zip, ChEMBL's releases and a vocabulary, as their documentation describes them. The
record history has no documentation: it answers as other programs were seen to read it.
"""

import hashlib
import json
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from evidence import OBO, chembl, drugs_at_fda, openfda, study, write_json
from loopback import listening

CHEMBL = "/chembl/releases/chembl_36"
ARCHIVE = "chembl_36_sqlite.tar.gz"
_OPENFDA = "drug-drugsfda-0001-of-0001.json"
# The kind of each server, and the path that stands for its base URL.
_PLACES = {
    "chembl": ("chembl", "/chembl"),
    "clinicaltrials": ("trials", "/api/v2"),
    "clinicaltrials-history": ("trials", "/api/int"),
    "openfda": ("fda", "/openfda"),
    "drugsfda": ("fda", "/fda/download"),
    "doid": ("vocabulary", "/releases/latest/doid.obo"),
}

# Answers a request in place of the server; returns False to let the server answer.
Fault = Callable[["Handler"], bool]


@dataclass
class World:
    """What the servers have: studies, files by path, and the faults of the next requests."""

    studies: list[dict[str, Any]] = field(default_factory=list)
    # Past versions of studies by NCT id: the day of each submission, and the study, None for a
    # version that is listed and not there.
    histories: dict[str, list[tuple[str, dict[str, Any] | None]]] = field(default_factory=dict)
    as_of: str = "2025-09-01T09:00:05"
    files: dict[str, bytes] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    # By the beginning of a path; the first one is used up by the first request that it answers.
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    requests: list["Request"] = field(default_factory=list)
    url: str = ""

    @classmethod
    def of(cls, files: dict[str, bytes]) -> "World":
        """Return a world with 2,500 studies and these files."""
        studies = [study(f"NCT{number:08}", start="2025-07") for number in range(1, 2_501)]
        return cls(studies, files=dict(files), redirects={"/releases/latest/doid.obo": "/doid.obo"})

    def configuration(self, *names: str) -> str:
        """Return a configuration that fetches from these servers, or from all but the history."""
        tables = "".join(
            f'  {{kind = "{kind}", fetch = "{name}", base_url = "{self.url}{path}"}},\n'
            for name, (kind, path) in _PLACES.items()
            if name in (names or _PLACES.keys() - {"clinicaltrials-history"})
        )
        return (
            f'store = "store.duckdb"\nsource = [\n{tables}]\n[fetch]\n'
            'contact = "team@example.org"\n'
            "first_wait = 0.01\nlongest_wait = 2\ntimeout = 2\nbetween_pages = 0\n"
        )

    def asked(self, path: str) -> list["Request"]:
        """Return the requests whose path begins so."""
        return [one for one in self.requests if one.path.startswith(path)]


@dataclass(frozen=True)
class Request:
    """One request: its path, its query and its headers."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    world: World

    def log_message(self, *_words: object) -> None:
        """Keep the test's output clean."""

    def do_GET(self) -> None:
        """Answer a request: a fault, a redirect, an API or a file."""
        parts = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        world = self.world
        world.requests.append(Request(parts.path, query, dict(self.headers)))
        for start, faults in world.faults.items():
            if parts.path.startswith(start) and faults and faults.pop(0)(self):
                return
        if parts.path in world.redirects:
            self.answer(302, b"", {"Location": world.redirects[parts.path]})
        elif parts.path == "/api/v2/version":
            self.document({"apiVersion": "2.0.5", "dataTimestamp": world.as_of})
        elif parts.path == "/api/v2/studies":
            self.studies(query)
        elif past := re.fullmatch(r"/api/int/studies/(NCT\d+)/history(?:/(\d+))?", parts.path):
            self.history(past[1], past[2])
        elif parts.path in world.files:
            self.file(world.files[parts.path])
        else:
            self.answer(404, b"not found")

    def studies(self, query: dict[str, str]) -> None:
        """Answer a page of studies, as /studies does."""
        found = self.world.studies
        since = re.fullmatch(
            r"AREA\[LastUpdatePostDate\]RANGE\[(.+),MAX\]", query.get("filter.advanced", "")
        )
        if since:
            found = [study for study in found if _updated(study) >= since[1]]
        asked = {name.lower() for name in re.findall('"([^"]+)"', query.get("query.intr", ""))}
        if asked:
            found = [study for study in found if asked & _interventions(study)]
        size = int(query.get("pageSize", "10"))
        token = query.get("pageToken")
        if token is not None and not token.startswith("page-"):
            self.answer(400, b"bad token")
            return
        start = int(token.removeprefix("page-")) if token else 0
        shown = found[start : start + size]
        if "fields" in query:
            shown = [_only(study, query["fields"].split("|")) for study in shown]
        page: dict[str, Any] = {"studies": shown}
        if query.get("countTotal") == "true" and token is None:
            page["totalCount"] = len(found)
        if start + size < len(found):
            page["nextPageToken"] = f"page-{start + size}"
        self.document(page)

    def history(self, nct_id: str, number: str | None) -> None:
        """Answer the list of a study's versions, or one of them; neither has pages."""
        versions = self.world.histories.get(nct_id, [])
        if not versions:
            self.answer(404, b"study not found")
        elif number is None:
            changes = [
                {"version": one, "date": day, "moduleLabels": ["Study Status"]}
                for one, (day, _) in enumerate(versions)
            ]
            self.document({"changes": changes})
        elif int(number) >= len(versions) or versions[int(number)][1] is None:
            self.answer(404, b"version not found")
        else:
            self.document({"studyVersion": int(number), "study": versions[int(number)][1]})

    def file(self, content: bytes) -> None:
        """Answer a file, or the part that was asked for."""
        etag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
        headers = {
            "ETag": etag,
            "Last-Modified": formatdate(1_700_000_000, usegmt=True),
            "Accept-Ranges": "bytes",
        }
        if self.headers.get("If-None-Match") == etag:
            self.answer(304, b"", headers)
            return
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if asked and self.headers.get("If-Range", etag) == etag:
            start = int(asked[1])
            if start >= len(content):
                self.answer(416, b"", {"Content-Range": f"bytes */{len(content)}"})
                return
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self.answer(206, content[start:], headers)
            return
        self.answer(200, content, headers)

    def document(self, content: object) -> None:
        """Answer JSON."""
        self.answer(200, json.dumps(content).encode(), {"Content-Type": "application/json"})

    def answer(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
        """Answer with a status, headers and a body."""
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serving(world: World) -> Iterator[World]:
    """Serve a world on the loopback."""
    handler = type("WorldHandler", (Handler,), {"world": world})
    with listening(handler) as world.url:
        part = {"file": f"{world.url}/drug/drugsfda/{_OPENFDA}.zip"}
        world.files["/openfda/download.json"] = downloads("2025-08-15", part)
        yield world


def status(code: int, headers: dict[str, str] | None = None) -> Fault:
    """Answer with a status."""

    def fault(handler: Handler) -> bool:
        handler.answer(code, b"no", headers)
        return True

    return fault


def cut(share: float, *, states_whole: bool = True) -> Fault:
    """Send only this share of a file, state its length or that of the whole, and close."""

    def fault(handler: Handler) -> bool:
        content = handler.world.files[urlsplit(handler.path).path]
        sent = content[: int(share * len(content))]
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content if states_whole else sent)))
        handler.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()[:16]}"')
        handler.end_headers()
        handler.wfile.write(sent)
        handler.wfile.flush()
        handler.close_connection = True
        return True

    return fault


def dripping(seconds: float) -> Fault:
    """Send a file over some seconds; other answers come after them."""

    def fault(handler: Handler) -> bool:
        content = handler.world.files.get(urlsplit(handler.path).path)
        if content is None or "Range" in handler.headers:
            time.sleep(seconds)
            return False
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()[:16]}"')
        handler.end_headers()
        step = -(-len(content) // 10)
        try:
            for start in range(0, len(content), step):
                handler.wfile.write(content[start : start + step])
                time.sleep(seconds / 10)
        except OSError:
            handler.close_connection = True
        return True

    return fault


def wrong_length(extra: int) -> Fault:
    """State a length that is not that of the body."""

    def fault(handler: Handler) -> bool:
        content = handler.world.files[urlsplit(handler.path).path]
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content) + extra))
        handler.end_headers()
        handler.wfile.write(content)
        handler.close_connection = True
        return True

    return fault


def body(content: bytes, kind: str = "text/html") -> Fault:
    """Answer something else."""

    def fault(handler: Handler) -> bool:
        handler.answer(200, content, {"Content-Type": kind})
        return True

    return fault


def endless(handler: Handler) -> bool:
    """Send a body that never ends."""
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"x" * 65_536)
    except OSError:
        pass
    handler.close_connection = True
    return True


def silent(seconds: float) -> Fault:
    """Say nothing for some seconds, then close."""

    def fault(handler: Handler) -> bool:
        time.sleep(seconds)
        handler.close_connection = True
        return True

    return fault


def forgetful(handler: Handler) -> bool:
    """Send a file whatever the client says that it has."""
    handler.answer(200, handler.world.files[urlsplit(handler.path).path])
    return True


def changed(path: str, content: bytes) -> Fault:
    """Change a file on the server, and let it answer."""

    def fault(handler: Handler) -> bool:
        handler.world.files[path] = content
        return False

    return fault


def always(fault: Fault, times: int = 1_000) -> list[Fault]:
    """Repeat a fault."""
    return [fault] * times


def _interventions(study: dict[str, Any]) -> set[str]:
    module = study["protocolSection"]["armsInterventionsModule"]
    return {entry["name"].lower() for entry in module["interventions"]}


def _only(study: dict[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """Return the parts of a study that are asked for, each by its path."""
    kept: dict[str, Any] = {}
    for path in fields:
        part, place = study, kept
        *above, last = path.split(".")
        for name in above:
            part = part.get(name, {})
        if last in part:
            for name in above:
                place = place.setdefault(name, {})
            place[last] = part[last]
    return kept


def _updated(study: dict[str, Any]) -> str:
    return str(study["protocolSection"]["statusModule"]["lastUpdatePostDateStruct"]["date"])


def downloads(day: str, *partitions: dict[str, str]) -> bytes:
    """Return openFDA's list of downloads with an export of drugsfda."""
    export = {"export_date": day, "partitions": list(partitions)}
    return json.dumps({"results": {"drug": {"drugsfda": export}}}).encode()


def sources(folder: Path) -> dict[str, bytes]:
    """Return the files that the servers have, made in an empty folder."""
    database = chembl(folder / "chembl_36.db")
    shutil.make_archive(str(folder / "chembl_36"), "gztar", folder, database.name)
    write_json(folder / _OPENFDA, openfda("2025-08-15"))
    shutil.make_archive(str(folder / "openfda"), "zip", folder, _OPENFDA)
    files = {
        f"{CHEMBL}/{ARCHIVE}": (folder / "chembl_36.tar.gz").read_bytes(),
        "/fda/download": drugs_at_fda(folder / "drugsatfda.zip", year=2025).read_bytes(),
        "/doid.obo": OBO.encode(),
        f"/drug/drugsfda/{_OPENFDA}.zip": (folder / "openfda.zip").read_bytes(),
    }
    return {**files, "/chembl/latest/checksums.txt": published(files, CHEMBL, [ARCHIVE])}


def published(files: dict[str, bytes], folder: str, names: Sequence[str]) -> bytes:
    """Return a checksums.txt of files in a folder, as ChEMBL publishes it."""
    return "".join(
        f"{hashlib.sha256(files[f'{folder}/{name}']).hexdigest()}  {name}\n" for name in names
    ).encode()
