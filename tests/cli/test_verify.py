"""One command verifies whatever there is to verify, by what it is given."""

import json
import shutil
from pathlib import Path

import pytest
from bench import Bench

from tracker.cli.verify import kind_of
from tracker.errors import InputRefused


@pytest.fixture
def exported(bench: Bench, tmp_path: Path) -> Path:
    """A slate as it is exported."""
    bench.accept("slate", "export", bench.slate, tmp_path / "exported")
    return tmp_path / "exported"


def test_what_is_given_says_what_is_verified(exported: Path, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "manifest.json").touch()
    (tmp_path / "head.json").touch()
    assert kind_of(None) == "the store"
    assert kind_of("https://example.org/track/") == "site"
    assert kind_of(str(tmp_path / "site")) == "site"
    assert kind_of(str(exported)) == "an exported slate"
    assert kind_of(str(tmp_path / "head.json")) == "a file of the log"
    # A file that is not there is missed as a file.
    assert kind_of("absent.json") == "a file of the log"
    assert kind_of("469bb270") == "a slate"
    with pytest.raises(InputRefused, match="neither a published site nor an exported slate"):
        kind_of(str(tmp_path))


@pytest.mark.slow
def test_without_anything_the_store_is_checked(bench: Bench) -> None:
    assert bench.accept("verify") == bench.accept("check")


def test_a_slate_is_recomputed(bench: Bench) -> None:
    assert bench.accept("verify", bench.slate) == bench.accept("slate", "verify", bench.slate)
    (row,) = bench.read("verify", bench.slate)
    assert row["verdict"] == "as frozen"


@pytest.mark.slow
def test_an_export_is_verified_without_a_store(exported: Path, tmp_path: Path) -> None:
    elsewhere = Bench(tmp_path / "absent" / "store.duckdb")
    (row,) = elsewhere.read("verify", exported)
    manifest = json.loads((exported / "manifest.json").read_text())
    assert (row["content_sha256"], row["verdict"]) == (manifest["content_sha256"], "as frozen")
    assert not elsewhere.db.exists()


def test_an_altered_export_is_not_verified(exported: Path, bench: Bench) -> None:
    path = exported / "manifest.json"
    path.write_text(path.read_text().replace('"description": "', '"description": "Better: ', 1))
    done = bench.run("verify", exported)
    assert done.exit_code in (3, 4)
    assert "manifest.json" in done.stderr or "SHA-256" in done.stderr


@pytest.mark.slow
def test_a_proof_and_a_head_are_verified(bench: Bench) -> None:
    proof, head = bench.folder / "proof.json", bench.folder / "head.json"
    bench.accept("log", "prove", bench.slate, "-o", proof)
    bench.accept("log", "head", "-o", head)
    assert "of the log" in bench.accept("verify", proof)
    assert "begins with head" in bench.accept("verify", head)


@pytest.mark.parametrize(
    ("what", "option", "message"),
    [
        (None, ["--render"], "are for a site, not for the store"),
        ("slate", ["--sha256", "0" * 64], "are for a site, not for a slate"),
        ("head.json", ["--format", "json"], "list slates or checks, not a file of the log"),
    ],
)
def test_an_option_of_something_else_is_refused(
    what: str | None, option: list[str], message: str, bench: Bench
) -> None:
    given = [] if what is None else [bench.slate if what == "slate" else what]
    bench.refuse("verify", *given, *option, message=[message], code=2)


@pytest.mark.slow
def test_a_site_is_verified(bench: Bench) -> None:
    site = bench.folder / "site"
    bench.accept("publish", "-o", site)
    printed = bench.accept("verify", site)
    assert printed.startswith("checked:\n")
    shutil.rmtree(site / "drugs")
    bench.refuse("verify", site, message=["is in the manifest, but is missing"], code=4)
