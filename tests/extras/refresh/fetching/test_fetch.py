"""tracker refresh, and its fetch alone, against a local server that answers as the sources do."""

import json
import socket
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
import servers
from click.testing import Result
from evidence import OBO, study
from filelock import FileLock
from servers import ARCHIVE, CHEMBL, Fault, World, serving
from sqlalchemy import text
from support import Tracker, exited, ok, sampled

from tracker import store
from tracker.evidence.trials.ingesting import ingest_trials
from tracker.extras.refresh import fetching
from tracker.extras.refresh.fetching import web
from tracker.slates import freezing, loads

CANDIDATES = """disease_name,drug_name,score,disease_id,chembl_id
Asthma,Aspirin,0.9,EFO:0000270,CHEMBL25
Gout,Aspirin,0.8,,CHEMBL25
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return servers.sources(tmp_path_factory.mktemp("sources"))


@pytest.fixture
def world(
    sources: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    """A server with news of every source, and a configuration that follows it."""
    monkeypatch.chdir(tmp_path)
    with serving(World.of(sources)) as found:
        configure(found)
        yield found


def configure(world: World, *names: str) -> None:
    """Write a configuration that fetches from these servers, or from all."""
    Path("tracker.toml").write_text(world.configuration(*names))


def statuses(done: Result) -> dict[str, str]:
    """The status of each server or file of `tracker refresh fetch`."""
    return {row["origin"]: row["status"] for row in json.loads(done.stdout)}


def fetch(tracker: Tracker, *words: str) -> Result:
    return tracker("refresh", "fetch", *words, "--format", "json")


def files() -> list[str]:
    return sorted(path.name for path in Path("fetched").glob("[!.]*"))


@pytest.mark.slow
def test_from_nothing_to_a_report(world: World, tracker: Tracker, db: Path) -> None:
    Path("candidates.csv").write_text(CANDIDATES)
    with store.writer(db) as connection:
        loads.load_candidates(connection, Path("candidates.csv"), "base", "m")
        freezing.freeze(connection, candidates="base", labels=None, replay_as_of=date(2024, 1, 1))
    done = ok(tracker("refresh"))
    assert done.stdout.endswith(
        "releases: 5 fetched, 5 ingested; 3 new outcomes of 1 pair in 1 slate, from 3 events, "
        "1 study\n"
    )
    with store.reader(db) as connection:
        found = connection.execute(
            text(
                "select source, url, release_fetch.sha256, n_bytes from release_fetch "
                "join release using (release_id) order by source, released_on"
            )
        ).all()
        slate = connection.execute(text("select slate_id from slate")).scalar_one()
    assert [row.source for row in found] == ["chembl", "ctgov", "doid", "fda", "fda"]
    for row in found:
        assert row.url.startswith(world.url)
        assert row.n_bytes > 100
    ok(tracker("report", str(slate)))
    # Another run asks for what is new, and there is nothing.
    n_before = len(world.requests)
    exited(6, tracker("refresh", "--fail-if-unchanged"))
    assert not [one for one in world.requests[n_before:] if "sqlite" in one.path]
    exited(6, tracker("refresh", "--offline", "--fail-if-unchanged"))


@pytest.mark.slow
def test_a_release_whose_file_was_deleted_is_not_fetched_again(
    world: World, tracker: Tracker
) -> None:
    """openFDA exports its records some days after the last of them was updated."""
    document = world.files["/openfda/download.json"].replace(b"2025-08-15", b"2025-08-18")
    world.files["/openfda/download.json"] = document
    configure(world, "openfda")
    ok(tracker("refresh"))
    (name,) = files()
    Path("fetched", name).unlink()
    exited(6, tracker("refresh", "--fail-if-unchanged"))
    assert files() == []


@pytest.mark.slow
def test_a_slate_frozen_while_servers_answer_is_followed(
    world: World, tracker: Tracker, db: Path
) -> None:
    Path("candidates.csv").write_text(CANDIDATES)
    with store.writer(db) as connection:
        loads.load_candidates(connection, Path("candidates.csv"), "base", "m")

    def freeze(_handler: servers.Handler) -> bool:
        with store.writer(db) as connection:
            freezing.freeze(connection, candidates="base", labels=None)
        return False

    configure(world, "doid")
    # A freeze takes seconds, and the request is not to be sent again meanwhile.
    patient = Path("tracker.toml").read_text().replace("timeout = 2", "timeout = 60")
    Path("tracker.toml").write_text(patient)
    world.faults["/doid.obo"] = [freeze]
    done = ok(tracker("refresh"))
    assert done.stdout.endswith("from 3 events, 1 study\n")
    # It was part of the run, so that nothing is left to do.
    exited(6, tracker("refresh", "--offline", "--fail-if-unchanged"))


@pytest.mark.slow
def test_the_servers_are_told_who_asks(world: World, tracker: Tracker) -> None:
    ok(fetch(tracker))
    agents = {one.headers["User-Agent"] for one in world.requests}
    (agent,) = agents
    assert agent.startswith("slate-tracker/")
    assert agent.endswith("(team@example.org)")


@pytest.mark.slow
def test_only_studies_updated_since_the_last_snapshot_are_asked_for(
    world: World, tracker: Tracker, db: Path
) -> None:
    configure(world, "clinicaltrials")
    ok(tracker("refresh"))
    pages = world.asked("/api/v2/studies")
    assert [one.query.get("pageToken") for one in pages] == [None, "page-1000", "page-2000"]
    assert all("filter.advanced" not in one.query for one in pages)
    world.requests.clear()
    exited(6, tracker("refresh", "--fail-if-unchanged"))
    assert world.asked("/api/v2/studies") == []
    world.as_of = "2025-10-01T09:00:05"
    world.studies[6] = study("NCT00000007", status="COMPLETED", updated="2025-09-20")
    ok(tracker("refresh"))
    (page,) = world.asked("/api/v2/studies")
    assert page.query["filter.advanced"] == "AREA[LastUpdatePostDate]RANGE[2025-09-01,MAX]"
    with store.reader(db) as connection:
        counts = connection.execute(text("select n_rows from release order by released_on"))
        assert counts.scalars().all() == [2_500, 1]


@pytest.mark.slow
def test_all_that_is_read_of_a_study_is_asked_for(world: World, tracker: Tracker, db: Path) -> None:
    """The server answers with the fields that it is asked for, and no others."""
    configure(world, "clinicaltrials")
    told = study(
        purpose="DIAGNOSTIC",
        status="TERMINATED",
        why_stopped="Slow accrual",
        results_posted="2025-01-02",
        arms=[{"label": "A", "type": "EXPERIMENTAL", "interventionNames": ["Drug: Aspirin"]}],
    )
    world.studies = [told]
    ok(tracker("refresh"))
    path = Path("told.json")
    path.write_text(json.dumps(told))
    with store.writer(db) as connection:
        (found,) = connection.execute(text("select primary_purpose, why_stopped from trial")).all()
        assert found == ("DIAGNOSTIC", "Slow accrual")
        roles = connection.execute(text("select arm_role from trial_intervention")).scalars().all()
        assert roles == ["experimental"]
        ingested = ingest_trials(connection, [path], released_on=date(2026, 1, 1))
        assert ingested.n_versions == 0, "the whole study has nothing that the fetched one lacks"


@pytest.mark.slow
def test_studies_of_followed_drugs_alone(
    world: World, tracker: Tracker, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching.trials, "_MOST_SIGNS", 30)
    names = [f"drug {number}" for number in range(1, 8)]
    world.studies = [
        study(f"NCT{number:08}", interventions=[{"type": "DRUG", "name": name}])
        for number, name in enumerate([*names, "another", "Drug 9"], start=1)
    ]
    # One study of two followed drugs, which two queries find.
    both = [{"type": "DRUG", "name": name} for name in ("drug 1", "drug 7")]
    world.studies.append(study("NCT00000099", interventions=both))
    Path("tracker.toml").write_text(
        world.configuration("clinicaltrials").replace("{kind", '{studies = "followed", kind')
    )
    assert statuses(fetch(tracker)) == {"clinicaltrials": "unchanged"}, "no slate, no drug"
    lines = [f"Asthma,{name},0.{number}" for number, name in enumerate(names, start=1)]
    Path("first.csv").write_text("\n".join(["disease_name,drug_name,score", *lines, ""]))
    Path("second.csv").write_text("disease_name,drug_name,score\nAsthma,drug 9,0.5\n")
    with store.writer(db) as connection:
        loads.load_candidates(connection, Path("first.csv"), "first", "m")
        freezing.freeze(connection, candidates="first", labels=None)
    ok(tracker("refresh"))
    pages = world.asked("/api/v2/studies")
    assert [one.query["query.intr"] for one in pages] == [
        '"drug 1" OR "drug 2"',
        '"drug 3" OR "drug 4"',
        '"drug 5" OR "drug 6"',
        '"drug 7"',
    ]
    with store.reader(db) as connection:
        n_rows = connection.execute(text("select n_rows from release")).scalars().all()
    assert n_rows == [8], "the seven, and the one of two drugs once"
    # A slate comes with a drug of which nothing was fetched: all of its studies are asked for.
    with store.writer(db) as connection:
        loads.load_candidates(connection, Path("second.csv"), "second", "m")
        freezing.freeze(connection, candidates="second", labels=None)
    world.requests.clear()
    world.as_of = "2025-10-01T09:00:05"
    ok(tracker("refresh"))
    asked = [
        (one.query["query.intr"], "filter.advanced" in one.query) for one in world.requests[1:]
    ]
    assert asked[:4] == [(one.query["query.intr"], True) for one in pages]
    assert asked[4:] == [('"drug 9"', False)]
    # Back to all studies: what was left out so far is asked for, whenever it was updated.
    world.requests.clear()
    world.as_of = "2025-11-01T09:00:05"
    configure(world, "clinicaltrials")
    ok(tracker("refresh"))
    (page,) = world.asked("/api/v2/studies")
    assert "query.intr" not in page.query
    assert "filter.advanced" not in page.query


@pytest.mark.slow
def test_a_file_that_has_not_changed_is_not_sent_again(world: World, tracker: Tracker) -> None:
    configure(world, "drugsfda", "doid")
    assert set(statuses(fetch(tracker)).values()) == {"fetched"}
    assert statuses(fetch(tracker)) == {"drugsfda": "unchanged", "doid": "unchanged"}
    conditions = [one.headers.get("If-None-Match") is None for one in world.asked("/fda")]
    assert conditions == [True, False]
    # A server that forgets what it sent sends it again, and it is known by its content.
    world.faults["/doid.obo"] = [servers.forgetful]
    assert statuses(fetch(tracker, "doid")) == {"doid": "unchanged"}
    assert len(files()) == 2


@pytest.mark.slow
def test_a_file_cut_short_by_a_false_length_is_fetched_again(
    world: World, tracker: Tracker
) -> None:
    """The server's file has not changed since; what came of it was refused."""
    configure(world, "drugsfda")
    world.faults["/fda"] = [servers.cut(0.5, states_whole=False)]
    done = exited(3, tracker("refresh"))
    assert "refused" in done.output
    done = ok(tracker("refresh"))
    assert [one.headers.get("If-None-Match") for one in world.asked("/fda")] == [None, None]
    assert "ingested" in done.output


