"""The repository that docs/template/ makes: the steps of its workflow run, in order, on a store.

The shell of each step is run as GitHub runs it. A folder takes the place of GitHub's releases, and
a script that puts files there and gets them that of its command `gh`. Left out is what others'
actions do (checkout, Python, Pages), and the installation.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml
from evidence import study, write_json
from loopback import listening
from support import ROOT, printed, ran

from tracker.extras.refresh import configuration

pytestmark = pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum here")

TEMPLATE = ROOT / "docs" / "template"
WORKFLOW = yaml.safe_load((TEMPLATE / ".github" / "workflows" / "track.yml").read_text())
(JOB,) = WORKFLOW["jobs"].values()
SCRIPTS = [step for step in JOB["steps"] if "run" in step]
STEPS = {step["name"]: step for step in SCRIPTS if step["name"] != "Install"}
PAGE = "https://example.org/track/"
FIRST = "store-20240102T000000Z"
GH = """#!/usr/bin/env bash
set -euo pipefail
command=$2; shift 2
case $command in
    list) ls "$RELEASES" ;;
    download) cp "$RELEASES/$1"/$3 . ;;
    create) mkdir "$RELEASES/$1"; cp "$2" "$3" "$RELEASES/$1" ;;
    delete) rm -r "$RELEASES/${1:?}" ;;
esac
"""


@dataclass
class Run:
    """A run of the workflow in a new checkout of the repository."""

    checkout: Path
    releases: Path
    webhook: str = ""
    exported: dict[str, str] = field(default_factory=dict)

    def step(self, name: str) -> subprocess.CompletedProcess[str]:
        """Run the shell of a step; what it exports is there for the next ones."""
        return self.shell(STEPS[name]["run"], STEPS[name].get("env", {}))

    def shell(
        self, script: str, stated: Mapping[str, str] = MappingProxyType({})
    ) -> subprocess.CompletedProcess[str]:
        """Run a script with the environment of the job and what is `stated` besides."""
        tools = self.releases.parent / "bin"
        export = self.releases.parent / "exported"
        export.touch()
        path = [str(tools), str(Path(sys.executable).parent), os.environ["PATH"]]
        environment = {
            **os.environ,
            **{name: self._resolved(value) for name, value in {**JOB["env"], **stated}.items()},
            **self.exported,
            "PATH": os.pathsep.join(path),
            "RELEASES": str(self.releases),
            "GITHUB_ENV": str(export),
        }
        environment.pop("TRACKER_DB", None)
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.checkout,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.exported.update(re.findall(r"^(\w+)=(.*)$", export.read_text(), re.MULTILINE))
        export.unlink()
        return done

    def _resolved(self, value: str) -> str:
        """Return a value of the workflow with GitHub's expressions in it replaced."""
        known = {
            "github.repository": "team/track",
            "github.token": "",
            "secrets.SLACK_WEBHOOK_URL": self.webhook,
            "steps.deploy.outputs.page_url": PAGE,
        }
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known[found[1]], value)

    def to_the_last_step(self) -> subprocess.CompletedProcess[str]:
        """Run all steps; return the last one, the only one that may fail."""
        for name in STEPS:
            done = self.step(name)
            assert name == [*STEPS][-1] or done.returncode == 0, (name, done.stderr)
        return done


@pytest.fixture
def repository(followed_store: Path, tmp_path: Path) -> Path:
    """Return a folder with the files of the template, and a first release with a store."""
    kept = tmp_path / "releases" / FIRST
    kept.mkdir(parents=True)
    shutil.copy(followed_store, kept / "tracker.duckdb")
    (kept / "tracker.duckdb.sha256").write_text(_sha256sum(kept))
    shutil.copytree(TEMPLATE, tmp_path / "repository")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gh").write_text(GH)
    (tmp_path / "bin" / "gh").chmod(0o755)
    return tmp_path / "repository"


def _sha256sum(folder: Path) -> str:
    return printed(ran("sha256sum", "tracker.duckdb", folder=folder))


def _follow_files(repository: Path) -> Path:
    """Let the configuration follow files in a folder in place of servers; return the folder."""
    drop = repository.with_name("drop")
    drop.mkdir()
    sources = f"""settle_seconds = 0
source = [
  {{kind = "trials", path = "{drop}/*.json"}},
  {{kind = "fda", path = "{drop}/*.zip"}},
]
"""
    text = (repository / "tracker.toml").read_text()
    changed = re.sub(r"source = \[\n.*?^\]\n", sources, text, flags=re.DOTALL | re.MULTILINE)
    assert changed != text
    (repository / "tracker.toml").write_text(changed)
    write_json(drop / "trials-2025-08-01.json", [study(start="2024-05", posted="2024-04-20")])
    return drop


def _run(repository: Path, webhook: str = "") -> Run:
    checkout = repository.with_name("checkout")
    shutil.rmtree(checkout, ignore_errors=True)
    shutil.copytree(repository, checkout)
    return Run(checkout, repository.with_name("releases"), webhook)


