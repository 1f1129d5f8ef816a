"""No slate of a store is missing from its site, and what is withheld is nowhere in it."""

import base64
import json
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import authority
import duckdb
import pytest
from altered_pages import describe, edit, passed, relist, replaced, verified
from bench import Bench
from browser import visit
from playwright.sync_api import Browser
from support import exited, ok, ran, sampled

from tracker import clock
from tracker.extras.site.register import csv_of

# Its site takes a quarter of a minute to make.
pytestmark = pytest.mark.slow

OPEN = "disease_name,drug_name,score\n1st disease,alpha,0.9\n1st disease,beta,0.8\n"
VEILED = (
    "disease_name,drug_name,chembl_id,score\n"
    "Zanzibar ague,hiddenol,CHEMBL987654,0.876543\nZanzibar ague,alpha,,0.765432\n"
)
KNOWN = "disease_name,drug_name,label\n1st disease,beta,4\n"
SECRETLY_KNOWN = "disease_name,drug_name,label\nZanzibar ague,hiddenol,4\n"
OUTCOMES = (
    "disease_name,drug_name,outcome_type,event_date,source\n"
    "Zanzibar ague,hiddenol,first_trial_seen,2021-03-01,veiled source\n"
)
# What is in the withheld slate and nowhere else; numbers also as pages round them.
HIDDEN = re.compile(
    r"zanzibar|hiddenol|crypticol|987654|876543|0\.877|765432|0\.765|veiled|secret|third model",
    re.IGNORECASE,
)
FROZEN_AT = datetime(2021, 3, 1, 12, tzinfo=UTC)
REVEALED_ON = "2021-04-01"


