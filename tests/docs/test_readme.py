"""The examples of the README and of the pages in docs/ run as written."""

import json
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import authority
import pytest
from support import ROOT, WORLD, Tracker, ok, printed, ran, shell

from tracker.extras.refresh import configuration
from tracker.log import timestamps
from tracker.log.timestamps import roots

DOCS = ROOT / "docs"
# In the order of the navigation: a reader goes from page to page in one folder.
PAGES = [ROOT / "README.md"] + [
    DOCS / name
    for name in re.findall(r": ([\w/-]+\.md)$", (ROOT / ".mkdocs.yml").read_text(), re.M)
    if (DOCS / name).exists()
]
BLOCK = re.compile(r"(?:<!-- example: ([\w ]+) -->\n)?```(sh|python|toml)\n(.*?)```", re.DOTALL)
BLOCKS_OF = {page: BLOCK.findall(page.read_text(encoding="utf-8")) for page in PAGES}
BLOCKS = [block for blocks in BLOCKS_OF.values() for block in blocks]
# The shell blocks of each page that has some, without those that install tracker.
COMMANDS_OF = {
    page: commands
    for page, blocks in BLOCKS_OF.items()
    if (
        commands := [
            body
            for title, kind, body in blocks
            if kind == "sh" and not title and ".venv/bin" not in body
        ]
    )
}
RETROSPECTIVE = DOCS / "guides" / "retrospective.md"
SLATE = "5c9f4a52"


def _block(name: str) -> str:
    return {title: str(body) for title, _, body in BLOCKS}[name]


def _slates(folder: Path, options: str = "") -> dict[str, str]:
    """Return the slates of a store: description and UUID."""
    listed = printed(shell(f"tracker {options} slate list --format json", folder))
    return {row["description"]: row["slate_id"] for row in json.loads(listed)}


@pytest.fixture
def reader(tmp_path: Path) -> tuple[Path, str]:
    """Return the folder of a reader who followed the README, and the UUID of the first slate."""
    printed(shell(_block("first report"), tmp_path))
    (tmp_path / "published").symlink_to(WORLD / "spring_slate")
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    (tmp_path / "question.sql").write_text("select count(*) as n from prediction")
    return tmp_path, _slates(tmp_path)["First slate"]


def test_commands_are_found() -> None:
    found = [body for commands in COMMANDS_OF.values() for body in commands]
    assert len(found) == 25
    for checked in ("report.md", "latest_estimate"):
        assert sum(checked in body for body in found) == 1, "one block, whose output is looked at"


def _run(commands: Sequence[str], folder: Path, slate: str) -> dict[str, str]:
    """Run shell blocks in one folder, in order, as a reader would; return what each printed."""
    return {body: printed(shell(re.sub(r"\bSLATE\b", slate, body), folder)) for body in commands}


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in COMMANDS_OF if page != RETROSPECTIVE], ids=lambda page: page.stem
)
def test_every_command_runs(page: Path, reader: tuple[Path, str]) -> None:
    folder, slate = reader
    for body, told in _run(COMMANDS_OF[page], folder, slate).items():
        if "report.md" in body:
            assert "1 of 4 novel predictions came true" in (folder / "report.md").read_text()
        if "latest_estimate" in body:
            rows = told.rsplit("p_adjusted", 1)[-1]
            assert rows.count("high ") == 4, "one row for each of two windows and two populations"
        if "hidden.txt" in body:
            assert told.endswith("exit code 4\nexit code 4\n"), "a second history"


@pytest.mark.slow
def test_every_retrospective_command_runs(reader: tuple[Path, str]) -> None:
    folder, slate = reader
    told = _run(COMMANDS_OF[RETROSPECTIVE], folder, slate)
    (evaluated,) = [text for body, text in told.items() if "retrospective temporal" in body]
    assert "# Evaluation 1" in evaluated
    assert "Evaluation 2" not in evaluated
    assert "(temporal_auc)" in evaluated.split("# Evaluation 1")[-1], "of the runs just made"
    in_demo = _slates(folder, "--db demo/demo.duckdb")
    versus = _block("versus").replace("MODEL", in_demo["Frozen by the demo"])
    compared = printed(shell(versus.replace("BASELINE", in_demo["baseline"]), folder))
    assert "No difference between" in compared, "frozen just now: nothing came true"
    assert "Interim:" in compared


@pytest.mark.slow
def test_ten_lines_recompute_the_hash_of_an_export(tracker: Tracker, tmp_path: Path) -> None:
    script = tmp_path / "recompute.py"
    script.write_text(_block("recompute"))
    assert len(_block("recompute").splitlines()) <= 10
    ok(tracker("slate", "import", WORLD / "spring_slate"))
    ok(tracker("slate", "export", SLATE, tmp_path / "out"))
    run = (sys.executable, script, tmp_path / "out")
    assert printed(ran(*run)) == "True\n"
    manifest = tmp_path / "out" / "manifest.json"
    manifest.write_text(manifest.read_text().replace("fictional", "Fictional"))
    assert printed(ran(*run)) == "False\n"