@contextmanager
def _listening() -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Yield the address of a server that takes any POST, and what it was sent: type and JSON."""
    received: list[tuple[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.headers["Content-Type"], json.loads(body)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    with listening(Handler) as address:
        yield f"{address}/services/hook", received


def test_every_script_is_plain_shell() -> None:
    """What GitHub knows comes by the environment: it can be run here, and is never code."""
    assert [step["name"] for step in SCRIPTS if "${{" in step["run"]] == []
    assert WORKFLOW["defaults"]["run"]["shell"] == "bash"
    # YAML reads the key "on" as true.
    assert WORKFLOW[True].keys() == {"schedule", "workflow_dispatch"}
    commands = " ".join(step["run"] for step in SCRIPTS)
    for command in ("tracker refresh", "tracker check", "tracker publish -o site"):
        assert command in commands


def test_the_configuration_follows_servers() -> None:
    read = configuration.read(TEMPLATE / "tracker.toml")
    servers = [watched.provider.name for watched in read.sources if watched.provider is not None]
    assert servers == ["clinicaltrials", "drugsfda", "mondo", "mesh"]
    assert read.notify is not None
    assert read.notify.command is None


@pytest.mark.slow
def test_without_a_store_a_run_fails(repository: Path) -> None:
    shutil.rmtree(repository.with_name("releases") / FIRST)
    (repository.with_name("releases") / "v1.0").mkdir()
    done = _run(repository).step("Restore the store")
    assert done.returncode == 1
    assert "There is no release store-" in done.stdout


@pytest.mark.parametrize("page", [TEMPLATE / "README.md", ROOT / "docs" / "guides" / "github.md"])
def test_the_first_store_is_published_as_a_page_says(page: Path, repository: Path) -> None:
    kept = repository.with_name("releases") / FIRST
    run = _run(repository)
    shutil.move(kept / "tracker.duckdb", run.checkout)
    shutil.rmtree(kept)
    (block,) = re.findall(r"^ *```text\n(.*?)```", page.read_text(), re.DOTALL | re.MULTILINE)
    first = [line for line in textwrap.dedent(block).splitlines() if "workflow run" not in line]
    assert len(first) == 2
    done = run.shell("\n".join(first))
    assert done.returncode == 0, done.stderr
    (run.checkout / "tracker.duckdb").unlink()
    assert run.step("Restore the store").returncode == 0
    assert (run.checkout / "tracker.duckdb").exists()


def test_a_damaged_store_is_not_restored(repository: Path) -> None:
    kept = repository.with_name("releases") / FIRST
    with (kept / "tracker.duckdb").open("ab") as store:
        store.write(b"x")
    assert _run(repository).step("Restore the store").returncode == 1


def test_the_ten_newest_stores_are_kept(repository: Path) -> None:
    releases = repository.with_name("releases")
    for day in range(10, 22):
        shutil.copytree(releases / FIRST, releases / f"store-202401{day}T000000Z")
    (releases / "v1.0").mkdir()
    run = _run(repository)
    assert run.step("Restore the store").returncode == 0
    (run.checkout / "tracker.duckdb").write_bytes(b"changed")
    done = run.step("Keep the store")
    assert done.returncode == 0, done.stderr
    *stores, other = sorted(path.name for path in releases.iterdir())
    assert (len(stores), stores[0], other) == (10, "store-20240113T000000Z", "v1.0")
    assert (releases / stores[-1] / "tracker.duckdb").read_bytes() == b"changed"
    assert (releases / stores[-1] / "tracker.duckdb.sha256").read_text() == _sha256sum(run.checkout)


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("jq")), reason="no curl or no jq here"
)
def test_a_run_publishes_keeps_the_store_and_tells_once(repository: Path) -> None:
    _follow_files(repository)
    releases = repository.with_name("releases")
    with _listening() as (webhook, received):
        run = _run(repository, webhook)
        assert run.to_the_last_step().returncode == 0
        page = (run.checkout / "site" / "index.html").read_text(encoding="utf-8")
        assert "<!doctype html>" in page
        ((kind, payload),) = received
        assert kind == "application/json"
        letter = (run.checkout / "digests" / "digest-00001.md").read_text(encoding="utf-8")
        assert letter.startswith("# 1 new hit, 0 changed verdicts\n")
        assert payload == {"text": f"{letter}\n{PAGE}"}
        kept = sorted(path.name for path in releases.iterdir())
        assert (len(kept), kept[0]) == (2, FIRST)
        # A week later, on another machine, there is nothing new.
        again = _run(repository, webhook)
        assert again.to_the_last_step().returncode == 0
        assert (again.checkout / "site" / "index.html").read_text(encoding="utf-8") == page
        assert sorted(path.name for path in releases.iterdir()) == kept
        assert len(received) == 1


@pytest.mark.slow
def test_without_a_secret_nothing_is_sent_and_a_refused_file_fails_the_last_step(
    repository: Path,
) -> None:
    drop = _follow_files(repository)
    (drop / "drugsatfda.zip").write_bytes(b"PK cut off")
    run = _run(repository)
    # Nothing that could send is there.
    for tool in ("curl", "jq"):
        (repository.with_name("bin") / tool).write_text("#!/bin/sh\nexit 9\n")
        (repository.with_name("bin") / tool).chmod(0o755)
    assert run.to_the_last_step().returncode == 3
    assert run.exported["DIGEST"] == "digests/digest-00001.md"
    assert (run.checkout / "site" / "index.html").exists()
    assert len([*repository.with_name("releases").iterdir()]) == 2
