"""Runs a backtest: at each origin labels, lists and what became of them, in private copies.

The store itself only gets figures. Slates of an origin are frozen in a copy and rolled back, so
that they never enter the chain of real slates. Origins run in parallel, each worker with a copy of
its own.
"""

import os
import queue
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection, Engine

from tracker import schema, scratch, slates, store, temp_tables
from tracker.errors import InputRefused
from tracker.evidence import detection
from tracker.extras.retrospective import backtest_recipe as recipes
from tracker.extras.retrospective import evaluations
from tracker.extras.retrospective.appending import appended
from tracker.extras.retrospective.backtest_ranking import Candidates, fitted
from tracker.extras.retrospective.backtest_recipe import Recipe
from tracker.progress import Progress, silent
from tracker.slates import evidence_labels, freezing, loads, plans
from tracker.store import connections, sealed_sets, statements
from tracker.store.state import scope
from tracker.uncertainty import estimates
from tracker.uncertainty.estimates import endpoint
from tracker.uncertainty.estimates.endpoint import Endpoint
from tracker.uncertainty.stats.pooling import Influence

# A worker with less memory spills what it would otherwise keep.
_MOST_WORKERS = 4

# What a list is judged by: what was new and became public after the origin, whatever its rank.
WINDOW, POPULATION, TIER = "prospective", "novel", "all"

# In the names of the sets of private copies, so that no set of the store has such a name.
_OWN = f"backtest {uuid.uuid4()}"

_RUN_KEY = ("ranker", "is_shuffled", "horizon_months", "origin_on")

Key = tuple[str, bool, int, date]


@dataclass(frozen=True)
class Result:
    """The rows of one run: of the table backtest_run, and of backtest_influence."""

    run: dict[str, Any]
    influences: pd.DataFrame


def reach(connection: Connection) -> date:
    """Return the day until which evidence reaches; InputRefused without a release."""
    ends = [row.last_on for row in statements.run(connection, "followed_until")]
    if not ends:
        raise InputRefused("the store has no release of ChEMBL or ClinicalTrials.gov to look back")
    found: date = min(ends)
    return found


def run(
    path: Path,
    recipe: Recipe,
    *,
    workers: int | None = None,
    wait: float = store.DEFAULT_WAIT_SECONDS,
    progress: Progress = silent,
) -> tuple[int, int]:
    """Run what is left of a backtest; return its number and how many runs are new.

    Raises InputRefused for a recipe that the store cannot serve, evidence that shows no pair at an
    origin, or a score that is not finite, and CheckFailed if a file of the candidate set is not as
    it was sealed; finished origins stay stored.
    """
    with store.reader(path) as connection:
        until = reach(connection)
        recipes.check(recipe, until)
        if recipe.candidates is not None:
            given = loads.find_set(connection, schema.candidate_set, recipe.candidates)
            sealed_sets.require_unaltered(connection, given.candidate_set_id)
        sha256 = recipes.digest(connection, recipe)
        pending = _pending(connection, sha256, recipe)
    todo = sorted({key[3] for key in pending})
    if not todo:
        return _number(path, sha256), 0
    if workers is None:
        workers = min(os.cpu_count() or 1, _MOST_WORKERS)
    workers = min(workers, len(todo))
    n_new = 0

    def append(connection: Connection, done: list[Result]) -> None:
        # With its first runs, so that one refused at every origin leaves nothing behind.
        _append(connection, recipes.record(connection, recipe, sha256, until), done)

    with _copies(path, recipe, workers, progress) as engines:

        def at(origin: date) -> list[Result]:
            engine = engines.get()
            try:
                with engine.connect() as connection, connection.begin() as transaction:
                    wanted = [key for key in pending if key[3] == origin]
                    found = _at_origin(connection, recipe, origin, wanted)
                    transaction.rollback()
                    return found
            finally:
                engines.put(engine)

        with ThreadPoolExecutor(workers) as pool, appended(path, wait, append) as add:
            tasks: list[Future[list[Result]]] = [pool.submit(at, origin) for origin in todo]
            try:
                for number, task in enumerate(as_completed(tasks)):
                    progress(f"origin {number + 1:,} of {len(todo):,}")
                    n_new += len(task.result())
                    add(task.result())
            except BaseException:
                for task in tasks:
                    task.cancel()
                raise
    return _number(path, sha256), n_new