@pytest.mark.skipif(authority.OPENSSL is None, reason="no openssl here")
def test_openssl_checks_the_token_of_an_export(tmp_path: Path) -> None:
    shutil.copytree(WORLD / "spring_slate", tmp_path / "exported")
    shutil.copy(WORLD / "authority.pem", tmp_path / "root.pem")
    told = printed(shell(_block("openssl"), tmp_path))
    assert told == "Verification: OK\nTime stamp: Mar  3 09:30:07 2025 GMT\n"
    shutil.copy(WORLD / "autumn_slate" / "manifest.json", tmp_path / "exported")
    assert shell(_block("openssl"), tmp_path).returncode != 0


@pytest.mark.slow
@pytest.mark.skipif(authority.OPENSSL is None, reason="no openssl here")
def test_ten_lines_check_a_claim(demo_registry: Path, tmp_path: Path) -> None:
    (tmp_path / "check.py").write_text(_block("claim"))
    assert len([line for line in _block("claim").splitlines() if line]) <= 10
    exporting = (
        f"tracker --db {demo_registry} slate claim 4be1 -o claim.json\n"
        f"tracker --db {demo_registry} slate export 4be1 exported"
    )
    printed(shell(exporting, tmp_path))
    root = ROOT / "fixtures" / "registry" / "authority.pem"
    words = (sys.executable, "check.py", "claim.json", "exported/slate.txt", root)
    checked = printed(ran(*words, folder=tmp_path))
    assert "existed by 2024-09-02" in checked
    assert checked.endswith("- works\n")
    (tmp_path / "exported" / "slate.txt").write_text("another")
    assert "not of this claim" in ran(*words, folder=tmp_path).stderr


@pytest.mark.slow
@pytest.mark.skipif(
    authority.OPENSSL is None or shutil.which("curl") is None, reason="no openssl or no curl here"
)
def test_a_token_is_got_by_hand(tmp_path: Path) -> None:
    """The commands of the guide, with another authority."""
    sha256 = json.loads((WORLD / "spring_slate" / "manifest.json").read_text())["content_sha256"]
    made = authority.make(tmp_path / "authority")
    script = _block("by hand").replace("SHA256", sha256).replace("SLATE", SLATE)
    with authority.serving(made):
        script = script.replace("http://timestamp.digicert.com", made.url)
        trust = f"tracker timestamp trust {made.root} --name Ours"
        store = f"tracker slate import {WORLD / 'spring_slate'}"
        told = printed(shell(f"{store}\n{trust}\n{script}", tmp_path))
    last = told.splitlines()[-1]
    assert last.startswith("frozen no later than "), told
    assert f"by {authority.NAME}" in last


def test_the_authorities_of_the_guide_are_those_that_are_asked(tmp_path: Path) -> None:
    (tmp_path / "tracker.toml").write_text(_block("servers") + _block("authorities"))
    read = configuration.read(tmp_path / "tracker.toml")
    assert read.authorities == list(timestamps.PUBLIC)


def test_the_guide_lists_the_public_roots() -> None:
    guide = (DOCS / "guides" / "proof.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| ([^|]+) \| .* \| `([0-9a-f]{64})` \|$", guide, re.M)
    assert {sha256: name for name, sha256 in listed} == {
        sha256: name.split(" (")[0] for sha256, name in roots.PUBLIC.items()
    }


@pytest.mark.slow
def test_two_scripts_verify_a_proof_from_the_log(tracker: Tracker, tmp_path: Path) -> None:
    """Included in the log, and the log only grew: True of the proof, never of an altered one."""
    scripts = {name: tmp_path / f"{name}.py" for name in ("included", "grown")}
    for name, script in scripts.items():
        script.write_text(_block(name))
        assert len(_block(name).splitlines()) <= 20

    def holds(name: str, altered: dict[str, object]) -> bool:
        (tmp_path / "proof.json").write_text(json.dumps(altered))
        return ran(sys.executable, scripts[name], tmp_path / "proof.json").stdout == "True\n"

    ok(tracker("slate", "import", WORLD / "spring_slate"))
    ok(tracker("log", "head", "-o", tmp_path / "head.json"))
    ok(tracker("slate", "import", WORLD / "autumn_slate"))
    done = ok(tracker("log", "prove", SLATE, "--from", tmp_path / "head.json"))
    proof = json.loads(done.stdout)
    path = proof["consistency_path"]
    assert holds("included", proof)
    assert holds("grown", proof)
    head, since = proof["head"], proof["from_head"]
    for change in (
        {"line": proof["line"].replace("fictional", "Fictional")},
        {"table": "submission"},
        {"leaf_index": proof["leaf_index"] + 1},
        {"inclusion_path": ["0" * 64, *proof["inclusion_path"][1:]]},
        {"inclusion_path": proof["inclusion_path"][1:]},
        {"head": {**head, "n_entries": head["n_entries"] * 2}},
        {"head": {**head, "root_sha256": "0" * 64}},
    ):
        assert not holds("included", {**proof, **change})
    for change in (
        {"from_head": {**since, "n_entries": since["n_entries"] - 1}},
        {"from_head": {**since, "root_sha256": "0" * 64}},
        {"head": {**head, "root_sha256": "0" * 64}},
        {"consistency_path": [*path[:-1], "0" * 64]},
        {"consistency_path": path[1:]},
    ):
        assert not holds("grown", {**proof, **change})


