"""What a store publishes is sealed in its log before it is shown, and is drawn again from it."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from altered_pages import (
    Change,
    describe,
    edit,
    history,
    manifest_sha256,
    passed,
    relist,
    replaced,
    verified,
)
from bench import Bench
from browser import visit
from forging import HALVED, made_anew
from playwright.sync_api import Browser
from support import complaint, content, exited, ok, sampled

import tracker
from tracker import store
from tracker.extras.site import publications, verify_history
from tracker.extras.site.files import MANIFEST, PROOF, SCRIPT

# A site takes seconds to draw.
pytestmark = pytest.mark.slow

ROWS = "disease_name,drug_name,score\nGout,alpha,0.9\nGout,beta,0.8\nAsthma,alpha,0.7\n"
SET = ("--set", "base", "--model", "m")
HEAD = verify_history.HEAD
HEADS = "select head_id, n_entries from log_head order by head_id"
PUBLISHED = "select publication_id, manifest_sha256, n_files, tracker_version from publication"


@pytest.fixture(scope="module")
def made(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A store with two slates, which published its site, and the head of its log of then."""
    folder = tmp_path_factory.mktemp("published")
    bench = Bench(Path(shutil.copy(empty_store, folder / "store.duckdb")))
    bench.accept("load", "candidates", bench.write("base.csv", ROWS), *SET)
    for description in ("one", "other"):
        bench.accept("slate", "freeze", "--candidates", "base", "--description", description)
    bench.accept("log", "head", "-o", folder / "before.json")
    bench.accept("publish", "-o", folder / "site")
    bench.accept("log", "head", "-o", folder / "after.json")
    return bench


@pytest.fixture
def copy(made: Bench, tmp_path: Path) -> Bench:
    """A copy of the store beside one of its site."""
    shutil.copytree(made.folder / "site", tmp_path / "site")
    return Bench(Path(shutil.copy(made.db, tmp_path / "store.duckdb")))


def test_a_checkout_with_other_line_endings_is_named(copy: Bench) -> None:
    site = copy.folder / "site"
    assert (site / ".gitattributes").read_text() == "* -text\n"
    ok(verified(site))
    index = site / "index.html"
    text = index.read_bytes()
    index.write_bytes(text.replace(b"\n", b"\r\n"))
    done = exited(4, verified(site))
    assert "index.html: line endings were changed, and nothing else, as Git does" in done.output
    index.write_bytes(text.replace(b"\n", b"\r\n") + b" ")
    assert "index.html: has more bytes, not " in verified(site).output


def test_an_older_copy_shows_that_nothing_was_rewritten(made: Bench, copy: Bench) -> None:
    site = copy.folder / "site"
    for _ in range(3):
        copy.accept("slate", "freeze", "--candidates", "base")
        copy.accept("publish", "-o", site)
    for older in (made.folder / "site", made.folder / "before.json"):
        done = ok(verified(site, "--against", older))
        assert f" entries of that of {older}: nothing that was sealed by then" in done.output
    shown = history(site, made.folder / "site")
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    n_entries = json.loads((made.folder / "site" / HEAD).read_text())["n_entries"]
    assert lines[3].startswith(f"the log begins with the {n_entries:,} entries of the older copy")
    assert lines[2] == "the 5 slates of the register are entries of the log"
    assert lines[4] == "the 2 slates of the older copy are listed as they were"
    assert lines[6].startswith("0 timestamps are verified")


