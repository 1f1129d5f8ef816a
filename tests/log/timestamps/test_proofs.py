"""Proof of a slate's date in use: at a freeze, in a refresh, in exports, in Python, in the demo."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import authority
import duckdb
import pytest
from authority import NAME, Authority, says
from click.testing import CliRunner
from support import ROOT, WORLD, Tracker, as_json, exited, ok, sampled, tracker_on

import tracker as interface
from tracker import store
from tracker.cli import main
from tracker.errors import InputRefused
from tracker.log import timestamp_proofs, timestamps
from tracker.slates import freezing, loads

pytestmark = pytest.mark.skipif(authority.OPENSSL is None, reason="no openssl here")

SLATE = "5c9f4a52"
DEMO = "Demo Timestamping Authority (fictional)"
CANDIDATES = "disease_name,drug_name,score\nAsthma,Aspirin,0.9\nGout,Aspirin,0.8\n"
SOURCE = '[[source]]\nkind = "chembl"\npath = "drop/chembl_*"\n'
# Nobody listens there.
NOWHERE = "http://127.0.0.1:9/tsr"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority.make(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def served(made: Authority) -> Iterator[Authority]:
    made.faults.clear()
    made.requests.clear()
    with authority.serving(made):
        yield made


@pytest.fixture(scope="module")
def loaded(empty_store: Path, made: Authority, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that trusts the authority, with candidates and two slates."""
    folder = tmp_path_factory.mktemp("loaded")
    path = Path(shutil.copy(empty_store, folder / "store.duckdb"))
    (folder / "candidates.csv").write_text(CANDIDATES)
    with store.writer(path) as connection:
        timestamps.trust(connection, made.root, "ours")
        loads.load_candidates(connection, folder / "candidates.csv", "base", "m")
        for day in (date(2024, 1, 1), date(2025, 1, 1)):
            freezing.freeze(connection, candidates="base", labels=None, replay_as_of=day)
    return path


@pytest.fixture
def world(loaded: Path, db: Path, tracker: Tracker) -> Tracker:
    shutil.copy(loaded, db)
    return tracker


def verdicts(world: Tracker) -> list[dict[str, str]]:
    done = ok(world("slate", "verify", "--format", "json"))
    found: list[dict[str, str]] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_a_freeze_is_proved_at_once(world: Tracker, served: Authority) -> None:
    done = ok(world("slate", "freeze", "--candidates", "base", "--prove", served.url))
    assert f"\nfrozen no later than {datetime.now(UTC):%Y-}" in done.stdout
    last = verdicts(world)[-1]
    (query,) = served.requests
    assert bytes.fromhex(last["content_sha256"]) in query
    assert last["proof"].endswith(f" UTC, by {NAME}")


@pytest.mark.slow
def test_a_freeze_stands_without_proof(world: Tracker) -> None:
    done = ok(world("slate", "freeze", "--candidates", "base", "--prove", NOWHERE))
    last = verdicts(world)[-1]
    assert last["proof"] == "date claimed"
    assert last["content_sha256"] in done.stdout
    (line,) = [line for line in done.stderr.splitlines() if "no proof" in line]
    assert line.startswith(f"no proof of its date: {NOWHERE}: Connection refused (tried ")
    short = last["slate_id"][:8]
    assert line.endswith(f"'tracker slate prove {short} --authority {NOWHERE}'")


def test_an_address_that_is_none_is_refused_before_the_freeze(world: Tracker) -> None:
    n_before = len(verdicts(world))
    exited(3, world("slate", "freeze", "--candidates", "base", "--prove", "authority.example"))
    assert len(verdicts(world)) == n_before