PASSING: dict[str, tuple[str, str, list[Fault]]] = {
    "too many requests": ("clinicaltrials", "/api/v2/studies", [servers.status(429)]),
    "come back later": ("doid", "/doid.obo", [servers.status(429, {"Retry-After": "1"})]),
    "a server in trouble": ("chembl", "/chembl", [servers.status(500), servers.status(503)]),
    "a cut connection": ("chembl", CHEMBL, [servers.cut(0.5), servers.cut(0.25)]),
    "cut before the first byte": ("drugsfda", "/fda", [servers.cut(0)]),
    "a stated length that is too long": ("drugsfda", "/fda", [servers.wrong_length(10)]),
    "silence": ("doid", "/doid.obo", [servers.silent(2.5)]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(PASSING, 3))
def test_a_fault_that_passes(name: str, world: World, tracker: Tracker) -> None:
    server, path, faults = PASSING[name]
    configure(world, server)
    world.faults[path] = list(faults)
    done = ok(fetch(tracker))
    assert set(statuses(done).values()) == {"fetched"}
    assert world.faults[path] == []


def test_a_download_is_continued_where_it_was_cut(
    world: World, tracker: Tracker, sources: dict[str, bytes]
) -> None:
    configure(world, "chembl")
    content = sources[f"{CHEMBL}/{ARCHIVE}"]
    world.faults[CHEMBL] = [servers.cut(0.5)]
    ok(fetch(tracker))
    half = len(content) // 2
    assert [one.headers.get("Range") for one in world.asked(CHEMBL)] == [None, f"bytes={half}-"]
    assert Path("fetched", ARCHIVE).read_bytes() == content


@pytest.mark.slow
def test_a_file_that_changes_while_it_is_fetched_is_begun_anew(
    world: World, tracker: Tracker
) -> None:
    configure(world, "doid")
    newer = OBO.replace("podagra", "toe gout").encode()
    world.faults["/doid.obo"] = [servers.cut(0.5), servers.changed("/doid.obo", newer)]
    ok(fetch(tracker))
    (name,) = files()
    assert Path("fetched", name).read_bytes() == newer


LASTING: dict[str, tuple[str, str, list[Fault], str]] = {
    "never there": ("chembl", "/chembl/latest", servers.always(servers.status(404)), "404"),
    "always in trouble": ("doid", "/doid", servers.always(servers.status(500)), "(tried 6 times)"),
    "come back tomorrow": (
        "doid",
        "/doid",
        [servers.status(429, {"Retry-After": "86400"})],
        "asks to wait 86,400 s",
    ),
    "a login page": (
        "drugsfda",
        "/fda",
        [servers.body(b"\n<!DOCTYPE html><html>Log in</html>")],
        "a web page came instead of data",
    ),
    "a login page of an API": (
        "clinicaltrials",
        "/api/v2/studies",
        [servers.body(b"<html>Log in</html>")],
        "a web page came instead of data",
    ),
    "half a document": (
        "clinicaltrials",
        "/api/v2/studies",
        [servers.body(b'{"studies": [', "application/json")],
        "is not JSON",
    ),
    "another checksum": (
        "chembl",
        CHEMBL,
        [servers.body(b"x" * 500, "application/gzip")],
        "its checksum is not the published one",
    ),
    "no list of checksums": (
        "chembl",
        "/chembl/latest",
        [servers.body(b"nothing here", "text/plain")],
        "lists no chembl_N_sqlite.tar.gz",
    ),
    "pages that never end": (
        "clinicaltrials",
        "/api/v2/studies",
        servers.always(
            servers.body(
                json.dumps(
                    {"studies": [study()], "nextPageToken": "again", "totalCount": 1_000}
                ).encode()
            )
        ),
        "its pages never end",
    ),
    "a list of downloads of another form": (
        "openfda",
        "/openfda",
        [servers.body(b'{"results": {"drug": []}}', "application/json")],
        "openfda/download.json, drug",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LASTING)
def test_a_fault_that_lasts_ends_in_one_line(name: str, world: World, tracker: Tracker) -> None:
    server, path, faults, line = LASTING[name]
    configure(world, server, "chembl" if server != "chembl" else "doid")
    world.faults[path] = list(faults)
    done = exited(3, fetch(tracker))
    found = statuses(done)
    assert found.pop(server) == "not fetched"
    assert set(found.values()) == {"fetched"}
    (problem,) = [one for one in done.stderr.splitlines() if "not fetched" in one]
    assert line in problem
    # The next run, without the fault, has it.
    world.faults.clear()
    ok(fetch(tracker))
    assert len(files()) == 2


@pytest.mark.slow
def test_a_redirect_loop(world: World, tracker: Tracker) -> None:
    configure(world, "doid")
    world.redirects["/releases/latest/doid.obo"] = "/releases/latest/doid.obo"
    done = fetch(tracker)
    assert (done.exit_code, files()) == (3, [])
    assert "is redirected more than 10 times" in done.stderr


@pytest.mark.parametrize(
    ("target", "line"),
    [
        ("http://example.org/doid.obo", "is not an https address"),
        ("file:///etc/passwd", "is not an https address"),
        ("https://127.0.0.1:1/doid.obo", "leads to 127.0.0.1, which is not a public address"),
        ("https://[::ffff:10.0.0.1]/x", "which is not a public address"),
        ("https://169.254.169.254/latest", "which is not a public address"),
    ],
)
def test_a_redirect_may_not_lead_inside(
    target: str, line: str, world: World, tracker: Tracker
) -> None:
    configure(world, "doid")
    world.redirects["/releases/latest/doid.obo"] = target
    done = fetch(tracker)
    assert (done.exit_code, files()) == (3, [])
    assert line in done.stderr


def test_a_list_of_downloads_may_not_lead_inside(world: World, tracker: Tracker) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        part = {"file": f"http://127.0.0.1:{other.getsockname()[1]}/x.zip"}
        world.files["/openfda/download.json"] = servers.downloads("2025-08-15", part)
        configure(world, "openfda")
        done = fetch(tracker)
    assert (done.exit_code, files()) == (3, [])
    assert "is not an https address" in done.stderr


@pytest.mark.slow
def test_a_body_that_never_ends(world: World, tracker: Tracker) -> None:
    configure(world, "doid")
    with Path("tracker.toml").open("a") as config:
        config.write("most_bytes = 10_000_000\n")
    world.faults["/doid.obo"] = [servers.endless]
    done = fetch(tracker)
    assert (done.exit_code, files()) == (3, [])
    assert "sends more than 10,000,000 bytes" in done.stderr
    assert not list(Path("fetched").glob(".*.part"))


@pytest.mark.slow
def test_a_certificate_is_verified(world: World, tracker: Tracker) -> None:
    """The local server speaks no TLS: what comes is no handshake, and nothing is accepted."""
    configure(world, "doid")
    config = Path("tracker.toml").read_text().replace("http://", "https://")
    Path("tracker.toml").write_text(config)
    done = fetch(tracker)
    assert (done.exit_code, files()) == (3, [])
    assert "SSL" in done.stderr


@pytest.mark.slow
def test_a_killed_fetch_of_studies_is_continued(world: World, tracker: Tracker) -> None:
    configure(world, "clinicaltrials")
    world.faults["/api/v2/studies"] = [lambda _: False, *servers.always(servers.status(500), 6)]
    exited(3, fetch(tracker))
    ok(fetch(tracker))
    asked = [one.query.get("pageToken") for one in world.asked("/api/v2/studies")]
    assert asked == [None, *["page-1000"] * 7, "page-2000"]
    (name,) = files()
    lines = Path("fetched", name).read_bytes().splitlines()
    ids = [json.loads(line)["protocolSection"]["identificationModule"]["nctId"] for line in lines]
    assert ids == [f"NCT{number:08}" for number in range(1, 2_501)]


@pytest.mark.slow
def test_credentials_are_not_kept(world: World, tracker: Tracker, db: Path) -> None:
    configure(world, "doid")
    text_of = Path("tracker.toml").read_text().replace("http://", "http://reader:secret@")
    Path("tracker.toml").write_text(text_of)
    ok(tracker("refresh"))
    assert world.requests[0].headers["Authorization"].startswith("Basic ")
    with store.reader(db) as connection:
        (url,) = connection.execute(text("select url from release_fetch")).scalars()
    assert url == f"{world.url}/releases/latest/doid.obo"
    world.faults["/doid"] = [servers.status(404)]
    done = fetch(tracker)
    assert (done.exit_code, "secret" in done.output) == (3, False)
    assert "secret" not in "".join(path.read_text() for path in Path("fetched").iterdir())


def test_a_fetch_waits_for_a_refresh(world: World, tracker: Tracker, db: Path) -> None:
    assert world.url
    with FileLock(f"{db}.refresh.lock"):
        done = tracker("--wait", "0.1", "refresh", "fetch")
    assert done.exit_code == 5
    assert "another refresh of store.duckdb is running" in done.stderr


def test_a_name_that_the_configuration_does_not_have(world: World, tracker: Tracker) -> None:
    configure(world, "doid")
    done = exited(3, fetch(tracker, "mesh"))
    assert done.stderr == "error: tracker.toml: does not fetch 'mesh'; it fetches doid\n"


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ('kind = "fda"\nfetch = "mondo"', "fetch: 'mondo' is not one of openfda, drugsfda"),
        ('kind = "vocabulary"\nfetch = true', "fetch: true is not one of mondo, efo, doid, mesh"),
        ('kind = "chembl"\npath = "x"\nbase_url = "https://x"', "base_url is only for fetch"),
        ('kind = "trials"\npath = "x"\nfolder = "y"', "folder is only for fetch"),
        ('kind = "trials"\npath = "x"\nstudies = "followed"', "studies is only for fetch"),
        (
            'kind = "chembl"\nfetch = true\nbase_url = "http://host:port/x"',
            "base_url: is not an address (http:// or https://)",
        ),
        (
            'kind = "chembl"\nfetch = true\nbase_url = "ftp://x"',
            "base_url: is not an address (http:// or https://)",
        ),
        ('kind = "chembl"\nfetch = 1', "fetch: 1 is not true or the name of a server"),
        (
            'kind = "trials"\nfetch = true\nstudies = "some"',
            "studies: 'some' is not one of all, followed",
        ),
    ],
)
def test_a_wrong_configuration(
    table: str, line: str, tmp_path: Path, tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tracker.toml").write_text(f"[[source]]\n{table}\n")
    done = exited(3, tracker("refresh", "fetch"))
    assert line in done.stderr


def test_the_bar_of_a_download() -> None:
    assert web.progress_bar(5_000_000, 20_000_000, 2e6) == (
        "#####............... 5.0 of 20.0 MB, 2.0 MB/s"
    )
    assert web.progress_bar(5_000_000, None, 2e6) == "5.0 MB, 2.0 MB/s"
