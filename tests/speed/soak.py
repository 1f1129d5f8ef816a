"""Runs readers, a writer and a publisher on one store for a long time; figures must stay right.

    python tests/speed/soak.py --minutes 30 --memory 200MB

Eight readers (reports of past days, queries that spill), a writer (sets, slates, outcomes, figures)
and a publisher work on one store, each process within the memory limit. Whatever a reader prints is
compared with what the same command printed alone, before; each published site with its own
manifest and with the rows that were published alone; the store, at the end, with its checks. No
file but the store, its lock and the sites may be left. Exits with 1 on any difference.
"""

import argparse
import collections
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import click

TRACKER = Path(sys.executable).with_name("tracker")
N_READERS = 8
N_DISEASES, N_DRUGS = 150, 400
# Each sorts or groups some million rows of its own: several times what 200 MB hold.
SPILLING = (
    "select sum(place * (value % 7)) as figure from (select value, row_number() over "
    "(order by hash(value), value) as place from range(3000000) as numbers(value))",
    "select count(*) as n, max(n_values) as most from (select hash(value) % 2000000 as key, "
    "count(*) as n_values from range(4000000) as numbers(value) group by key)",
    "select sum(score * place) as figure from (select score, row_number() over (order by "
    "hash(value * 31 + drug_id), value, drug_id, disease_id) as place from candidate cross join "
    "range(25) as numbers(value) where candidate_set_id = 1)",
)