@pytest.fixture(scope="module")
def veiled(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A store with a slate, one under embargo that has all that a slate can have, and another."""
    bench = Bench(tmp_path_factory.mktemp("veiled") / "store.duckdb")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "read", lambda: FROZEN_AT)
        for name, rows, known, model in (
            ("open", OPEN, KNOWN, "first model"),
            ("secret", VEILED, SECRETLY_KNOWN, "third model"),
        ):
            path = bench.write(f"{name}.csv", rows)
            bench.accept("load", "candidates", path, "--set", name, "--model", model)
            labels = bench.write(f"{name} labels.csv", known)
            bench.accept("load", "labels", labels, "--set", f"{name} labels")
        names = bench.write(
            "aliases.csv", "entity,name,kind,value\ndrug,hiddenol,synonym,crypticol\n"
        )
        bench.accept("load", "aliases", names)
        freeze = ("slate", "freeze", "--candidates")
        bench.accept(*freeze, "open", "--labels", "open labels", "--description", "before")
        printed = bench.accept(
            *freeze,
            "secret",
            "--labels",
            "secret labels",
            "--description",
            "a veiled hope",
            "--embargo-until",
            REVEALED_ON,
        )
        assert f"embargoed until {REVEALED_ON}" in printed
        bench.accept(*freeze, "open", "--labels", "open labels", "--description", "after")
        bench.accept("load", "outcomes", bench.write("outcomes.csv", OUTCOMES))
        secret = ids(bench)[1]
        bench.accept("retrospective", "evaluate", "--candidates", "secret", *_LABELS_OF_SECRET)
        bench.accept("retrospective", "evaluate", "--candidates", "open", "--labels", "open labels")
        bench.accept("report", "estimate", secret)
        bench.accept("scoreboard", secret, "--record")
        bench.accept("publish", "-o", bench.folder / "site")
    return bench


_LABELS_OF_SECRET = ("--labels", "secret labels")


@pytest.fixture
def copy(veiled: Bench, tmp_path: Path) -> Path:
    return Path(shutil.copytree(veiled.folder / "site", tmp_path / "site"))


def ids(bench: Bench) -> list[str]:
    return [str(one) for (one,) in bench.query("select slate_id from slate order by recorded_at")]


def hashes(bench: Bench) -> list[str]:
    found = bench.query("select content_sha256 from slate order by recorded_at")
    return [str(one) for (one,) in found]


def texts(path: Path) -> list[str]:
    """Everything that a file of a site says, also inside Parquet."""
    if path.suffix == ".parquet":
        rows = duckdb.read_parquet(str(path))
        return [*rows.columns, *(str(value) for row in rows.fetchall() for value in row)]
    return [path.read_bytes().decode("utf-8", "replace")]


def test_nothing_of_a_withheld_slate_is_in_any_file(veiled: Bench) -> None:
    site, secret = veiled.folder / "site", ids(veiled)[1]
    files = [path for path in site.rglob("*") if path.is_file()]
    assert len(files) > 40
    for path in files:
        found = [HIDDEN.search(text) for text in (*texts(path), path.name)]
        assert not any(found), (path, found)
    # The search is able to find it: the store has all of it.
    content = " ".join(str(veiled.query(f"from {name}")) for name in ("drug", "disease", "slate"))
    assert {one.lower() for one in HIDDEN.findall(content)} >= {"zanzibar", "hiddenol", "veiled"}
    named = [path for path in files if secret in path.read_bytes().decode("utf-8", "replace")]
    assert {path.relative_to(site).as_posix() for path in named} == {
        "index.html",
        "downloads/register.csv",
        "downloads/register.json",
        "manifest.json",
        "datapackage.json",
        "croissant.json",
        "downloads/index.html",
        "publication.js",
    }
    assert not (site / "slates" / f"{secret}.html").exists()
    proof = json.loads((site / "downloads" / secret / "proof.json").read_text())
    assert sorted(proof) == ["head", "inclusion_path", "leaf_index", "leaf_sha256"]


def test_the_index_says_how_many_are_frozen_and_shown(veiled: Bench) -> None:
    text = (veiled.folder / "site" / "index.html").read_text(encoding="utf-8")
    assert f"3 slates frozen, 2 shown, 1 withheld until {REVEALED_ON}" in text
    assert "never logged in this one, cannot be seen here" in text
    register = json.loads((veiled.folder / "site/downloads/register.json").read_text())
    assert [one["number"] for one in register["slates"]] == [1, 2, 3]
    assert [one["slate_id"] for one in register["slates"]] == ids(veiled)
    head = (veiled.folder / "site" / "downloads" / "head.json").read_text()
    assert json.loads(head)["root_sha256"] in text
    page = (veiled.folder / "site" / "slates" / ids(veiled)[2] / "audit.html").read_text()
    assert "slate 3 of 3 of this store" in page


def test_a_withheld_slate_verifies_by_its_place_in_the_log(veiled: Bench) -> None:
    done = ok(verified(veiled.folder / "site"))
    assert "3 of 3 slates of the register are entries of the log" in done.stdout
    sha256 = hashes(veiled)[1]
    done = ok(verified(veiled.folder / "site", "--sha256", sha256))
    assert f"is withheld until {REVEALED_ON}" in done.stdout
    proof = veiled.folder / "site" / "downloads" / ids(veiled)[1] / "proof.json"
    assert "a row that is withheld" in veiled.accept("verify", proof)


def test_after_its_day_a_slate_is_shown_with_the_hash_of_before(
    veiled: Bench, tmp_path: Path
) -> None:
    """Any write moves the site's day past that of the embargo; here, an evaluation."""
    later = Bench(Path(shutil.copy(veiled.db, tmp_path / "store.duckdb")))
    evaluate = ("retrospective", "evaluate", "--candidates", "open", "--labels", "open labels")
    later.accept(*evaluate, "--positive-min-label", "3")
    printed = later.accept("publish", "-o", tmp_path / "later")
    assert "3 slates frozen, 3 shown" in printed
    done = ok(verified(tmp_path / "later", "--against", veiled.folder / "site"))
    assert "the 3 slates that" in done.stdout
    folder = tmp_path / "later" / "slates" / ids(veiled)[1]
    assert "hiddenol" in (folder / "predictions.html").read_text(encoding="utf-8")
    assert "a veiled hope" in folder.with_suffix(".html").read_text(encoding="utf-8")
    head = veiled.folder / "site" / "downloads" / "head.json"
    ok(verified(tmp_path / "later", "--against", head))
    assert "entries are later" in later.accept("verify", head)
    # The other way round the log would have lost entries, and the slate be withheld again.
    done = exited(4, verified(veiled.folder / "site", "--against", tmp_path / "later"))
    assert f"was shown, not withheld until {REVEALED_ON}" in done.stderr
    assert re.search(r"the log had \d+ entries, and has \d+", done.stderr)


def test_the_own_store_reports_an_embargoed_slate_whole(veiled: Bench) -> None:
    """As of the day of the freeze; a report of today is after the embargo."""
    secret = ids(veiled)[1]
    before = veiled.accept("report", secret, "--full", "--as-of", "2021-03-05")
    assert f"Embargoed until {REVEALED_ON}" in before
    assert "slate 2 of 3 of this store" in before
    assert "Embargoed" not in veiled.accept("report", secret, "--full")
    assert "hiddenol" in veiled.accept("slate", "show", secret)
    printed = veiled.run("slate", "export", secret, veiled.folder / "exported")
    assert f"embargoed until {REVEALED_ON}" in printed.stderr


def test_an_embargo_ends_after_the_freeze(veiled: Bench) -> None:
    veiled.refuse(
        "slate",
        "freeze",
        "--candidates",
        "open",
        "--embargo-until",
        "2021-03-01",
        message=["--embargo-until 2021-03-01 is not later than the freeze"],
    )


Change = Callable[[dict[str, Any]], None]


def _left_out(register: dict[str, Any]) -> None:
    del register["slates"][1]
    register["slates"][1]["number"] = 2
    register |= {"n_slates": 2, "n_shown": 2}


def _swapped(register: dict[str, Any]) -> None:
    one, two, _ = register["slates"]
    register["slates"][:2] = [two | {"number": 1}, one | {"number": 2}]


REGISTERS: dict[str, tuple[Change, str]] = {
    "one left out": (_left_out, "which the register does not have before it"),
    "a gap": (
        lambda register: register["slates"][2].update(number=4),
        "the slate after number 2 has the number 4",
    ),
    "two swapped": (_swapped, "not in the order of the log's entries"),
    "another count": (lambda register: register.update(n_slates=4), "and says 4"),
    "another hash": (
        lambda register: register["slates"][0].update(content_sha256="0" * 64),
        "is of another slate",
    ),
    "withheld for longer than its day": (
        lambda register: register["slates"][1].update(withheld_until="2021-02-01"),
        "was to be revealed on 2021-02-01",
    ),
    "shown without a page": (
        lambda register: (
            register["slates"][1].update(withheld_until=None),
            register.update(n_shown=3),
        )[0],
        "is shown, but has no page",
    ),
    "no date": (
        lambda register: register["slates"][0].update(frozen_on="?"),
        "frozen_on: '?' is not a date",
    ),
}


@pytest.mark.parametrize("name", sampled(REGISTERS, 4))
def test_an_altered_register_does_not_verify(name: str, copy: Path) -> None:
    change, message = REGISTERS[name]
    path = copy / "downloads" / "register.json"
    register = json.loads(path.read_text())
    change(register)
    path.write_text(json.dumps(register))
    relist(copy)
    done = exited(4, verified(copy))
    assert message in done.stderr


def test_a_slate_taken_out_is_missed_by_an_older_copy(veiled: Bench, copy: Path) -> None:
    """The last slate has none after it that would name it; only who kept a copy can tell."""
    last = ids(veiled)[2]
    path = copy / "downloads" / "register.json"
    register = json.loads(path.read_text())
    del register["slates"][2]
    path.write_text(json.dumps(register | {"n_slates": 2, "n_shown": 1}))
    for one in (
        copy / "slates" / f"{last}.html",
        copy / "slates" / last,
        copy / "downloads" / last,
    ):
        shutil.rmtree(one) if one.is_dir() else one.unlink()
    (copy / "downloads" / "register.csv").write_text(csv_of(register["slates"]))
    for change in (
        replaced(r'<tr><td data-th="number">3</td>.*?</tr>', ""),
        *[replaced("3 slates frozen, 2 shown", "2 slates frozen, 1 shown")] * 2,
    ):
        edit(copy / "index.html", change)
    describe(copy)
    relist(copy)
    done = ok(verified(copy))
    done = exited(4, verified(copy, "--against", veiled.folder / "site"))
    assert f"slate {last}, number 3, is no longer listed" in done.stderr


# Timestamps.


@pytest.fixture(scope="module")
def stamped(veiled: Bench, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The store with a token of the first slate and one of the withheld slate."""
    if authority.OPENSSL is None:
        pytest.skip("no openssl here")
    folder = tmp_path_factory.mktemp("stamped")
    bench = Bench(Path(shutil.copy(veiled.db, folder / "store.duckdb")))
    made = authority.make(folder / "authority")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "read", lambda: FROZEN_AT)
        bench.accept("timestamp", "trust", made.root, "--name", "test root")
        for number, slate_id in enumerate(ids(bench)[:2]):
            sha256 = hashes(bench)[number]
            token = folder / f"{number}.tsr"
            token.write_bytes(made.of(sha256))
            bench.accept("slate", "prove", slate_id, "--token", token)
        bench.accept("publish", "-o", folder / "site")
    return bench


def test_what_a_browser_cannot_check_is_said_with_the_command(
    stamped: Bench, chromium: Browser
) -> None:
    site, (slate_id, secret, _) = stamped.folder / "site", ids(stamped)
    done = ok(verified(site))
    with visit(chromium, site / "slates" / slate_id / "audit.html") as visited:
        found = visited.verified()
        assert visited.overflow <= 0
    assert found.startswith("Match: ")
    assert "1 timestamp is of this SHA-256" in found
    line = re.search(rf"openssl ts -verify -digest \w+ -in downloads/{slate_id}\S+ .*", found)
    assert line is not None
    assert line[0] in done.stdout
    assert f"downloads/{secret}/timestamps/1.tsr: the signature of" in done.stdout
    said = ran(*line[0].split(), folder=site)
    assert "Verification: OK" in said.stdout + said.stderr


def _with_reply(change: Callable[[bytes], bytes]) -> Callable[[str], str]:
    def altered(proof: dict[str, Any]) -> dict[str, Any]:
        token = proof["tokens"][0]
        reply = change(base64.b64decode(token["reply"]))
        token["reply"] = base64.b64encode(reply).decode()
        return proof

    return passed(altered)


def _other_imprint(reply: bytes) -> bytes:
    """The reply with one bit of the hash that it is for changed."""
    at = reply.index(bytes.fromhex("608648016503040201"), reply.index(b"\x09\x10\x01\x04"))
    at = reply.index(b"\x04\x20", at) + 2
    return reply[:at] + bytes([reply[at] ^ 1]) + reply[at + 1 :]


TOKENS: dict[str, tuple[Callable[[str], str], str]] = {
    "of another hash": (_with_reply(_other_imprint), "is for another hash"),
    "cut": (_with_reply(lambda reply: reply[:200]), "is not a timestamp reply"),
    "empty": (_with_reply(lambda _: b""), "is not a timestamp reply"),
    "refused": (
        _with_reply(
            lambda reply: reply.replace(b"\x30\x03\x02\x01\x00", b"\x30\x03\x02\x01\x02", 1)
        ),
        "1.tsr",
    ),
    "not Base64": (
        passed(lambda proof: proof["tokens"][0].update(reply="?") or proof),
        "is not a timestamp reply",
    ),
}


@pytest.mark.parametrize("name", TOKENS)
def test_an_altered_token_does_not_verify(
    name: str, stamped: Bench, tmp_path: Path, chromium: Browser
) -> None:
    change, message = TOKENS[name]
    site = Path(shutil.copytree(stamped.folder / "site", tmp_path / "site"))
    slate_id = ids(stamped)[0]
    path = site / "slates" / slate_id / "rows-log.js"
    path.write_text(change(path.read_text()))
    relist(site)
    done = exited(4, verified(site))
    assert message in done.stderr
    with visit(chromium, site / "slates" / slate_id / "audit.html") as visited:
        found = visited.verified()
    assert found.startswith("Mismatch: ")
    assert message in found


def test_a_forged_signature_is_found_by_the_roots_of_the_site(
    stamped: Bench, tmp_path: Path
) -> None:
    site = Path(shutil.copytree(stamped.folder / "site", tmp_path / "site"))
    path = site / "downloads" / ids(stamped)[1] / "timestamps" / "1.tsr"
    reply = path.read_bytes()
    path.write_bytes(reply[:-1] + bytes([reply[-1] ^ 1]))
    relist(site)
    done = exited(4, verified(site))
    assert "timestamps/1.tsr: its signature does not verify" in done.stderr


def test_heads_do_not_tell_how_long_a_withheld_slate_is(tmp_path: Path) -> None:
    """Each freeze seals as many entries, whether its list has twenty predictions or forty."""
    bench = Bench(tmp_path / "store.duckdb")
    rows = "".join(f"1st disease,drug {number},{number / 50}\n" for number in range(50))
    candidates = bench.write("candidates.csv", "disease_name,drug_name,score\n" + rows)
    bench.accept("load", "candidates", candidates, "--set", "all", "--model", "m")
    freeze = ("slate", "freeze", "--candidates", "all", "--min-score", "0")
    for length in ("40", "20"):
        bench.accept(*freeze, "--top-k", length, "--embargo-until", "2999-01-01")
    with duckdb.connect(str(bench.db), read_only=True) as connection:
        sizes = connection.sql("select n_entries from log_head order by head_id").fetchall()
    before, first, second = (int(n_entries) for (n_entries,) in sizes[-3:])
    assert second - first == first - before > 0
