"""What others check without tracker: exports and registrations, with Python and openssl alone."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import authority
import pytest
from bench import CANDIDATES, LABELS, Bench
from support import exited, ran

from tracker.slates import readers

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(authority.OPENSSL is None, reason="no openssl here"),
]


@pytest.fixture(scope="module")
def made(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Return a store with two slates: one with a token, and one that a token of a head proves."""
    folder = tmp_path_factory.mktemp("registered")
    bench = Bench(Path(shutil.copyfile(empty_store, folder / "tracker.duckdb")))
    own = authority.make(folder / "authority")
    bench.accept(
        "load", "candidates", bench.write("c.csv", CANDIDATES), "--set", "c", "--model", "m"
    )
    bench.accept("load", "labels", bench.write("l.csv", LABELS), "--set", "l")
    bench.accept("timestamp", "trust", own.root, "--name", "Test root")
    for description in ("first", "second"):
        words = ("slate", "freeze", "--candidates", "c", "--labels", "l")
        bench.accept(*words, "--description", description)
    with authority.serving(own):
        bench.accept("slate", "prove", _slate(bench, "first"), "--authority", own.url)
        bench.accept("log", "stamp", "--authority", own.url)
    return bench


def _slate(bench: Bench, description: str) -> str:
    query = f"select slate_id from slate where description = '{description}'"  # noqa: S608 - ours
    return str(bench.query(query)[0][0])


def _run(folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run the script with an interpreter that has no packages at all."""
    return ran(sys.executable, "-I", "-S", folder / readers.SCRIPT)


def test_an_export_verifies_itself(made: Bench, tmp_path: Path) -> None:
    slate = _slate(made, "first")
    made.accept("slate", "export", slate, tmp_path / "export")
    done = _run(tmp_path / "export")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"slate {slate}, SHA-256 ")
    assert "is in the log with head" in lines[0]
    assert lines[1] == "slate.txt is what was frozen: it has this SHA-256"
    assert [line.split(" existed by ")[0] for line in lines[2:]] == ["the slate", "the head"]


def test_a_head_proves_a_slate_without_a_token_of_its_own(made: Bench, tmp_path: Path) -> None:
    slate = _slate(made, "second")
    dated = made.query(f"select date_basis from slate_date where slate_id = '{slate}'")  # noqa: S608
    assert dated == [("proved",)]
    assert "frozen no later than" in made.accept("slate", "verify", slate)
    made.accept("slate", "export", slate, tmp_path / "export")
    done = _run(tmp_path / "export")
    assert done.returncode == 0, done.stderr
    assert "the head existed by" in done.stdout.splitlines()[-1]


def test_a_registration_reveals_no_prediction(made: Bench, tmp_path: Path) -> None:
    slate = _slate(made, "first")
    folder = tmp_path / "registration"
    made.accept("slate", "register", slate, folder)
    text = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    for name in (b"CHEMBL1", b"Alpha", b"Asthma", b"MONDO:0004979", b"EFO:0000676"):
        assert name not in text
    registered = json.loads((folder / readers.REGISTRATION).read_text())
    assert registered["slate_id"] == slate
    assert "slate.txt" not in _run(folder).stdout
    made.accept("slate", "export", slate, tmp_path / "export")
    revealed = (tmp_path / "export" / readers.CONTENT).read_bytes()
    (folder / readers.CONTENT).write_bytes(revealed)
    assert "slate.txt is what was frozen" in _run(folder).stdout
    for place in (folder, tmp_path / "export"):
        assert (place / ".gitattributes").read_text() == "* -text\n"
    (folder / readers.CONTENT).write_bytes(revealed.replace(b"\n", b"\r\n"))
    done = _run(folder)
    assert done.returncode == 1
    assert "slate.txt: line endings were changed, and nothing else, as Git does" in done.stderr
    (folder / readers.CONTENT).write_bytes(revealed.replace(b"Beta", b"Zeta", 1) + b"\n")
    done = _run(folder)
    assert done.returncode == 1
    assert "slate.txt: is not what was frozen" in done.stderr


def test_registering_again_replaces_and_other_folders_are_refused(
    made: Bench, tmp_path: Path
) -> None:
    slate = _slate(made, "first")
    made.accept("slate", "register", slate, tmp_path / "registration")
    made.accept("slate", "register", slate, tmp_path / "registration")
    (tmp_path / "registration" / "mine.txt").write_text("mine")
    refused = exited(3, made.run("slate", "register", slate, tmp_path / "registration"))
    assert "contains more than an earlier export: mine.txt" in refused.output


ALTERATIONS: dict[str, tuple[str, Callable[[str], str], str]] = {
    "the slate's line": (
        readers.PROOF,
        lambda text: text.replace('\\"description\\":\\"first', '\\"description\\":\\"worst'),
        "not in the log",
    ),
    "a step of the path": (
        readers.PROOF,
        lambda text: json.dumps(
            {
                **json.loads(text),
                "inclusion_path": ["00" * 32] * len(json.loads(text)["inclusion_path"]),
            }
        ),
        "not in the log",
    ),
    "a path that is too short": (
        readers.PROOF,
        lambda text: json.dumps({**json.loads(text), "inclusion_path": []}),
        "too short",
    ),
    "a place outside": (
        readers.PROOF,
        lambda text: json.dumps({**json.loads(text), "leaf_index": 10**9}),
        "outside the log",
    ),
    "the head's instant": (
        readers.PROOF,
        lambda text: text.replace('"sealed_at": "2', '"sealed_at": "1'),
        "openssl says",
    ),
    "no JSON": (readers.PROOF, lambda text: text[:100], "does not fit"),
}


@pytest.mark.parametrize("what", ALTERATIONS)
def test_an_altered_export_does_not_fit(made: Bench, tmp_path: Path, what: str) -> None:
    made.accept("slate", "export", _slate(made, "first"), tmp_path / "export")
    name, alter, message = ALTERATIONS[what]
    path = tmp_path / "export" / name
    path.write_text(alter(path.read_text()))
    done = _run(tmp_path / "export")
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_token_of_another_slate_does_not_fit(made: Bench, tmp_path: Path) -> None:
    made.accept("slate", "export", _slate(made, "first"), tmp_path / "export")
    tokens = tmp_path / "export" / "timestamps"
    shutil.copyfile(tokens / "head-1.tsr", tokens / "1.tsr")
    done = _run(tmp_path / "export")
    assert done.returncode == 1
    assert "timestamps/1.tsr: openssl says" in done.stderr
