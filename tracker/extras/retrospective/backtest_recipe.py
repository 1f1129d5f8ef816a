"""What a backtest does: rankers, origins, horizons, and the evidence it rests on."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import clock, files, rankers, schema, slates, temp_tables
from tracker.errors import InputRefused
from tracker.extras.retrospective import evaluations
from tracker.rankers import BASELINES
from tracker.store import statements
from tracker.uncertainty.stats.stratified import METHOD
from tracker.version import VERSION

# In the pattern of files of scores: the day of an origin.
DATE = "{date}"

MOST_ORIGINS = 600


@dataclass(frozen=True)
class Recipe:
    """The choices of a backtest.

    `candidates` names a candidate set; without it every drug known on the day is a candidate for
    every disease known on it. `scores` is the name of files, with `{date}` for the day of an
    origin; a ranker of that name makes its lists of their scores.
    """

    rankers: tuple[str, ...]
    first: date
    last: date
    every_months: int
    horizons: tuple[int, ...]
    candidates: str | None = None
    scores: str | None = None
    top_k: int = 50
    seed: int = 0

    @property
    def origins(self) -> list[date]:
        """The days on which lists are made, ascending."""
        return list(_days(self.first, self.last, self.every_months))

    @property
    def contenders(self) -> list[tuple[str, bool]]:
        """The names of rankers and whether they learn from shuffled labels.

        Rankers that are fitted here, except baselines, also learn from shuffled labels.
        """
        own = [name for name in self.rankers if name not in BASELINES]
        named = [*([self.scores_name] if self.scores else []), *own, *BASELINES]
        return [(name, False) for name in named] + [(name, True) for name in own]

    @property
    def scores_name(self) -> str:
        """The name of the ranker whose scores come from files."""
        return Path(self.scores or "").name

    def scores_at(self, origin: date) -> Path:
        """Return the file with the scores of an origin."""
        return Path((self.scores or "").replace(DATE, origin.isoformat()))

    @property
    def document(self) -> dict[str, Any]:
        """The recipe as it is stored."""
        return {
            **asdict(self),
            "first": self.first.isoformat(),
            "last": self.last.isoformat(),
            "rankers": list(self.rankers),
            "horizons": list(self.horizons),
            "scores": self.scores_name if self.scores else None,
        }


def up_to(recipe: Recipe, until: date) -> Recipe:
    """Return the recipe up to the last origin whose horizon ends by `until`."""
    days, longest = _days(recipe.first, until, recipe.every_months), max(recipe.horizons)
    followed = [day for day in days if later(day, longest) <= until]
    return replace(recipe, last=followed[-1] if followed else recipe.first)


def later(day: date, months: int) -> date:
    """Return the day so many months later; the month's last where it has no such day."""
    moved: date = (pd.Timestamp(day) + pd.DateOffset(months=months)).date()
    return moved


def check(recipe: Recipe, until: date) -> None:
    """Raise InputRefused for a recipe that cannot be run on evidence up to `until`."""
    for name in recipe.rankers:
        rankers.find(name)
    if not recipe.rankers and not recipe.scores:
        raise InputRefused("give at least one --ranker, or --scores")
    if recipe.scores and DATE not in recipe.scores:
        raise InputRefused(f"--scores '{recipe.scores}' has no {DATE}, which stands for the origin")
    if recipe.scores and recipe.scores_name in (*recipe.rankers, *BASELINES):
        raise InputRefused(
            f"--scores '{recipe.scores}': files named '{recipe.scores_name}' would be taken for "
            "the ranker of that name; rename them"
        )
    if recipe.last < recipe.first:
        raise InputRefused(f"--to {recipe.last} is before --from {recipe.first}")
    if len(recipe.origins) > MOST_ORIGINS:
        raise InputRefused(f"more than {MOST_ORIGINS} origins; choose a longer --every")
    ends_on = later(recipe.origins[-1], max(recipe.horizons))
    if ends_on > until:
        raise InputRefused(
            f"the horizon of origin {recipe.origins[-1]} ends on {ends_on}, but evidence reaches "
            f"only {until}"
        )
    if recipe.scores:
        for origin in recipe.origins:
            files.require_file(recipe.scores_at(origin))


def find(connection: Connection, backtest_id: int) -> Row[Any]:
    """Return the row of the table backtest; InputRefused if there is none."""
    return evaluations.numbered(connection, schema.backtest, backtest_id, "tracker backtest run")


def digest(connection: Connection, recipe: Recipe) -> str:
    """Return the SHA-256 of a recipe, the code of its rankers, and the evidence in the store."""
    lines = statements.run(connection, "evidence_line").scalars().all()
    candidates = None
    if recipe.candidates is not None:
        table = schema.candidate_set
        found = sa.select(table.c.sha256).where(table.c.name == recipe.candidates)
        candidates = connection.execute(found).scalar()
    scores = [files.sha256_of(recipe.scores_at(day)) for day in recipe.origins if recipe.scores]
    content = {
        "recipe": recipe.document,
        "tracker": VERSION,
        "endpoint": METHOD,
        "rankers": [rankers.find(name)[1] for name in (*recipe.rankers, *BASELINES)],
        "evidence": list(lines),
        "names": slates.alias_sha256(connection, clock.now(connection)),
        "candidates": candidates,
        "scores": scores,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def recorded(sha256: str) -> sa.Select[Any]:
    """Return the query for the number of the backtest with this digest, if there is one."""
    table = schema.backtest
    return sa.select(table.c.backtest_id).where(table.c.recipe_sha256 == sha256)


def record(connection: Connection, recipe: Recipe, sha256: str, until: date) -> int:
    """Return the number of the backtest with this digest, recording it if it is new."""
    found: int | None = connection.execute(recorded(sha256)).scalar()
    if found is not None:
        return found
    table = schema.backtest
    backtest_id = temp_tables.next_key(connection, table.c.backtest_id)
    connection.execute(
        table.insert(),
        {
            "backtest_id": backtest_id,
            "recipe": recipe.document,
            "recipe_sha256": sha256,
            "followed_until": until,
            "created_at": clock.now(connection),
        },
    )
    return backtest_id


def _days(first: date, last: date, every_months: int) -> Iterator[date]:
    number = 0
    while (day := later(first, number * every_months)) <= last:
        yield day
        number += 1
