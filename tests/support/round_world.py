"""A round to be played: a store that trusts a test authority, teams, and what comes true later."""

import hashlib
import itertools
import json
import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

import authority
from authority import Authority
from bench import Bench

from tracker import clock

DISEASES = [f"disease {letter}" for letter in "abcdef"]
DRUGS = [f"drug {number:02}" for number in range(30)]
TOP_K = 5
HEADER = "disease_name,drug_name,score\n"
LABELS, OTHER_LABELS = "known", "known elsewhere"
NAME = "autumn"
# Tokens are dated by the authority's own clock, so the round ends long after today.
DEADLINE = "2099-06-30"
AFTER, HAPPENED, LATER = "2099-07-02", "2099-10-01", "2100-05-01"

Pair = tuple[str, str]


def _known(seed: int) -> list[Pair]:
    """Known pairs: drugs of low numbers are known for more diseases."""
    chance = random.Random(seed)  # noqa: S311 - chance, not secrecy
    return [
        (disease, drug)
        for disease in DISEASES
        for number, drug in enumerate(DRUGS)
        if chance.random() < 0.5 / (1 + number / 6)
    ]


KNOWN, KNOWN_ELSEWHERE = _known(1), _known(3)
# Pairs that come true after the deadline.
TRUE = random.Random(2).sample(  # noqa: S311 - chance, not secrecy
    [pair for pair in itertools.product(DISEASES, DRUGS) if pair not in KNOWN], 20
)


@contextmanager
def at(instant: str) -> Iterator[None]:
    """Let the clock of this machine show an instant, or noon of a day, in UTC."""
    given = datetime.fromisoformat(instant if "T" in instant else f"{instant}T12:00")
    with mock.patch.object(clock, "read", return_value=given.replace(tzinfo=UTC)):
        yield


def predictions(
    seed: int,
    n_hits: int = 0,
    diseases: Sequence[str] = DISEASES,
    top_k: int = TOP_K,
    known: Sequence[Pair] = KNOWN,
) -> str:
    """Return a team's lists: of each disease at most `n_hits` that come true, others by chance.

    Pairs that are `known` are none of them.
    """
    chance = random.Random(seed)  # noqa: S311 - chance, not secrecy
    lines = []
    for disease in diseases:
        novel = [drug for drug in DRUGS if (disease, drug) not in known]
        own = [drug for drug in novel if (disease, drug) in TRUE][:n_hits]
        others = [drug for drug in novel if drug not in own]
        listed = [*own, *chance.sample(others, len(others))][:top_k]
        lines += [f"{disease},{drug},{1 - n / 100}\n" for n, drug in enumerate(listed)]
    return HEADER + "".join(lines)


# One team finds two of each disease, one none by skill, and one leaves out half.
LISTS = {
    "Good": predictions(1, 2),
    "Poor": predictions(3),
    "Partial": predictions(4, 2, DISEASES[:3]),
}


@dataclass
class Played:
    """A store with a round, and the authority that dates what teams deposit."""

    bench: Bench
    authority: Authority

    @property
    def folder(self) -> Path:
        """The folder that teams take."""
        return self.bench.folder / NAME

    def open(self, name: str = NAME, *words: object, labels: str = LABELS) -> str:
        """Open a round."""
        return self.bench.accept(*self.opening(name, labels=labels), *words)

    def opening(self, name: str = NAME, *, labels: str = LABELS) -> tuple[object, ...]:
        """Return the words that open a round."""
        return (
            "round",
            "new",
            name,
            "--candidates",
            "all",
            "--labels",
            labels,
            "--deadline",
            DEADLINE,
            "--top-k",
            TOP_K,
            "-o",
            self.bench.folder / name,
        )

    def token(self, content: str | bytes, name: str = "reply.tsr") -> Path:
        """Have the authority date a file's content; return the file of its reply."""
        sha256 = hashlib.sha256(content.encode() if isinstance(content, str) else content)
        return self.bench.write(name, self.authority.of(sha256.hexdigest()))

    def depositing(
        self, content: str | bytes, team: str, model: str = "m", name: str = NAME
    ) -> tuple[object, ...]:
        """Return the words that deposit a file's content."""
        token = self.token(content)
        return "round", "deposit", name, token, "--team", team, "--model", model

    def deposit(self, content: str | bytes, team: str, model: str = "m", name: str = NAME) -> str:
        """Deposit a file's content."""
        return self.bench.accept(*self.depositing(content, team, model, name))

    def file(self, content: str | bytes, name: str = "predictions.csv") -> Path:
        """Write a team's file."""
        return self.bench.write(name, content)

    def reveal(self, content: str | bytes, name: str = NAME) -> str:
        """Reveal a file after the deadline."""
        with at(AFTER):
            return self.bench.accept("round", "reveal", name, self.file(content))

    def come_true(self) -> None:
        """Load what came true after the deadline."""
        rows = [
            f"{disease},{drug},first_trial_seen,{HAPPENED},{HAPPENED},news\n"
            for disease, drug in TRUE
        ]
        header = "disease_name,drug_name,outcome_type,event_date,first_public_on,source\n"
        file = self.bench.write("outcomes.csv", header + "".join(rows))
        with at(LATER):
            self.bench.accept("load", "outcomes", file)

    def report(self, day: str = LATER, *, name: str = NAME) -> Any:
        """Return the board as of a day, as JSON."""
        with at(day):
            words = ("round", "board", name, "--as-of", day, "--format", "json")
            return json.loads(self.bench.accept(*words))


def prepare(folder: Path, empty_store: Path) -> Played:
    """Make a store with candidates and two sets of labels, and an authority that it trusts."""
    made = authority.make(folder / "authority")
    bench = Bench(Path(shutil.copy(empty_store, folder / "store.duckdb")))
    rows = [
        f"{disease},{drug},{random.Random(disease + drug).random()}\n"  # noqa: S311 - chance
        for disease, drug in itertools.product(DISEASES, DRUGS)
    ]
    candidates = bench.write("all.csv", HEADER + "".join(rows))
    bench.accept("load", "candidates", candidates, "--set", "all", "--model", "m")
    for name, known in ((LABELS, KNOWN), (OTHER_LABELS, KNOWN_ELSEWHERE)):
        lines = [f"{disease},{drug},4\n" for disease, drug in known]
        file = bench.write(f"{name}.csv", "disease_name,drug_name,label\n" + "".join(lines))
        bench.accept("load", "labels", file, "--set", name)
    bench.accept("timestamp", "trust", made.root, "--name", "test root")
    return Played(bench, made)


def at_hand(folder: Path) -> Played:
    """Return what was prepared in a folder."""
    return Played(Bench(folder / "store.duckdb"), Authority(folder / "authority"))


def copied(source: Path, folder: Path) -> Played:
    """Copy what was prepared; the authority goes on in its new place."""
    shutil.copytree(source, folder)
    settings = folder / "authority" / "openssl.cnf"
    settings.write_text(settings.read_text().replace(str(source), str(folder)))
    return at_hand(folder)


def make_opened(folder: Path, empty_store: Path) -> None:
    """Prepare a store and open the round."""
    prepare(folder, empty_store).open()


def make_played(folder: Path, opened: Path) -> None:
    """Play the round: deposits, reveals, and what came true; it is not closed."""
    shutil.rmtree(folder)
    played = copied(opened, folder)
    for team, content in LISTS.items():
        played.deposit(content, team)
    played.deposit(predictions(9), "Absent")
    with at(AFTER):
        files = [played.file(content, f"{team}.csv") for team, content in LISTS.items()]
        played.bench.accept("round", "reveal", NAME, *files)
    played.come_true()