def _number(path: Path, sha256: str) -> int:
    with store.reader(path) as connection:
        number: int = connection.execute(recipes.recorded(sha256)).scalar_one()
    return number


def _pending(connection: Connection, sha256: str, recipe: Recipe) -> list[Key]:
    table = schema.backtest_run
    stored = sa.select(*[table.c[name] for name in _RUN_KEY]).where(
        table.c.backtest_id.in_(recipes.recorded(sha256))
    )
    held = {tuple(row) for row in connection.execute(stored)}
    wanted = [
        (ranker, is_shuffled, months, origin)
        for origin in recipe.origins
        for months in recipe.horizons
        for ranker, is_shuffled in recipe.contenders
    ]
    return [key for key in wanted if key not in held]


@contextmanager
def _copies(
    path: Path, recipe: Recipe, workers: int, progress: Progress
) -> Iterator["queue.SimpleQueue[Engine]"]:
    """Yield an engine per worker, of a private copy with scores loaded and evidence matched."""
    with ExitStack() as stack:
        private = stack.enter_context(scratch.folder(path.resolve().parent))
        first = private / "1.duckdb"
        progress("copying the store")
        store.copy(path, first)
        with store.writer(first, run_checks=False, home=path) as connection:
            for origin in recipe.origins if recipe.scores else ():
                progress(f"loading the scores of {origin}")
                file = recipe.scores_at(origin)
                # In the copy, however many: a folder of sealed files would outlive it.
                loads.load_candidates(
                    connection, file, _scores_of(origin), recipe.scores_name, sealed=False
                )
            detection.detect(connection, [], progress=progress)
        engines: queue.SimpleQueue[Engine] = queue.SimpleQueue()
        copies = [first, *(private / f"{number}.duckdb" for number in range(2, workers + 1))]
        for copy in copies[1:]:
            store.copy(first, copy)
        for copy in copies:
            engine = connections.engine(copy, read_only=False, shares=workers, home=path)
            engines.put(stack.enter_context(engine))
        yield engines


def _scores_of(origin: date) -> str:
    return f"scores of {origin}, {_OWN}"


def _at_origin(
    connection: Connection, recipe: Recipe, origin: date, wanted: Sequence[Key]
) -> list[Result]:
    """Return what became of the lists of an origin; what is stored on the way is rolled back."""
    labels = f"known on {origin}, {_OWN}"
    evidence_labels.load(connection, labels, origin)
    label_set = loads.find_set(connection, schema.label_set, labels)
    pairs = evaluations.training(connection, label_set.label_set_id).pairs
    universe = _scores_of(origin) if recipe.scores else recipe.candidates
    candidate_set_id = None
    if universe is not None:
        given = loads.find_set(connection, schema.candidate_set, universe)
        candidate_set_id = given.candidate_set_id
    candidates = Candidates(connection, candidate_set_id, label_set.label_set_id)
    if not len(candidates.drug_id):
        raise InputRefused(f"every candidate was known on {origin}")
    frozen = {}
    for ranker, is_shuffled in dict.fromkeys(key[:2] for key in wanted):
        name = f"{ranker}, shuffled" if is_shuffled else ranker
        if recipe.scores and ranker == recipe.scores_name and candidates.score is not None:
            scores = candidates.score
        else:
            made = fitted(ranker, recipe.seed, pairs, is_shuffled=is_shuffled)
            scores = candidates.scored_by(ranker, made, pairs)
        own = f"{name}, {_OWN}"
        candidates.store(connection, own, scores)
        for months in recipe.horizons:
            if (ranker, is_shuffled, months, origin) in wanted:
                frozen[ranker, is_shuffled, months] = freezing.freeze(
                    connection,
                    candidates=own,
                    labels=labels,
                    top_k=recipe.top_k,
                    plan=plans.parse({"horizon_months": months, "tier": TIER}, "the backtest"),
                    replay_as_of=origin,
                ).slate.slate_id
    rows = {key: slates.find(connection, str(slate_id)) for key, slate_id in frozen.items()}
    needed = {}
    if origin == recipe.origins[-1]:
        needed = {key: _months_needed(connection, row) for key, row in rows.items()}
    found = []
    with scope.of_slates(connection, *rows.values()):
        for key, row in rows.items():
            judged = endpoint.of_slate(connection, row, WINDOW, POPULATION, TIER)
            if judged is None:
                raise InputRefused(f"the list of '{key[0]}' has no novel prediction on {origin}")
            found.append(
                _result(
                    dict(zip(_RUN_KEY, (*key, origin), strict=True)),
                    {
                        "n_known": len(pairs.drug_id),
                        "n_diseases": len(set(candidates.disease_id.tolist())),
                        "n_candidates": len(candidates.drug_id),
                        "months_needed": needed.get(key),
                        "computed_at": store.now(connection),
                    },
                    judged,
                )
            )
    return found


