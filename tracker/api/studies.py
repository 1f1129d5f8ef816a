"""Retrospective evaluations and backtests in Python."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tracker import store
from tracker.api import instants
from tracker.api.arguments import require_number
from tracker.api.handles import Handle
from tracker.api.reports import Report
from tracker.errors import InputRefused
from tracker.extras.retrospective import backtest_recipe as recipes
from tracker.extras.retrospective import backtest_report as report_backtest
from tracker.extras.retrospective import (
    backtests,
    evaluation_estimates,
    evaluations,
    leave_one_out,
    temporal,
)
from tracker.extras.retrospective import evaluation_report as report_evaluation
from tracker.extras.retrospective.backtest_recipe import Recipe
from tracker.figures import LARGEST_SEED, MOST_MONTHS, MOST_PREDICTIONS, SEED
from tracker.files.frames import as_file
from tracker.store.state import scope


@dataclass(frozen=True)
class Retrospective:
    """Compares scores and rankers with what is already known."""

    opened: Handle

    def evaluate(
        self, *, candidates: str | None, labels: str, positive_min_label: int = 4
    ) -> Report:
        """Compare a candidate set with a label set: AUC and NDCG on what is already known."""
        return self.report(self._evaluation_id(candidates, labels, positive_min_label))

    def report(self, evaluation_id: int) -> Report:
        """Return the report of an evaluation, with its leave-one-out and temporal runs."""
        self.opened.progress("computing the views")
        connection = self.opened.connection
        row = evaluations.find(connection, evaluation_id)
        with scope.of_evaluation(connection, row, report_evaluation.SECTIONS):
            content = report_evaluation.build(connection, row)
        return Report(content, library=self.opened.library)

    def loo(
        self,
        ranker: str,
        *,
        labels: str,
        candidates: str | None = None,
        positive_min_label: int = 4,
        seed: int = 0,
        name: str | None = None,
        workers: int | None = None,
    ) -> Report:
        """Hide each positive pair from training, rank its drug again, and report Hit@K."""
        require_number("workers", workers, 1)
        evaluation_id = self._evaluation_id(candidates, labels, positive_min_label)
        n_trials = leave_one_out.run(
            self.opened.writable(),
            evaluation_id,
            ranker,
            seed=seed,
            name=name,
            workers=workers,
            wait=self.opened.wait,
            progress=self.opened.progress,
        )
        return replace(self.report(evaluation_id), note=f"{n_trials:,} new trials")

    def temporal(
        self,
        ranker: str,
        *,
        labels: str,
        cutoff: int,
        first: int,
        last: int,
        candidates: str | None = None,
        positive_min_label: int = 4,
        seed: int = 0,
        name: str | None = None,
        workers: int | None = None,
    ) -> Report:
        """Fit a ranker on approvals up to a year, and report its AUC for later approvals."""
        require_number("workers", workers, 1)
        for argument, year in (("cutoff", cutoff), ("first", first), ("last", last)):
            require_number(argument, year, 1800, 2200)
        evaluation_id = self._evaluation_id(candidates, labels, positive_min_label)
        n_diseases = temporal.run(
            self.opened.writable(),
            evaluation_id,
            ranker,
            cutoff=cutoff,
            first=first,
            last=last,
            seed=seed,
            name=name,
            workers=workers,
            wait=self.opened.wait,
            progress=self.opened.progress,
        )
        return replace(self.report(evaluation_id), note=f"{n_diseases:,} diseases scored")

    def load_trials(
        self,
        data: Any,
        *,
        labels: str,
        candidates: str | None = None,
        positive_min_label: int = 4,
        name: str,
    ) -> Report:
        """Load leave-one-out ranks computed elsewhere, and report Hit@K.

        Columns: disease_name, drug_name, rank, n_candidates.
        """
        evaluation_id = self._evaluation_id(candidates, labels, positive_min_label)
        with as_file(data, "trials") as path, self.opened.writing() as connection:
            n_trials = leave_one_out.load_trials(connection, path, evaluation_id, name).n_added
        return replace(self.report(evaluation_id), note=f"{n_trials:,} new trials")

    def estimate(self, evaluation_id: int, *, seed: int = SEED) -> int:
        """Compute the intervals of an evaluation's figures and store them; return how many."""
        require_number("seed", seed, 0, LARGEST_SEED)
        with self.opened.writing() as connection:
            found = evaluations.find(connection, evaluation_id)
            now = store.now(connection)
            return len(evaluation_estimates.record_evaluation(connection, found, now, seed=seed))

    def _evaluation_id(self, candidates: str | None, labels: str, positive_min_label: int) -> int:
        require_number("positive_min_label", positive_min_label, 1, 4)
        with self.opened.writing() as connection:
            return evaluations.create(connection, candidates, labels, positive_min_label)[0]


@dataclass(frozen=True)
class Backtest:
    """Runs rankers at past origins, each fitted only on what was known on that day."""

    opened: Handle

    def run(
        self,
        *,
        rankers: Sequence[str] = (),
        first: instants.Given,
        last: instants.Given | None = None,
        every_months: int = 12,
        horizons: Sequence[int] = (24,),
        candidates: str | None = None,
        scores: str | None = None,
        top_k: int = 50,
        seed: int = 0,
        workers: int | None = None,
    ) -> Report:
        """Run rankers at past origins and report what came true; see Recipe.

        Without `last`, the last origin is the latest whose horizon evidence has reached.
        """
        require_number("workers", workers, 1)
        require_number("top_k", top_k, 1, MOST_PREDICTIONS)
        require_number("every_months", every_months, 1, MOST_MONTHS)
        for months in horizons:
            require_number("horizons", months, 1, MOST_MONTHS)
        begins = instants.day(first, "first")
        recipe = Recipe(
            rankers=tuple(dict.fromkeys(rankers)),
            first=begins,
            last=begins if last is None else instants.day(last, "last"),
            every_months=every_months,
            horizons=tuple(dict.fromkeys(horizons)),
            candidates=candidates,
            scores=scores,
            top_k=top_k,
            seed=seed,
        )
        if last is None:
            recipe = recipes.up_to(recipe, backtests.reach(self.opened.connection))
        number, n_new = backtests.run(
            self.opened.writable(),
            recipe,
            workers=workers,
            wait=self.opened.wait,
            progress=self.opened.progress,
        )
        return replace(self.report(number), note=f"backtest {number}: {n_new:,} new runs")

    def report(self, backtest_id: int) -> Report:
        """Return the report of a backtest, as far as it has run."""
        self.opened.progress("pooling the origins")
        connection = self.opened.connection
        content = report_backtest.build(connection, recipes.find(connection, backtest_id))
        if not content.sections[0].rows.values:
            raise InputRefused(f"no origin of backtest {backtest_id} has been run to completion")
        return Report(content, library=self.opened.library)