@pytest.mark.slow
def test_a_refresh_from_python(tracker: Tracker, db: Path, tmp_path: Path) -> None:
    """The configuration of the guide, a release dropped into its folder, and its Python call."""
    assert len(_block("refresh").splitlines()) <= 5
    (tmp_path / "tracker.toml").write_text(_block("configuration"))
    (tmp_path / "incoming").mkdir()
    (tmp_path / "refresh.py").write_text(_block("refresh").replace("tracker.toml", "now.toml"))
    text = _block("configuration").replace("# settle_seconds = 60", "settle_seconds = 0")
    (tmp_path / "now.toml").write_text(text)
    for name in ("chembl_91.db", "trials-2025-02-20.json", "drugsatfda.zip"):
        shutil.copy(WORLD / name, tmp_path / "incoming")
    ok(tracker("load", "labels", WORLD / "labels.csv", "--set", "known"))
    shutil.copy(db, tmp_path / "tracker.duckdb")
    settling = shell("tracker refresh --format json", tmp_path)
    assert {row["status"] for row in json.loads(settling.stdout)["sources"]} == {"settling"}
    listing = f"{sys.executable} refresh.py && tracker release list --format csv"
    assert len(printed(shell(listing, tmp_path)).splitlines()) == 4
    (tmp_path / "incoming" / "chembl_92.db").write_bytes(b"SQLite format 3\0 cut off")
    failed = shell(f"{sys.executable} refresh.py", tmp_path)
    assert "RuntimeError: releases: 3 already ingested, 1 refused" in failed.stderr


FRAMES = """
import pandas as pd
pairs = [(f"disease {d}", f"drug {n}") for d in range(3) for n in range(9)]
names = ["disease_name", "drug_name"]
candidates = pd.DataFrame(pairs, columns=names).assign(score=[1 / n for n in range(1, 28)])
labels = pd.DataFrame(pairs[::5], columns=names).assign(label=3)
outcomes = pd.DataFrame(pairs[1:3], columns=names).assign(
    outcome_type="first_trial_seen", source="ctgov"
)
"""


@pytest.mark.slow
def test_the_frames_of_the_notebook_guide(tmp_path: Path) -> None:
    assert len(_block("frames").splitlines()) <= 10
    again = _block("sections").replace('"SLATE"', "str(slate)")
    lines = [FRAMES, _block("frames"), 'with tracker.open("tracker.duckdb") as opened:']
    lines += [f"    {line}" for line in again.splitlines()]
    (tmp_path / "frames.py").write_text("\n".join(lines))
    printed(shell(f"{sys.executable} frames.py", tmp_path))
    assert (tmp_path / "tier_hit_rate.png").stat().st_size > 1000
    assert (tmp_path / "report.html").exists()


def test_the_configuration_that_follows_servers(tmp_path: Path) -> None:
    (tmp_path / "tracker.toml").write_text(_block("servers"))
    read = configuration.read(tmp_path / "tracker.toml")
    servers = [watched.provider.name for watched in read.sources if watched.provider is not None]
    assert servers == ["chembl", "clinicaltrials", "drugsfda", "mondo", "mesh"]
    assert read.notify is not None
    assert read.notify.command is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [ROOT / "README.md", DOCS / "tutorial.md"], ids=["readme", "tutorial"]
)
def test_the_verdicts_shown_are_those_that_the_demo_prints(page: Path, demo_output: str) -> None:
    found = re.search(
        r"<!-- demo: assess -->\n```text\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
    )
    assert found, "no block of the demo's verdicts"
    assert demo_output.startswith(f"{found[1]}\nThe stores stay in ")


@pytest.mark.slow
def test_the_figures_explained_are_those_of_the_demo(demo_output: str) -> None:
    text = (DOCS / "reading.md").read_text(encoding="utf-8")
    shown = " ".join(demo_output.split())
    hits, expected = re.findall(
        r"4be1d0c2: ([\d,]+ of [\d,]+) novel .*? where ([\d.]+) were", shown
    )[0]
    enrichment, low, high = re.findall(r"works +([\d.]+) +([\d.]+) +([\d.]+)", demo_output)[0]
    assert re.findall(r"^## \d\. .*?: (.*?) \{", text, re.MULTILINE) == [
        hits,
        expected,
        f"{enrichment} times",
        f"{low} to {high}",
    ]


def test_the_readme_is_short() -> None:
    """The first page is read to its end; the rest is in docs/."""
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150