@dataclass
class Tally:
    """What happened, over all threads."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    n_done: collections.Counter[str] = field(default_factory=collections.Counter)
    problems: list[str] = field(default_factory=list)

    def add(self, kind: str, problem: str | None) -> None:
        """Count a command, and note what was wrong with it."""
        with self.lock:
            self.n_done[kind] += 1
            if problem:
                self.problems.append(f"{kind}: {problem}")
                click.echo(f"  {kind}: {problem}", err=True)


class Soak:
    """A store in its own folder, and the commands that run on it."""

    def __init__(self, folder: Path, memory: str) -> None:
        self.folder = folder
        self.db = folder / "soak.duckdb"
        self.tally = Tally()
        self._temp = folder / "temp"
        self._temp.mkdir()
        self._environment = os.environ | {
            "TRACKER_MEMORY_LIMIT": memory,
            "TMPDIR": str(self._temp),
        }

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command of tracker on the store."""
        command = [str(TRACKER), "--db", str(self.db), "--wait", "600"]
        return subprocess.run(
            [*command, *words],
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def must(self, *words: str) -> str:
        """Run a command that must succeed and return what it prints."""
        done = self.run(*words)
        if done.returncode:
            raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    def prepare(self) -> tuple[str, str]:
        """Build the store; return its slate and an instant after all that reports are about."""
        chance = random.Random(1)  # noqa: S311 - chance, not secrecy
        rows = [
            f"disease {disease},drug {drug},{chance.random():.6f}"
            for disease in range(N_DISEASES)
            for drug in range(N_DRUGS)
        ]
        self._file("candidates.csv", "disease_name,drug_name,score", rows)
        labels = [
            f"disease {chance.randrange(N_DISEASES)},drug {drug},{chance.choice((1, 2, 3, 4))}"
            for drug in range(N_DRUGS)
        ]
        self._file("labels.csv", "disease_name,drug_name,label", labels)
        events = [
            f"disease {disease},drug {chance.randrange(N_DRUGS)},phase_advanced,soak,"
            f"2025-0{chance.randrange(1, 10)}-01,2025-0{chance.randrange(1, 10)}-02"
            for disease in range(N_DISEASES)
        ]
        columns = "disease_name,drug_name,outcome_type,source,event_date,first_public_on"
        self._file("outcomes.csv", columns, events)
        self.must(
            "load", "candidates", self._path("candidates.csv"), "--set", "all", "--model", "m"
        )
        self.must("load", "labels", self._path("labels.csv"), "--set", "known")
        freeze = ("slate", "freeze", "--candidates", "all", "--labels", "known", "--top-k", "20")
        self.must(*freeze, "--replay-as-of", "2024-12-31")
        slate = self.must("sql", "select slate_id from slate", "--format", "csv").split()[1]
        self.must("load", "outcomes", self._path("outcomes.csv"), "--slate", slate)
        time.sleep(1)
        return slate, datetime.now(UTC).isoformat()

    def questions(self, slate: str, as_of: str) -> list[tuple[str, ...]]:
        """Return the commands of readers, whose answers nothing written later may change."""
        return [
            *[("sql", query, "--format", "json") for query in SPILLING],
            ("report", slate, "--as-of", as_of, "--format", "json"),
            ("report", slate, "--as-of", as_of, "--format", "csv", "--window", "prospective"),
            ("assess", slate, "--as-of", as_of, "--format", "json"),
            ("slate", "verify", slate),
        ]

    def read(self, questions: dict[tuple[str, ...], str], until: float, seed: int) -> None:
        """Ask questions again and again and compare the answers with those given alone."""
        chance = random.Random(seed)  # noqa: S311 - chance, not secrecy
        while time.monotonic() < until:
            question = chance.choice(list(questions))
            done = self.run(*question)
            problem = None
            if done.returncode:
                problem = f"exit code {done.returncode}: {done.stderr.strip()[:300]}"
            elif done.stdout != questions[question]:
                problem = f"another answer: {done.stdout[:200]!r}"
            self.tally.add(f"reader: {question[0]}", problem)

    def write(self, slate: str, until: float) -> None:
        """Load sets, freeze slates, load outcomes and publish figures, one after another."""
        chance = random.Random(2)  # noqa: S311 - chance, not secrecy
        number = 0
        while time.monotonic() < until:
            number += 1
            rows = [
                f"disease {chance.randrange(N_DISEASES)},drug {drug},{chance.random():.6f}"
                for drug in range(N_DRUGS)
            ]
            self._file("more.csv", "disease_name,drug_name,score", rows)
            pair = f"disease {number % N_DISEASES},drug {number % N_DRUGS}"
            columns = "disease_name,drug_name,outcome_type,source"
            self._file("more_outcomes.csv", columns, [f"{pair},phase_advanced,round {number}"])
            name = f"set {number}"
            more = self._path("more.csv")
            for words in (
                ("load", "candidates", more, "--set", name, "--model", "m"),
                ("slate", "freeze", "--candidates", name, "--min-score", "0"),
                ("load", "outcomes", self._path("more_outcomes.csv"), "--slate", slate),
                ("scoreboard", slate, "--record"),
                ("refresh", "detect"),
            ):
                done = self.run(*words)
                problem = done.stderr.strip()[:300] if done.returncode else None
                self.tally.add(f"writer: {' '.join(words[:2])}", problem)

    def publish(self, slate: str, rows: str, until: float) -> None:
        """Publish and verify sites; the rows of the first slate must be those published alone."""
        while time.monotonic() < until:
            site = str(self.folder / "site")
            done = self.run("publish", "-o", site)
            problem = done.stderr.strip()[:300] if done.returncode else None
            if problem is None and self.rows_of(slate) != rows:
                problem = "the published rows of the slate differ"
            self.tally.add("publisher: publish", problem)
            if problem is None:
                verified = self.run("verify", site)
                problem = verified.stderr.strip()[:300] if verified.returncode else None
                self.tally.add("publisher: verify", problem)

    def rows_of(self, slate: str) -> str:
        """Return a hash of the rows that are published of a slate."""
        digest = hashlib.sha256()
        for path in sorted((self.folder / "site" / "slates" / slate).iterdir()):
            digest.update(path.read_bytes())
        return digest.hexdigest()

    def finish(self) -> None:
        """Check the store and look for what was left behind."""
        for words in (("check",), ("slate", "verify")):
            done = self.run(*words)
            self.tally.add(" ".join(words), done.stderr[:300] if done.returncode else None)
        own = {"soak.duckdb", "soak.duckdb.lock", "site", "temp"}
        left = [
            path.name
            for folder in (self.folder, self._temp)
            for path in folder.iterdir()
            if path.name not in own and path.suffix != ".csv"
        ]
        self.tally.add("leftovers", f"left behind: {', '.join(left)}" if left else None)

    def _file(self, name: str, header: str, rows: list[str]) -> None:
        (self.folder / name).write_text("\n".join([header, *dict.fromkeys(rows)]) + "\n")

    def _path(self, name: str) -> str:
        return str(self.folder / name)


def main() -> None:
    """Build the store, ask every question once alone, then all at once."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--memory", default="200MB")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        soak = Soak(Path(name), options.memory)
        slate, as_of = soak.prepare()
        alone = {words: soak.must(*words) for words in soak.questions(slate, as_of)}
        soak.must("publish", "-o", str(soak.folder / "site"))
        rows = soak.rows_of(slate)
        click.echo(f"alone: {len(alone)} answers; now all at once")
        until = time.monotonic() + 60 * options.minutes
        threads = [
            threading.Thread(target=soak.read, args=(alone, until, seed))
            for seed in range(N_READERS)
        ]
        threads.append(threading.Thread(target=soak.write, args=(slate, until)))
        threads.append(threading.Thread(target=soak.publish, args=(slate, rows, until)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        soak.finish()
    for kind, count in sorted(soak.tally.n_done.items()):
        click.echo(f"{count:6,}  {kind}")
    click.echo(f"{len(soak.tally.problems)} problems")
    sys.exit(1 if soak.tally.problems else 0)


if __name__ == "__main__":
    main()
