"""No server keeps a fetch from ending, fills memory or the disk, or has its word taken for data.

Each answers one request of a fetch from two sources; the other source is fetched all the same.
"""

import gzip
import io
import itertools
import json
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import servers
from click.testing import Result
from evidence import study
from servers import CHEMBL, Fault, Handler, World, serving
from support import Tracker, exited, ok, sampled

from tracker.extras.refresh.fetching import landing

VERSION, STUDIES, FDA, OPENFDA = "/api/v2/version", "/api/v2/studies", "/fda", "/openfda"
NAMES = {
    VERSION: "clinicaltrials",
    STUDIES: "clinicaltrials",
    FDA: "drugsfda",
    OPENFDA: "openfda",
    CHEMBL: "chembl",
}
REQUEST_LIMITS = {"attempts": 2, "first_wait": 0.01, "longest_wait": 0.1, "between_pages": 0}
FUTURE = "9999-12-31"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return servers.sources(tmp_path_factory.mktemp("sources"))


@pytest.fixture
def world(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    monkeypatch.chdir(tmp_path)
    found = World.of(files)
    del found.studies[20:]
    with serving(found):
        yield found


def fetch(world: World, tracker: Tracker, server: str, **settings: float) -> Result:
    """Fetch from a server and from a vocabulary's, with settings of [fetch]."""
    config = world.configuration(server, "doid").partition("first_wait")[0]
    lines = [f"{name} = {value}\n" for name, value in {**REQUEST_LIMITS, **settings}.items()]
    Path("tracker.toml").write_text(config + "".join(lines))
    return tracker("refresh", "fetch", "--format", "json")


def refused(done: Result, server: str) -> str:
    """Require that the vocabulary alone was fetched; return why the other server's file was not."""
    assert done.exit_code == 3, done.output
    found = {row["origin"]: row for row in json.loads(done.stdout)}
    problem = str(found.pop(server)["problem"])
    assert [row["status"] for row in found.values()] == ["fetched"]
    (line,) = [one for one in done.stderr.splitlines() if " not fetched: " in one]
    assert line.endswith(f"origin {server}, problem {problem}")
    assert line.isprintable()
    return problem


def landed() -> list[str]:
    """The files and parts of files that there are, but for those of the vocabulary."""
    return [path.name for path in Path("fetched").iterdir() if "doid-" not in path.name]


def sends(*pieces: bytes, then: Iterable[bytes] = (), every: float = 0.02) -> Fault:
    """Send pieces of an answer, and then others as long as the client takes them."""

    def fault(handler: Handler) -> bool:
        handler.close_connection = True
        for piece in pieces:
            handler.wfile.write(piece)
        for piece in then:
            time.sleep(every)
            handler.wfile.write(piece)
        return True

    return fault


def answers(content: Any, headers: dict[str, str] | None = None, code: int = 200) -> Fault:
    """Answer with JSON, or with bytes as they are."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()

    def fault(handler: Handler) -> bool:
        handler.answer(code, body, headers)
        return True

    return fault


def endlessly(piece: bytes) -> Iterable[bytes]:
    # Far beyond what any of these tests waits for.
    return itertools.repeat(piece, 3_000)


def slowly_elsewhere(handler: Handler) -> bool:
    """Lead to the same place, after a while."""
    time.sleep(0.2)
    handler.answer(302, b"", {"Location": handler.path})
    return True


def pages(size: int = 10) -> Callable[[Handler], bool]:
    """Answer pages without end, each with one study, of so many bytes, and a way to the next."""
    numbers = itertools.count(1)

    def fault(handler: Handler) -> bool:
        number = next(numbers)
        one = study(f"NCT{number:08}", why_stopped="x" * size)
        page = {"totalCount": 10**15, "studies": [one], "nextPageToken": f"page-{number}"}
        handler.document(page)
        return True

    return fault


OK = b"HTTP/1.1 200 OK\r\n"
LONG = OK + b"Content-Length: 1000000\r\n\r\n"
STATED = b'{"dataTimestamp": "2025-09-01T09:00:05"}'
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
HASTY = {"timeout": 0.3}
TIMED_OUT = "timed out after 0.3 seconds (tried 2 times)"
TOO_SLOW = "sends less than 1,000 bytes a second over 0.3 seconds (tried 2 times)"
BRIEF = {"timeout": 0.9, "longest_request": 1}
TOO_LONG = ": takes longer than 1 seconds"

# The path, what it answers, the settings, and the line.
ENDLESS: dict[str, tuple[str, Fault, dict[str, float], str]] = {
    "a status line": (VERSION, sends(then=endlessly(b"H")), HASTY, TIMED_OUT),
    "a header": (VERSION, sends(OK, then=endlessly(b"X")), HASTY, TIMED_OUT),
    "a header, on a connection that was used": (
        STUDIES,
        sends(OK, then=endlessly(b"X")),
        HASTY,
        TIMED_OUT,
    ),
    "a header of a file": (FDA, sends(OK, then=endlessly(b"X")), HASTY, TIMED_OUT),
    "hints": (
        VERSION,
        sends(then=endlessly(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"), every=0.001),
        HASTY,
        TIMED_OUT,
    ),
    "a body": (VERSION, sends(LONG, then=endlessly(b" ")), HASTY, TOO_SLOW),
    "a body of a file": (FDA, sends(LONG, then=endlessly(b" ")), HASTY, TOO_SLOW),
    "an extension of a chunk": (
        VERSION,
        sends(CHUNKED + b"1;", then=endlessly(b"x")),
        HASTY,
        TOO_SLOW,
    ),
    "a trailer": (VERSION, sends(CHUNKED + b"0\r\n", then=endlessly(b"x")), HASTY, TOO_SLOW),
    "a body at a good rate": (VERSION, sends(LONG, then=endlessly(b" " * 200)), BRIEF, TOO_LONG),
    # Whose end is that of the connection: what came is whole JSON.
    "a body without a length": (
        VERSION,
        sends(OK + b"\r\n", STATED, then=endlessly(b" " * 200)),
        BRIEF,
        TOO_LONG,
    ),
    "redirects": (VERSION, slowly_elsewhere, BRIEF, TOO_LONG),
    "a file at a good rate": (
        FDA,
        sends(LONG, then=endlessly(b" " * 200)),
        {"timeout": 0.9, "longest_fetch": 1},
        ": the whole fetch takes longer than 1 seconds",
    ),
    "pages": (
        STUDIES,
        pages(),
        {"longest_fetch": 1},
        ": the whole fetch takes longer than 1 seconds",
    ),
    "attempts": (
        VERSION,
        servers.status(503, {"Retry-After": "2"}),
        {"longest_wait": 3, "longest_fetch": 1},
        ": 503 Service Unavailable (tried once)",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(ENDLESS, 3, slow=True))
def test_what_comes_without_end_is_left_after_a_while(
    name: str, world: World, tracker: Tracker
) -> None:
    path, fault, settings, line = ENDLESS[name]
    world.faults[path] = servers.always(fault)
    begun = time.monotonic()
    done = fetch(world, tracker, NAMES[path], **settings)
    assert time.monotonic() - begun < 8
    problem = refused(done, NAMES[path])
    assert problem.startswith(f"{world.url}{path}")
    assert line in problem
    assert [name for name in landed() if not name.startswith(".")] == []


def total(n: int, *, sent: int, token: str | None = None) -> dict[str, Any]:
    page = {"totalCount": n, "studies": [study(f"NCT{i:08}") for i in range(1, sent + 1)]}
    return page if token is None else {**page, "nextPageToken": token}


def packed(piece: bytes, times: int, *, twice: bool = False) -> Fault:
    """Answer a JSON object with an array of pieces, packed with gzip."""

    def fault(handler: Handler) -> bool:
        body = gzip.compress(STATED[:-1] + b', "x": [' + piece * times + b"1]}", 1)
        handler.answer(
            200,
            gzip.compress(body) if twice else body,
            {"Content-Encoding": "gzip, gzip" if twice else "gzip"},
        )
        return True

    return fault


# The path, what it answers, and the line; nothing is left behind.
REFUSED: dict[str, tuple[str, Fault, str]] = {
    "what unpacks to much": (
        VERSION,
        packed(b" ", 40_000_000),
        "sends more than 33,554,432 bytes",
    ),
    "what unpacks to something packed": (
        VERSION,
        packed(b" ", 1_000, twice=True),
        "answers in an encoding that was not asked for",
    ),
    "another packing": (
        VERSION,
        answers(b"{}", {"Content-Encoding": "br"}),
        "answers in an encoding that was not asked for",
    ),
    "millions of values": (
        VERSION,
        packed(b"{},", 3_000_000),
        "brackets, commas and colons; at most 4,194,304 are parsed",
    ),
    "a future": (
        VERSION,
        answers({"dataTimestamp": f"{FUTURE}T00:00:00"}),
        f"is dated {FUTURE}, which is in the future",
    ),
    "the export of a future": (
        OPENFDA,
        answers(servers.downloads(FUTURE, {"file": "https://a.example/x.zip"})),
        f"is dated {FUTURE}, which is in the future",
    ),
    "a part of a page": (
        STUDIES,
        answers(total(1, sent=1), {"Content-Range": "bytes 5-9/100"}, 206),
        "206 Partial Content",
    ),
    "a part of a file": (
        FDA,
        answers(b"content", {"Content-Range": "bytes 0-6/7"}, 206),
        "sends a part of what was asked for as a whole",
    ),
    "no change since nothing": (
        FDA,
        answers(b"", code=304),
        "answers 304 (not modified) to a request that had no condition",
    ),
    "words of its own": (
        VERSION,
        sends(b"HTTP/1.1 999 \x1b[31mred\r\nContent-Length: 0\r\n\r\n"),
        f"{VERSION}: 999",
    ),
    "a total without studies": (
        STUDIES,
        answers({"totalCount": 1}),
        "states a total of 1, of which 0 came",
    ),
    "fewer studies than the total": (
        STUDIES,
        answers(total(21, sent=20)),
        "states a total of 21, of which 20 came",
    ),
    "a negative total": (STUDIES, answers(total(-5, sent=1)), "does not state a total"),
    "a truth value": (STUDIES, answers(total(True, sent=1)), "does not state a total"),
    "a token that is no text": (
        STUDIES,
        answers({**total(1, sent=1), "nextPageToken": 7}),
        "nextPageToken: 7 is not text",
    ),
    "no study": (STUDIES, answers({"totalCount": 1, "studies": [None]}), "studies"),
    "half a character": (STUDIES, answers(b'{"x": "\\ud800"}'), "contains an incomplete character"),
    "a long number": (STUDIES, answers(b'{"x": ' + b"9" * 5_000 + b"}"), "too many digits"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(REFUSED, 4, slow=True))
def test_an_answer_that_is_refused_leaves_nothing(
    name: str, world: World, tracker: Tracker
) -> None:
    path, fault, line = REFUSED[name]
    world.faults[path] = servers.always(fault)
    problem = refused(fetch(world, tracker, NAMES[path]), NAMES[path])
    assert problem.startswith(f"{world.url}{path}")
    assert line in problem
    assert landed() == []


@pytest.mark.slow
def test_pages_have_a_total_size_over_all_runs(world: World, tracker: Tracker) -> None:
    server = "clinicaltrials"
    lots = pages(300_000)
    world.faults[STUDIES] = [lots, lots, *servers.always(servers.status(500), 2), lots, lots]
    problem = refused(fetch(world, tracker, server, most_bytes=1_000_000), server)
    assert "500 Internal Server Error" in problem
    assert ".trials.part" in landed()
    (path,) = Path("fetched").glob("doid-*")
    path.unlink()
    problem = refused(fetch(world, tracker, server, most_bytes=1_000_000), server)
    assert problem == (
        f"{world.url}{STUDIES}: sends more than 1,000,000 bytes, all answers together"
    )
    assert landed() == []
    assert len(world.faults[STUDIES]) == 0, "two pages more, and the second was one too many"


@pytest.mark.slow
def test_pages_have_a_total_size_in_one_run(world: World, tracker: Tracker) -> None:
    world.faults[STUDIES] = servers.always(pages(300_000))
    done = fetch(world, tracker, "clinicaltrials", most_bytes=1_000_000)
    assert refused(done, "clinicaltrials") == (
        f"{world.url}{STUDIES}: sends more than 1,000,000 bytes, all answers together"
    )
    assert landed() == []


@pytest.mark.slow
def test_a_disk_that_fills_while_a_file_comes(
    world: World, tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(handler: Handler) -> bool:
        # The disk has room when the answer begins, and none when its body comes.
        handler.wfile.write(OK + b"\r\n")
        time.sleep(0.2)
        monkeypatch.setattr(landing, "_SPARE_BYTES", 1 << 60)
        return sends(then=itertools.repeat(b"x" * 1_000, 20))(handler)

    world.faults[FDA] = [fault]
    done = exited(3, fetch(world, tracker, "drugsfda"))
    assert "to spare, and has " in done.output
    assert landed() == []


@pytest.mark.slow
def test_a_file_of_several_parts_has_a_total_size(world: World, tracker: Tracker) -> None:
    # Stored, not compressed: each of the parts alone would be accepted.
    parts = [{"file": f"{world.url}/part-{number}.zip"} for number in range(4)]
    world.files["/openfda/download.json"] = servers.downloads("2025-08-15", *parts)
    world.files |= {f"/part-{number}.zip": zipped(300_000) for number in range(4)}
    problem = refused(fetch(world, tracker, "openfda", most_bytes=1_000_000), "openfda")
    assert problem == (
        f"{world.url}/part-3.zip: sends more than 1,000,000 bytes, all answers together"
    )
    assert landed() == []


@pytest.mark.slow
def test_a_part_that_is_no_archive_does_not_stop_the_others(world: World, tracker: Tracker) -> None:
    parts = [{"file": f"{world.url}/part-{number}.zip"} for number in range(2)]
    world.files["/openfda/download.json"] = servers.downloads("2025-08-15", *parts)
    world.files |= {"/part-0.zip": zipped(1_000), "/part-1.zip": b"PK\x03\x04 nothing"}
    assert "part-2" in refused(fetch(world, tracker, "openfda"), "openfda")
    assert landed() == []


def zipped(n_bytes: int) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("drugs.json", b'{"results": [' + b" " * n_bytes + b"]}")
    return written.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "fault"),
    [
        (STUDIES, None),
        (CHEMBL, None),
        # Of an unknown length, so that it is looked at while it comes.
        (FDA, sends(OK + b"\r\n", then=itertools.repeat(b"x" * 1_000, 40))),
    ],
)
def test_what_would_fill_the_disk_is_not_stored(
    path: str,
    fault: Fault | None,
    world: World,
    tracker: Tracker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if fault is not None:
        world.faults[path] = [fault]
    monkeypatch.setattr(landing, "_SPARE_BYTES", 1 << 60)
    done = exited(3, fetch(world, tracker, NAMES[path]))
    found = {row["origin"]: row["problem"] for row in json.loads(done.stdout)}
    assert "and 1,152,921,504,606,846,976 to spare, and has " in found[NAMES[path]]
    assert landed() == []


@pytest.mark.slow
def test_a_server_may_be_a_day_ahead(world: World, tracker: Tracker) -> None:
    now = datetime.now(UTC)
    world.as_of = (now + timedelta(days=1)).isoformat()[:19]
    ok(fetch(world, tracker, "clinicaltrials"))
    world.as_of = (now + timedelta(days=3)).isoformat()[:19]
    done = fetch(world, tracker, "clinicaltrials")
    assert (done.exit_code, "which is in the future" in done.output) == (3, True)


@pytest.mark.slow
def test_a_file_changed_in_the_future_has_the_day_of_its_fetch(
    world: World, tracker: Tracker
) -> None:
    content = world.files["/fda/download"]
    headers = {"Last-Modified": "Fri, 31 Dec 9999 00:00:00 GMT"}
    world.faults[FDA] = [answers(content, headers)]
    ok(fetch(world, tracker, "drugsfda"))
    (name,) = [name for name in landed() if not name.startswith(".")]
    assert name == f"drugsatfda-{datetime.now(UTC).date()}.zip"


@pytest.mark.slow
def test_doctor_does_not_wait_for_ever(world: World, tracker: Tracker) -> None:
    world.faults[VERSION] = servers.always(sends(OK, then=endlessly(b"X")))
    fetch(world, tracker, "clinicaltrials", **HASTY)
    done = exited(4, tracker("refresh", "doctor"))
    assert TIMED_OUT in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("setting", "value", "line"),
    [
        ("longest_request", 0, "longest_request: 0 is not a number from 1 to 86,400"),
        ("longest_fetch", 1e9, "longest_fetch: 1000000000.0 is not a number from 1 to 86,400"),
        ("least_rate", -1, "least_rate: -1 is not a number from 0 to 1,000,000"),
        ("most_bytes", 1.5, "most_bytes: 1.5 is not a whole number of at least 1"),
    ],
)
def test_a_bound_that_is_none(
    setting: str, value: float, line: str, world: World, tracker: Tracker
) -> None:
    done = exited(3, fetch(world, tracker, "clinicaltrials", **{setting: value}))
    assert line in done.stderr
    assert world.requests == []