def test_history_that_was_rewritten_is_evident_without_the_store(made: Bench, copy: Bench) -> None:
    """Rows are changed, the log is made anew under its identity, and grows beyond the old one."""
    site = copy.folder / "site"
    made_anew(copy, HALVED)
    for _ in range(9):
        copy.accept("slate", "freeze", "--candidates", "base")
    copy.accept("publish", "-o", site)
    ok(verified(site))
    for older in (made.folder / "site", made.folder / "before.json"):
        done = exited(4, verified(site, "--against", older))
        assert "history was rewritten" in done.output
    assert history(site, made.folder / "site").returncode == 1
    # Nor does it help to list the head of then, with any path.
    path = site / "downloads" / "heads.json"
    heads = json.loads(path.read_text())
    then = json.loads((made.folder / "site" / "downloads" / "head.json").read_text())
    path.write_text(json.dumps([{**then, "consistency_path": heads[0]["consistency_path"]}]))
    describe(site)
    relist(site)
    done = exited(4, verified(site, "--against", made.folder / "before.json"))
    assert "history was rewritten" in done.output
    # The script asks first whether the site is sealed, which this one is not.
    assert "publication.json: is missing" in history(site, made.folder / "site").stderr


def test_files_of_an_older_copy_do_not_hide_that_history_was_rewritten(
    made: Bench, copy: Bench
) -> None:
    """The head of then, and the proofs that lead to it, are laid over a site of a log made anew."""
    site, older = copy.folder / "site", made.folder / "site"
    made_anew(copy, HALVED)
    copy.accept("publish", "-o", site)
    for name in (HEAD, verify_history.HEADS, PROOF):
        shutil.copy(older / name, site / name)
        exited(4, verified(site, "--against", older))
    # Nor where the manifest is made to fit, or is laid over the other as well.
    relist(site)
    assert "publication.json: is missing" in history(site, older).stderr
    shutil.copy(older / PROOF, site / PROOF)
    assert "is of another manifest" in history(site, older).stderr
    shutil.copy(older / MANIFEST, site / MANIFEST)
    assert f"is not as {MANIFEST} lists it" in history(site, older).stderr