@pytest.fixture
def configured(world: Tracker, db: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.chdir(db.parent)
    (db.parent / "drop").mkdir()

    def refresh(*words: str, authorities: list[str]) -> Any:
        settings = f"[timestamps]\nauthorities = {json.dumps(authorities)}\n"
        manners = "[fetch]\nattempts = 1\ntimeout = 2\n"
        (db.parent / "tracker.toml").write_text(SOURCE + settings + manners)
        done = world("refresh", "--format", "json", *words)
        return done, json.loads(done.stdout)

    return refresh


@pytest.mark.slow
def test_a_refresh_proves_what_is_not_proved(
    configured: Callable[..., Any], world: Tracker, served: Authority
) -> None:
    for words in (("--offline",), ("--dry-run",)):
        done, document = configured(*words, authorities=[served.url])
        assert (done.exit_code, document["sources"], served.requests) == (0, [], [])
    done, document = configured(authorities=[served.url])
    assert done.exit_code == 0, done.output
    assert [(row["kind"], row["status"]) for row in document["sources"]] == [
        ("timestamp", "proved")
    ] * 3
    assert document["summary"].endswith("; dates: 3 proved"), "two slates and the log's head"
    assert all(row["proof"].endswith(f"by {NAME}") for row in verdicts(world))
    done, document = configured("--fail-if-unchanged", authorities=[served.url])
    assert (done.exit_code, document["sources"]) == (6, []), "they have one each"
    assert len(served.requests) == 3


@pytest.mark.slow
def test_a_refresh_is_not_lost_without_proof(
    configured: Callable[..., Any], world: Tracker, served: Authority
) -> None:
    """An authority that fails is not asked again in this run; another may prove all the same."""
    served.faults.append(says(404))
    done, document = configured(authorities=[served.url])
    assert done.exit_code == 3
    assert document["summary"].endswith("; dates: 1 not proved")
    assert document["problems"] == [f"{served.url}: 404 Not Found"]
    assert len(served.requests) == 1
    assert {row["proof"] for row in verdicts(world)} == {"date claimed"}
    done, document = configured(authorities=[NOWHERE, served.url])
    assert done.exit_code == 3
    assert document["summary"].endswith("; dates: 3 proved, 1 not proved")
    assert "date claimed" not in {row["proof"] for row in verdicts(world)}


def require_timestamped_publication(site: Path) -> None:
    """Its head has a token beside the manifest, which both verifiers require to be of that head."""
    done = ok(CliRunner().invoke(main, ["verify", str(site)]))
    assert "openssl ts -verify -digest" in done.output
    assert " -in publication/1.tsr -CAfile publication/roots.pem" in done.output
    older = Path(shutil.copytree(site, site.with_name("older")))
    history = [sys.executable, "-I", str(site / "downloads" / "verify_history.py")]
    decided = [*history, str(site), str(older)]
    sound = subprocess.run(decided, capture_output=True, text=True, check=False)
    n_tokens = len([*site.rglob("*.tsr")])
    assert sound.stdout.endswith(
        f"\n{n_tokens} timestamps are verified by the roots of the older copy\n"
    )
    other = next(site.glob("downloads/*/timestamps/1.tsr"))
    shutil.copy(other, site / "publication" / "1.tsr")
    done = exited(4, CliRunner().invoke(main, ["verify", str(site)]))
    assert "publication/1.tsr: is for another hash" in done.output
    forged = subprocess.run(decided, capture_output=True, text=True, check=False)
    assert forged.returncode == 1
    assert "publication/1.tsr: openssl says" in forged.stderr
    (site / "publication" / "note.txt").touch()
    done = CliRunner().invoke(main, ["verify", str(site)])
    assert "publication/note.txt: is not in the manifest" in done.output


@pytest.mark.slow
def test_a_freeze_and_a_publication_ask_who_is_configured(
    world: Tracker, db: Path, served: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(db.parent)
    there = db.parent / "tracker.toml"
    there.write_text(f'{SOURCE}[timestamps]\nauthorities = ["{served.url}"]\n')
    n_before = len(verdicts(world))
    done = ok(world("slate", "freeze", "--candidates", "base"))
    assert f"\nfrozen no later than {datetime.now(UTC):%Y-}" in done.stdout
    assert len(served.requests) == 1
    asked_instead = ok(world("slate", "freeze", "--candidates", "base", "--prove", NOWHERE))
    assert "no proof of its date" in asked_instead.stderr
    assert len(served.requests) == 1
    other = there.rename(db.parent / "other.toml")
    ok(world("publish", "-o", "site"))
    assert len(served.requests) == 1, "no configuration was named"
    missing = world("publish", "-o", "site", "--config", "none.toml")
    assert (missing.exit_code, missing.stderr.count("\n")) == (3, 1)
    done = ok(world("publish", "-o", "site", "--config", other))
    assert done.stderr.count(": proved\n") == n_before + 2, "all but one, and the log"
    assert f"\npublished no later than {datetime.now(UTC):%Y-}" in done.stdout
    n_asked = len(served.requests)
    again = world("publish", "-o", "site", "--config", other)
    assert (again.exit_code, len(served.requests)) == (0, n_asked), "a publication is no news"
    assert done.stdout == again.stdout, "it has the timestamps that it had"
    require_timestamped_publication(Path("site"))
    assert all(row["proof"].endswith(f"by {NAME}") for row in verdicts(world))
    served.faults.append(says(404))
    frozen = world("slate", "freeze", "--candidates", "base", "--config", other)
    assert frozen.exit_code == 0
    assert "no proof of its date" in frozen.stderr
    bad = there.with_name("bad.toml")
    bad.write_text("[timestamps]\nauthorities = 3\n")
    n_before = len(verdicts(world))
    exited(3, world("slate", "freeze", "--candidates", "base", "--config", bad))
    assert len(verdicts(world)) == n_before


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (
            "[timestamps]\n",
            "tracker.toml, timestamps.authorities: is missing; needs an address or a",
        ),
        (
            "[timestamps]\nauthorities = []\n",
            "authorities: [] is not an address or a list of addresses",
        ),
        (
            "[timestamps]\nauthorities = 3\n",
            "authorities: 3 is not an address or a list of addresses",
        ),
        (
            '[timestamps]\nauthorities = ["ftp://a"]\n',
            "authorities[1]: is not an address (http:// or https://)",
        ),
        (
            '[timestamps]\nauthority = "http://a"\n',
            "timestamps.authority: unknown key; known: authorities",
        ),
    ],
)
def test_a_bad_table_of_authorities_is_refused(
    table: str, problem: str, world: Tracker, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(db.parent)
    (db.parent / "tracker.toml").write_text(SOURCE + table)
    done = exited(3, world("refresh"))
    assert problem in done.stderr


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """An export with a token of the demo's authority."""
    return Path(shutil.copytree(WORLD / "spring_slate", tmp_path / "export"))


def trust_demo(tracker: Tracker) -> None:
    ok(tracker("timestamp", "trust", WORLD / "authority.pem", "--name", "demo"))


def change(folder: Path, **fields: object) -> None:
    """Change what the manifest says of the token."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["timestamps"][0].update(fields)
    path.write_text(json.dumps(manifest))


@pytest.mark.slow
def test_an_export_brings_its_tokens(exported: Path, tracker: Tracker, tmp_path: Path) -> None:
    trust_demo(tracker)
    done = ok(tracker("slate", "import", exported))
    proof = f"frozen no later than 2025-03-03 09:30:07 UTC, by {DEMO}"
    assert proof in done.stdout.splitlines()
    assert [row["proof"] for row in verdicts(tracker)] == [proof]
    for _ in range(2):
        ok(tracker("slate", "export", SLATE, tmp_path / "again"))
    for name in ("1.tsr", "roots.pem"):
        own, given = (folder / "timestamps" / name for folder in (tmp_path / "again", exported))
        assert own.read_bytes() == given.read_bytes()
    written, given = (
        json.loads((folder / "manifest.json").read_text())["timestamps"]
        for folder in (tmp_path / "again", exported)
    )
    assert written == given
    ok(tracker("slate", "import", tmp_path / "again"))
    (rows,) = [as_json(tracker, "timestamp", "list")]
    assert [(row["slate_id"][:8], row["authority"], row["root"]) for row in rows] == [
        (SLATE, DEMO, "demo")
    ]


@pytest.mark.slow
def test_roots_that_come_with_an_export_are_not_trusted(exported: Path, tracker: Tracker) -> None:
    done = ok(tracker("slate", "import", exported))
    (line,) = [line for line in done.stderr.splitlines() if "token" in line]
    assert f"the token of {DEMO} was not checked: its root " in line
    assert "'tracker timestamp trust FILE --name NAME' and import again" in line
    assert [row["proof"] for row in verdicts(tracker)] == ["date claimed"]
    trust_demo(tracker)
    ok(tracker("slate", "import", exported))
    assert [row["proof"] for row in verdicts(tracker)] != ["date claimed"]


def _other_token(folder: Path) -> None:
    other = WORLD / "autumn_slate" / "timestamps" / "1.tsr"
    shutil.copy(other, folder / "timestamps" / "1.tsr")
    change(folder, sha256=hashlib.sha256(other.read_bytes()).hexdigest())


def _altered_token(folder: Path) -> None:
    path = folder / "timestamps" / "1.tsr"
    content = bytearray(path.read_bytes())
    content[-2] ^= 1
    path.write_bytes(content)
    change(folder, sha256=hashlib.sha256(content).hexdigest())


def _altered_file(folder: Path) -> None:
    path = folder / "timestamps" / "1.tsr"
    path.write_bytes(path.read_bytes()[:-1] + b"\0")


def _no_file(folder: Path) -> None:
    (folder / "timestamps" / "1.tsr").unlink()


TAMPERED: dict[str, tuple[Callable[[Path], None], int, str]] = {
    "a token of another slate": (_other_token, 4, "1.tsr is for another hash, e93f2721570c"),
    "an altered token": (_altered_token, 4, "1.tsr its signature does not verify"),
    "an altered file": (_altered_file, 4, "does not have the SHA-256 in the manifest"),
    "an absent file": (_no_file, 3, "1.tsr: no such file"),
    "an earlier date": (
        lambda folder: change(folder, generated_at="2020-01-01T00:00:00+00:00"),
        4,
        "does not say what the manifest says of it",
    ),
    "another name": (
        lambda folder: change(folder, authority="Somebody Better"),
        4,
        "does not say what the manifest says of it",
    ),
    "a file elsewhere": (
        lambda folder: change(folder, file="../../1.tsr"),
        3,
        "timestamps[1].file: '../../1.tsr' is not timestamps/ and the name",
    ),
    "no date": (
        lambda folder: change(folder, generated_at="soon"),
        3,
        "timestamps[1].generated_at: 'soon' is not",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", sampled(TAMPERED, 5))
@pytest.mark.parametrize("is_trusted", [True, False])
def test_a_tampered_export_is_refused(
    how: str, is_trusted: bool, exported: Path, db: Path, tracker: Tracker
) -> None:
    if is_trusted:
        trust_demo(tracker)
    tamper, code, message = TAMPERED[how]
    tamper(exported)
    before = db.read_bytes()
    done = exited(code, tracker("slate", "import", exported))
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert db.read_bytes() == before


@pytest.mark.slow
def test_an_export_of_an_earlier_version_is_imported(exported: Path, tracker: Tracker) -> None:
    path = exported / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["timestamps"]
    path.write_text(json.dumps(manifest))
    shutil.rmtree(exported / "timestamps")
    ok(tracker("slate", "import", exported))


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(["notes.txt", "2.tsr.bak", "folder/"], 3))
def test_an_export_does_not_replace_what_it_did_not_write(
    name: str, exported: Path, tracker: Tracker
) -> None:
    ok(tracker("slate", "import", exported))
    place = exported / "timestamps" / name.rstrip("/")
    if name.endswith("/"):
        place.mkdir()
    else:
        place.write_text("mine")
    done = exited(3, tracker("slate", "export", SLATE, exported))
    assert f"contains more than an earlier export: timestamps/{name.rstrip('/')}" in done.stderr
    assert place.exists()


@pytest.mark.slow
def test_a_published_site_has_the_tokens(exported: Path, tracker: Tracker, tmp_path: Path) -> None:
    trust_demo(tracker)
    ok(tracker("slate", "import", exported))
    ok(tracker("publish", "-o", tmp_path / "site"))
    (token,) = (tmp_path / "site" / "downloads").glob(f"{SLATE}*/timestamps/1.tsr")
    assert token.read_bytes() == (exported / "timestamps" / "1.tsr").read_bytes()
    listed = json.loads((tmp_path / "site" / "manifest.json").read_text())["files"]
    assert token.relative_to(tmp_path / "site").as_posix() in listed
    package = json.loads((tmp_path / "site" / "datapackage.json").read_text())
    described = {one["path"]: one["mediatype"] for one in package["resources"]}
    assert described[token.relative_to(tmp_path / "site").as_posix()] == (
        "application/timestamp-reply"
    )
    ok(CliRunner().invoke(main, ["verify", str(tmp_path / "site")]))


@pytest.mark.slow
def test_proof_in_python(world: Tracker, db: Path, served: Authority, tmp_path: Path) -> None:
    slate = verdicts(world)[0]
    with interface.open(db, write=True, frames="pandas") as opened:
        one = opened.slate(slate["slate_id"])
        assert one.proof == "date claimed"
        frame = one.prove(served.url, NOWHERE, timeout=2)
        assert list(frame["authority"].fillna("")) == [NAME, ""]
        assert frame["problem"][1].startswith(f"{NOWHERE}: ")
        assert one.proof.endswith(f"by {NAME}")
        assert one.verify() == slate["content_sha256"]
        opened.verify()
        (tmp_path / "token.tsr").write_bytes(served.of(slate["content_sha256"]))
        assert list(one.prove(token=tmp_path / "token.tsr")["authority"]) == [NAME]
        with pytest.raises(InputRefused, match="not both"):
            one.prove(served.url, token=tmp_path / "token.tsr")
        with pytest.raises(InputRefused, match=re.escape(NOWHERE)):
            one.prove(NOWHERE)
        other = authority.make(tmp_path / "other", name="Other")
        roots = opened.timestamps.trust(other.root, "other")
        assert list(roots["name"])[-2:] == ["ours", "other"]
        assert set(opened.timestamps.tokens["authority"]) == {NAME}
    with interface.open(db) as opened, pytest.raises(InputRefused, match="open for reading"):
        opened.slate(slate["slate_id"]).prove(served.url)


@pytest.mark.parametrize(
    ("microsecond", "shown"), [(0, "07:00:05"), (1, "07:00:06"), (999_999, "07:00:06")]
)
def test_a_bound_is_rounded_up(microsecond: int, shown: str) -> None:
    instant = datetime(2026, 11, 24, 7, 0, 5, microsecond, UTC)
    words = f"frozen no later than 2026-11-24 {shown} UTC, by X"
    assert timestamp_proofs.frozen_by(instant, "X") == words


@pytest.mark.slow
def test_the_demo_is_proved(demo_store: Path, demo_registry: Path) -> None:
    """Every slate that was imported, seconds after its freeze; not the one frozen by the demo."""
    for path, n_proved in ((demo_store, 2), (demo_registry, 4)):
        with duckdb.connect(str(path), read_only=True) as connection:
            lags = connection.execute(
                "select generated_at - created_at from slate "
                "join timestamp_token on sha256 = content_sha256"
            ).fetchall()
        assert lags == [(timedelta(seconds=7),)] * n_proved
        done = ok(tracker_on(path)("slate", "verify", "--format", "csv"))
        assert done.stdout.count(f"by {DEMO}") == n_proved


def test_both_worlds_have_one_authority() -> None:
    fixtures = ROOT / "fixtures"
    roots = [(fixtures / name / "authority.pem").read_bytes() for name in ("world", "registry")]
    assert roots[0] == roots[1]
    assert {path.read_bytes() for path in fixtures.glob("*/*/timestamps/roots.pem")} == {roots[0]}
