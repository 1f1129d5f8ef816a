"""Reasons for which studies were stopped, labelled by hand: drawn, compared with the view.

The texts are those of 13,323 stops of studies between December 2019 and 2022, from the real data.
stop_labels.csv keeps their keys and labels alone.
"""

import csv
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, text
from support import ROOT, SHARED

STOPS = SHARED / "stops" / "c19stoppedtrials.csv"
LABELS = ROOT / "tests" / "evidence" / "stop_labels.csv"
REASONS = ("efficacy", "safety", "other", "unknown")
HALVES = ("develop", "held out")

_SEED = 20261127
_EACH = 150
# Words around efficacy and safety: of the texts drawn at random one in sixteen has such a reason.
_ENRICHED = re.compile(
    "effica|effective|safety|unsafe|futil|toxic|adverse|benefit|risk|side effect|dsmb|dmc\\b|"
    "monitoring|interim|endpoint|end point|negative|inferior|superior|tolera|death|mortality|"
    "result|clinical hold|respon[sd]",
    re.IGNORECASE,
)

Key = tuple[str, str]


class Label(NamedTuple):
    """A stop, how it was drawn ('uniform' or 'enriched'), its half, and the reason it states."""

    nct_id: str
    stop_date: str
    drawn: str
    half: str
    stop_reason: str

    @property
    def key(self) -> Key:
        """The study and the day on which it was stopped."""
        return self.nct_id, self.stop_date


def texts() -> dict[Key, str]:
    """Return the text of each stop that has one."""
    with STOPS.open(encoding="utf-8", newline="") as file:
        return {
            (row["nctid"], row["stop_date"]): row["why_stopped"]
            for row in csv.DictReader(file)
            if row["why_stopped"] != "NA"
        }


def labels() -> list[Label]:
    """Return the stops that were labelled."""
    with LABELS.open(encoding="utf-8", newline="") as file:
        return [Label(**row) for row in csv.DictReader(file)]


def drawn() -> list[tuple[str, ...]]:
    """Draw the stops to label: any 150, and 150 whose texts have words around efficacy and safety.

    Of each 150, by study and date, every second is held out.
    """
    found = texts()
    keys = sorted(found)
    rng = random.Random(_SEED)  # noqa: S311 - a sample, no secret
    uniform = rng.sample(keys, _EACH)
    chosen = set(uniform)
    enriched = [key for key in keys if _ENRICHED.search(found[key]) and key not in chosen]
    samples = (("uniform", uniform), ("enriched", rng.sample(enriched, _EACH)))
    return [
        (*key, name, HALVES[number % 2])
        for name, sample in samples
        for number, key in enumerate(sorted(sample))
    ]


def classified(connection: Connection, why_stopped: Sequence[str]) -> list[str]:
    """Return the reason that the view gives for each text, in place of those of studies."""
    given = {"texts": list(why_stopped)}
    connection.execute(
        text("create or replace temp table given_text as select unnest(:texts) as why_stopped"),
        given,
    )
    stand_ins = {
        "trial": "select rowid as trial_id, why_stopped from given_text",
        "trial_pair_version": "select rowid as trial_id from given_text",
    }
    for name, select in stand_ins.items():
        connection.execute(text(f"create or replace temp table {name} as {select}"))
    query = text(
        "select stop_reason from given_text inner join stop_reason using (why_stopped) "
        "order by given_text.rowid"
    )
    return list(connection.execute(query).scalars())


def pairs(connection: Connection) -> list[tuple[Label, str]]:
    """Return each label with the reason that the view gives."""
    found, stated = texts(), labels()
    return list(
        zip(stated, classified(connection, [found[row.key] for row in stated]), strict=True)
    )


def confusion(compared: Iterable[tuple[Label, str]], half: str) -> Counter[tuple[str, str]]:
    """Return how often a label, first, was classified as a reason, in one half."""
    return Counter((row.stop_reason, given) for row, given in compared if row.half == half)


def right(counted: Counter[tuple[str, str]], reason: str) -> tuple[int, int, int]:
    """Return how many of a reason are classified rightly, are classified as it, and labelled so."""
    return (
        counted[reason, reason],
        sum(counted[label, reason] for label in REASONS),
        sum(counted[reason, given] for given in REASONS),
    )