def _months_needed(connection: Connection, slate: Any) -> float | None:
    """Return after how many months the plan's bar would be seen, None if never or not known."""
    power = estimates.record_power(connection, slate, store.now(connection))
    stated = [one.row_key.get("months_needed") for one in power if one.tier == TIER]
    return stated[0] if stated else None


def _result(key: dict[str, Any], known: dict[str, Any], judged: Endpoint) -> Result:
    row, interval, part = judged.row, judged.enrichment, judged.part
    is_finite = part is not None and part.df < float("inf")
    run = {
        **key,
        **known,
        "n_predictions": row.n_predictions,
        "n_hits": row.n_hits,
        "hit_rate_low": judged.hit_rate.low,
        "hit_rate_high": judged.hit_rate.high,
        "expected_hits": row.expected_hits,
        "enrichment": row.enrichment_vs_matched,
        "enrichment_low": interval.low if interval else None,
        "enrichment_high": interval.high if interval else None,
        "p_value": interval.p_value if interval else None,
        "log_variance": part.variance if part else None,
        "df": part.df if part and is_finite else None,
        "r": part.r if part else None,
        "s": part.s if part else None,
        "reason": row.reason or (interval.reason if interval else None),
    }
    influence = part.influence if part else None
    return Result(run, pd.DataFrame() if influence is None else _influences(key, influence))


def _influences(key: dict[str, Any], influence: Influence) -> pd.DataFrame:
    """Return the rows of backtest_influence: of drugs, of diseases, and of hits."""
    parts: list[dict[str, Any]] = [
        {"drug_id": influence.drug_id, "influence": influence.drug, "stake": influence.stake},
        {"disease_id": influence.disease_id, "influence": influence.disease},
        {
            "disease_id": influence.hit_disease_id,
            "drug_id": influence.hit_drug_id,
            "influence": influence.hit,
            "record": [one or None for one in influence.hit_record],
        },
    ]
    frame = pd.concat([pd.DataFrame(part) for part in parts], ignore_index=True)
    ids = {name: frame[name].astype("Int32") for name in ("disease_id", "drug_id")}
    stake = frame["stake"].astype("Float64")
    return frame.assign(**ids, stake=stake, **key)


def _append(connection: Connection, backtest_id: int, results: Sequence[Result]) -> None:
    runs = pd.DataFrame([result.run for result in results]).assign(backtest_id=backtest_id)
    # Beside other numbers pandas turns what is missing into NaN, which no table may have.
    temp_tables.insert_frame(
        connection, schema.backtest_run, runs.astype(object).where(runs.notna(), None)
    )
    known = [result.influences for result in results if len(result.influences)]
    if known:
        frame = pd.concat(known, ignore_index=True).assign(backtest_id=backtest_id)
        temp_tables.insert_frame(connection, schema.backtest_influence, frame)