NAMES: dict[str, tuple[dict[str, Any], Callable[[Path, Path], str], str]] = {
    "a slate": (
        {"slate_id": "../../elsewhere"},
        verify_history.check_slates,
        "/elsewhere/proof.json' is not the name of a file of a site",
    ),
    "a timestamp": (
        {"timestamps": [{"file": "../../1.tsr"}]},
        verify_history.compare_timestamps,
        "/1.tsr' is not the name of a file of a site",
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_script_follows_no_name_out_of_its_folder(name: str, copy: Bench) -> None:
    change, check, problem = NAMES[name]
    site = copy.folder / "site"
    path = site / verify_history.REGISTER
    register = json.loads(path.read_text())
    register["slates"][0] |= change
    path.write_text(json.dumps(register))
    with pytest.raises(verify_history.Rewritten, match=re.escape(problem)):
        check(site, site)
    outside = copy.write("outside.txt", "not of the site")
    (site / "link.txt").symlink_to(outside)
    with pytest.raises(verify_history.Rewritten, match="is not the name of a file of a site"):
        verify_history.located(site, "link.txt")


FORGED: dict[str, tuple[str, Callable[[str], str], str]] = {
    "a slate left out of the index": (
        "index.html",
        lambda text: re.sub(r'<tr><td data-th="number">2</td>.*?</tr>', "", text, flags=re.DOTALL),
        "index.html: lists 1 slates, and the register 2",
    ),
    "a slate hidden on the index": (
        "index.html",
        lambda text: re.sub(
            r'(<tr><td data-th="number">2</td>.*?</tr>)', r"<!--\1-->", text, flags=re.DOTALL
        ),
        "index.html: hides a part of itself",
    ),
    "a row of the index that no browser shows": (
        "index.html",
        lambda text: text.replace(
            '<tr><td data-th="number">2</td>', '<tr hidden><td data-th="number">2</td>'
        ),
        "index.html: hides a part of itself",
    ),
    "the counts on the index": (
        "index.html",
        lambda text: text.replace("2 slates frozen, 2 shown", "1 slate frozen, 1 shown"),
        "index.html: does not say '2 slates frozen, 2 shown'",
    ),
    "the register as CSV": (
        "downloads/register.csv",
        lambda text: text.replace("claimed", "proved", 1),
        "downloads/register.csv: differs from downloads/register.json",
    ),
    "predictions as CSV": (
        "downloads/{}/predictions.csv",
        lambda text: text.replace("0.9", "0.8", 1),
        "predictions.csv: differs from downloads/",
    ),
    "the table of slates": (
        "downloads/slates.csv",
        lambda text: text.replace("Too early to say", "It works", 1),
        "downloads/slates.csv: differs from downloads/slates.parquet",
    ),
    "the description of the downloads": (
        "datapackage.json",
        lambda text: text.replace('"hash": "sha256:', '"hash": "sha256:0', 1),
        "datapackage.json: describes downloads/",
    ),
    "the description as a dataset": (
        "croissant.json",
        lambda text: text.replace('"sha256": "', '"sha256": "0', 1),
        "croissant.json: differs from datapackage.json",
    ),
}


@pytest.mark.parametrize("kind", sampled(FORGED, 3))
def test_what_a_site_says_twice_is_compared(copy: Bench, kind: str) -> None:
    """Also where the manifest was made to fit, and the proof that it was sealed was left out."""
    path, change, difference = FORGED[kind]
    site = copy.folder / "site"
    (slate, *_) = copy.query("select slate_id from slate order by recorded_at")[0]
    file = site / path.format(slate)
    text = file.read_text()
    assert change(text) != text
    file.write_text(change(text))
    relist(site)
    done = exited(4, verified(site))
    assert difference in done.output


PUBLISHED_LATER: dict[str, tuple[str, Callable[[str], str], str]] = {
    "a sentence": (
        "index.html",
        lambda text: text.replace("defines its figures", "proves its figures", 1),
        "index.html: differs from that of",
    ),
    "the time of a head": (
        "downloads/heads.json",
        lambda text: re.sub(r'"sealed_at":\s*"20', '"sealed_at": "19', text, count=1),
        "downloads/heads.json: head 1 is not as",
    ),
}


@pytest.mark.parametrize("kind", PUBLISHED_LATER)
def test_a_copy_that_was_published_later_says_the_same(made: Bench, copy: Bench, kind: str) -> None:
    """Whoever has the store seals the altered manifest, too: only an older copy tells."""
    path, change, difference = PUBLISHED_LATER[kind]
    site = copy.folder / "site"
    text = (site / path).read_text()
    assert change(text) != text
    (site / path).write_text(change(text))
    describe(site)
    relist(site)
    n_files = len(json.loads((site / MANIFEST).read_text())["files"])
    assert publications.seal(copy.db, manifest_sha256(site), n_files, 0) is None
    with store.reader(copy.db) as connection:
        head = publications.shown_head(connection)
        publications.write(connection, site, manifest_sha256(site), head)
    ok(verified(site))
    done = exited(4, verified(site, "--against", made.folder / "site"))
    assert difference in done.output


def test_the_manifest_is_sealed_once(copy: Bench) -> None:
    """Publishing again what did not change adds nothing and yields the same bytes."""
    site = copy.folder / "site"
    listed = json.loads((site / MANIFEST).read_text())["files"]
    assert not {MANIFEST, PROOF, SCRIPT} & listed.keys()
    sealed = [(1, manifest_sha256(site), len(listed) + 1, tracker.__version__)]
    assert copy.query(PUBLISHED) == sealed
    heads, before = copy.query(HEADS), content(site)
    copy.accept("publish", "-o", site)
    assert content(site) == before
    assert (copy.query(PUBLISHED), copy.query(HEADS)) == (sealed, heads)
    copy.accept("check")
    shown = json.loads((site / "downloads" / "head.json").read_text())
    assert shown["n_entries"] == heads[-2][1]
    lines = copy.accept("verify", site / PROOF)
    assert f"publication 1 {manifest_sha256(site)} is entry " in lines
    assert "the log has only grown since" in lines


def test_what_changed_is_sealed_again_and_what_was_sealed_stays(copy: Bench) -> None:
    site = copy.folder / "site"
    old = Path(shutil.copytree(site, copy.folder / "old"))
    copy.accept("slate", "freeze", "--candidates", "base", "--description", "third")
    copy.accept("publish", "-o", site)
    assert [row[1] for row in copy.query(PUBLISHED)] == [*map(manifest_sha256, (old, site))]
    for place, number in ((old, 1), (site, 2)):
        assert f"is that of publication {number} in the log" in copy.accept("verify", place)
    ok(verified(site, "--against", old))
    copy.accept("check")


def test_a_store_that_cannot_be_written_is_published_unsealed(
    made: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chromium: Browser
) -> None:
    """As from a read-only file system, which a test cannot make; the store stays as it was."""
    db = Path(shutil.copy(made.db, tmp_path / "store.duckdb"))
    bench = Bench(db)
    bench.accept("slate", "freeze", "--candidates", "base", "--description", "third")
    before = db.read_bytes()
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    done = ok(bench.run("publish", "-o", tmp_path / "site"))
    assert "not sealed in the log: the store cannot be written\n" in done.stderr
    assert db.read_bytes() == before
    assert not (tmp_path / "site" / PROOF).exists()
    said = ok(verified(tmp_path / "site"))
    assert f"the site has no {PROOF}" in said.stdout.partition("not checked:")[2]
    assert "It was not sealed in the log." in pressed(chromium, tmp_path / "site")
    assert "manifest.json: no publication in the log of" in complaint(
        4, bench.run("verify", tmp_path / "site")
    )
    # What it yields is nevertheless what the store says.
    bench.accept("verify", tmp_path / "site", "--render")
    # A site that was sealed before is so also where the store is only read.
    shutil.copy(made.db, db)
    bench.accept("publish", "-o", tmp_path / "site")
    assert content(tmp_path / "site") == content(made.folder / "site")


def test_python_seals_where_it_may_write(made: Bench, tmp_path: Path) -> None:
    db = Path(shutil.copy(made.db, tmp_path / "store.duckdb"))
    with tracker.open(db, write=True) as opened:
        opened.load.candidates(made.write("more.csv", ROWS), name="more", model="m")
    with tracker.open(db) as opened:
        unsealed = opened.publish(tmp_path / "unsealed")
    assert not (unsealed / PROOF).exists()
    with tracker.open(db, write=True) as opened:
        sealed = opened.publish(tmp_path / "sealed")
    assert (sealed / PROOF).exists()
    assert (sealed / MANIFEST).read_bytes() == (unsealed / MANIFEST).read_bytes()


def pressed(chromium: Browser, site: Path) -> str:
    """Press the button of a slate and return what it says."""
    page = min((site / "slates").glob("*/audit.html"))
    with visit(chromium, page) as visited:
        return visited.verified()


def test_the_button_shows_that_the_manifest_is_sealed(made: Bench, chromium: Browser) -> None:
    site = made.folder / "site"
    found = pressed(chromium, site)
    assert found.startswith("Match: "), found
    assert f"has the SHA-256 {manifest_sha256(site)}, and is entry " in found
    head = json.loads((made.folder / "after.json").read_text())
    assert f"of the log with the root {head['root_sha256']}" in found


def _proof(**changes: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda passed: passed | {"proof": passed["proof"] | changes}


# What a page loads, altered; what the button then says.
LOADED: dict[str, tuple[Change, str]] = {
    "another manifest": (
        passed(lambda one: one | {"manifest": one["manifest"] + " "}, "publication"),
        "is of another manifest",
    ),
    "a manifest without the rows": (
        passed(
            lambda one: one | {"manifest": one["manifest"].replace("rows-1.js", "rows-2.js")},
            "publication",
        ),
        "manifest.json does not list slates/",
    ),
    "another place": (passed(_proof(leaf_index=0), "publication"), "is not entry 0 of the tree"),
    "a path cut": (passed(_proof(inclusion_path=[]), "publication"), "is not entry"),
    "another line": (replaced("manifest_sha256", "manifest_sha25"), "is not entry"),
    "another log": (
        replaced(r'("log_id": ")\w{8}', r"\g<1>00000000"),
        "is not sealed in the log of the slate",
    ),
    "no proof": (
        passed(lambda one: one | {"proof": {}}, "publication"),
        "publication.js does not contain a proof",
    ),
}


@pytest.mark.parametrize("name", sampled(LOADED, 3))
def test_an_altered_publication_does_not_verify(name: str, copy: Bench, chromium: Browser) -> None:
    change, message = LOADED[name]
    site = copy.folder / "site"
    edit(site / SCRIPT, change)
    found = pressed(chromium, site)
    assert found.startswith("Mismatch: "), found
    assert message in found
    assert complaint(4, verified(site)) == f"error: {SCRIPT}: differs from {MANIFEST} and {PROOF}\n"


def _json(**changes: Any) -> Change:
    return lambda text: json.dumps(json.loads(text) | changes)


PROOFS: dict[str, tuple[Change, str]] = {
    "not JSON": (lambda _: "{", "publication.json: is not JSON"),
    "deep": (lambda _: "[" * 100_000, "publication.json: is nested too deeply"),
    "no proof": (lambda _: "[]", "publication.json: "),
    "another place": (_json(leaf_index=0), "is not entry 0 of the tree"),
    "no growth": (_json(consistency_path=[]), "does not begin with that of from_head"),
    "growth left out": (
        lambda text: json.dumps(
            {name: one for name, one in json.loads(text).items() if name != "from_head"}
        ),
        "publication.json, from_head",
    ),
    "of another table": (_json(table="slate"), "is not entry"),
}


@pytest.mark.parametrize("name", PROOFS)
def test_an_altered_proof_does_not_verify(name: str, copy: Bench) -> None:
    change, message = PROOFS[name]
    site = copy.folder / "site"
    edit(site / PROOF, change)
    assert message in complaint(4, verified(site))


def test_the_proof_of_another_site_is_not_this_sites(copy: Bench) -> None:
    """A proof that holds, from the head of this site, but of another manifest."""
    site = copy.folder / "site"
    edit(site / "index.html", replaced("Track record", "Track  record"))
    proof = (site / PROOF).read_bytes()
    relist(site)
    (site / PROOF).write_bytes(proof)
    assert "publication.json: the entry of the log is of another manifest" in complaint(
        4, verified(site)
    )


def test_a_kept_head_fixes_the_manifest(made: Bench) -> None:
    site = made.folder / "site"
    after = ok(verified(site, "--against", made.folder / "after.json"))
    assert "is that by which manifest.json is an entry of the log" in after.stdout
    assert "consistent with itself" not in after.stdout
    for older in (made.folder / "before.json", site / "downloads" / "head.json"):
        before = ok(verified(site, "--against", older))
        assert f"entries of that of {older}: nothing that was sealed by then" in before.stdout
        assert "consistent with itself" in before.stdout


def _forged(site: Path) -> None:
    """As one who can write all of a site does: what pages say changes, and nothing restates it."""
    shown = sorted(path.stem for path in (site / "slates").glob("*.html"))
    edit(site / "index.html", replaced("Too early to say", "It works"))
    edit(site / "slates" / f"{shown[0]}.html", replaced("Too early to say", "It works"))
    relist(site)


def test_a_forged_site_is_found_by_what_was_kept_elsewhere(made: Bench, copy: Bench) -> None:
    """By the hash of its manifest, by a head, or by the store; what else is said is still true."""
    site = copy.folder / "site"
    sha256 = manifest_sha256(site)
    _forged(site)
    done = ok(verified(site))
    not_checked = done.stdout.partition("not checked:")[2]
    assert "this proves only that the site is consistent with itself" in not_checked
    assert f"the site has no {PROOF}" in not_checked
    found = {
        "neither the manifest of this site nor a slate": verified(site, "--sha256", sha256),
        "the log had ": verified(site, "--against", made.folder / "after.json"),
        f"{PROOF}: is missing": verified(site, "--against", made.folder / "site"),
        "no publication in the log": copy.run("verify", site),
        "index.html: is not what is drawn from the store": copy.run("verify", site, "--render"),
    }
    for message, one in found.items():
        assert one.exit_code == 4, one.output
        assert message in one.stderr
    shown = min(path.stem for path in (site / "slates").glob("*.html"))
    drawn = found["index.html: is not what is drawn from the store"].stderr
    names = re.findall(r"^(?:error: )?(\S+): is not what is drawn", drawn, re.MULTILINE)
    assert {name.rpartition("/")[2] for name in names} == {"index.html", f"{shown}.html"}


def test_a_site_is_drawn_again_from_its_store(copy: Bench) -> None:
    site = copy.folder / "site"
    before = copy.query(HEADS)
    done = copy.accept("verify", site, "--render")
    n_files = len(json.loads((site / MANIFEST).read_text())["files"])
    assert f"all {n_files} files are, byte for byte, what tracker {tracker.__version__}" in done
    assert "whether pages say what the store says" not in done
    assert "whether the store is as it was sealed" in done.partition("not checked:")[2]
    assert copy.query(HEADS) == before
    # Also that of a slate compares all files then.
    ((slate,),) = copy.query("select content_sha256 from slate limit 1")
    done = copy.accept("verify", site, "--render", "--sha256", slate)
    assert f"{n_files} files are as in manifest.json" in done


def test_a_site_with_a_file_more_or_less_or_another_date_is_not_drawn(copy: Bench) -> None:
    site = copy.folder / "site"
    (site / "drugs" / "thesis.html").write_text("<p>")
    (site / "feed.xml").unlink()
    relist(site)
    done = exited(4, copy.run("verify", site, "--render"))
    assert "drugs/thesis.html: is not drawn from the store" in done.stderr
    assert "feed.xml: is not what is drawn from the store" in done.stderr
    shutil.rmtree(site)
    copy.accept("publish", "-o", site)
    relist(site, as_of="2099-01-01T00:00:00+00:00")
    done = copy.run("verify", site, "--render")
    assert (done.exit_code, done.stderr) == (
        4,
        "error: manifest.json: is not what is drawn from the store\n",
    )


def test_what_cannot_be_drawn_is_refused_in_one_line(copy: Bench, made: Bench) -> None:
    site = copy.folder / "site"
    copy.accept("slate", "freeze", "--candidates", "base", "--description", "third")
    assert "was written since the site was published" in complaint(
        3, copy.run("verify", site, "--render")
    )
    other = Bench(copy.folder / "other.duckdb")
    other.accept("init")
    assert "it was made anew, or is another store" in complaint(
        4, other.run("verify", site, "--render")
    )
    assert "store not found" in complaint(
        3, verified(site, "--render", "--sha256", manifest_sha256(site))
    )
    relist(site, tracker="99.0")
    assert "was published by tracker 99.0, and this is tracker" in complaint(
        3, made.run("verify", site, "--render")
    )


def test_an_altered_publication_in_the_store_is_found(copy: Bench) -> None:
    """Neither is a row that was sealed altered, nor is one added for another site."""
    site = copy.folder / "site"
    _forged(site)
    with duckdb.connect(str(copy.db)) as connection:
        connection.execute("update publication set manifest_sha256 = ?", [manifest_sha256(site)])
    done = exited(4, copy.run("verify", site))
    assert "publication 1 is not as it was sealed" in done.stderr
    checked = exited(4, copy.run("check"))
    assert "publication 1" in checked.stderr
