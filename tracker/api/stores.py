"""A store in Python: what it holds, what becomes of it, and what it answers."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema, slates, store
from tracker.api import frames, instants
from tracker.api.arguments import due_within, require_number
from tracker.api.handles import Handle
from tracker.api.reports import Report
from tracker.api.slates import Slate, compare, detect
from tracker.errors import CheckFailed, InputRefused, NotConfirmed
from tracker.figures import MOST_PREDICTIONS, Population, TierOrAll
from tracker.rows import Rows, rows_from
from tracker.store import catalog, queries
from tracker.store.state import (
    engines,
    kept,
    scope,
)

if TYPE_CHECKING:
    # Each method imports what it needs: together it takes longer than most commands.
    from tracker.api.benchmarks import Benchmark
    from tracker.api.candidates import Candidates
    from tracker.api.ingesting import Ingest
    from tracker.api.loading import Load
    from tracker.api.log import Log
    from tracker.api.replays import Replay
    from tracker.api.rounds import Rounds
    from tracker.api.studies import Backtest, Retrospective
    from tracker.api.timestamps import Timestamps
    from tracker.extras import refresh as refreshing
    from tracker.reports.exporting import Exported, ExportFormat
    from tracker.slates import annulments, attachments, imports


class Store(Handle):
    """An open store; `tracker.open` makes one.

    What it reads is of one moment, that of its first read after it was opened or written. Others
    may read the same file; each write takes the lock of the store, and all of it or nothing is
    stored. Frames and reports stay valid when the store is closed.
    """

    @property
    def load(self) -> "Load":
        """What loads candidates, labels, aliases and outcomes."""
        from tracker.api.loading import Load

        return Load(self)

    @property
    def candidates(self) -> "Candidates":
        """What lists candidate sets and seals them."""
        from tracker.api.candidates import Candidates

        return Candidates(self)

    @property
    def ingest(self) -> "Ingest":
        """What stores releases of ChEMBL, trials, the FDA, EMA and vocabularies."""
        from tracker.api.ingesting import Ingest

        return Ingest(self)

    @property
    def retrospective(self) -> "Retrospective":
        """What compares scores and rankers with what is already known."""
        from tracker.api.studies import Retrospective

        return Retrospective(self)

    @property
    def backtest(self) -> "Backtest":
        """What replays rankers at past origins."""
        from tracker.api.studies import Backtest

        return Backtest(self)

    @property
    def benchmark(self) -> "Benchmark":
        """What scores frozen submissions against truth."""
        from tracker.api.benchmarks import Benchmark

        return Benchmark(self)

    @property
    def round(self) -> "Rounds":
        """What opens rounds, takes what teams deposit and reveal, and draws the board."""
        from tracker.api.rounds import Rounds

        return Rounds(self)

    @property
    def timestamps(self) -> "Timestamps":
        """Which authorities are trusted for timestamps, and what they stated."""
        from tracker.api.timestamps import Timestamps

        return Timestamps(self)

    @property
    def log(self) -> "Log":
        """What shows the log of what was written, and proves it."""
        from tracker.api.log import Log

        return Log(self)

    # What the store holds.

    @property
    def slates(self) -> Any:
        """The slates as a frame, numbered in the order in which they were recorded."""
        return self._frame(slates.listed(self.connection))

    def slate(self, slate: "Slate | UUID | str") -> Slate:
        """Return the slate with the UUID, or whose UUID begins with the text.

        Raises InputRefused unless there is one such slate.
        """
        if isinstance(slate, Slate):
            return slate
        return Slate(self, slates.find(self.connection, str(slate)).slate_id)

    @property
    def candidate_sets(self) -> Any:
        """The loaded candidate sets as a frame."""
        return self._table(schema.candidate_set)

    @property
    def label_sets(self) -> Any:
        """The loaded label sets as a frame."""
        return self._table(schema.label_set)

    @property
    def releases(self) -> Any:
        """The releases of evidence as a frame, by source and date."""
        from tracker import evidence

        return self._frame(rows_from(evidence.releases(self.connection)))

    @property
    def evaluations(self) -> Any:
        """The retrospective evaluations as a frame."""
        return self._table(schema.evaluation)

    @property
    def backtests(self) -> Any:
        """The backtests as a frame; `recipe` is what each does."""
        return self._table(schema.backtest)

    @property
    def views(self) -> Any:
        """The views as a frame: name, topic of a result, title, formula, grain, units, source."""
        names = ("Result", "Title", "Formula", "Grain", "Units", "Source")
        found = [(one.name, *map(one.header.get, names)) for one in catalog.read_views()]
        columns = ["view", "topic", *map(str.lower, names[1:])]
        return self._frame(Rows(columns, found))

    def sql(self, query: str, *, timeout: float | None = None) -> Any:
        """Return the result of a query as a frame.

        It is read-only and reaches no file and no network, as `tracker sql`. Raises InputRefused if
        it fails or is not one reading statement, and TrackerError after `timeout` seconds.
        """
        asked = queries.Query(self.connection, query, timeout=timeout)
        columns, batches = asked.rows()
        queries.require_distinct(columns)
        return self._frame(Rows(columns, [row for batch in batches for row in batch]))

    def check(self) -> Any:
        """Return what violates an invariant or was altered as a frame; empty if all is sound."""
        rows = [(name, str(row)) for name, wrong in self.findings().items() for row in wrong]
        return self._frame(Rows(["check", "row"], [*rows]))

    def findings(self) -> dict[str, list[object]]:
        """Return what `check` finds by the name of each check; nothing for one that holds."""
        from tracker.slates import checking

        return checking.check(self.path, self.progress)

    # What becomes of it.

    def freeze(
        self,
        *,
        candidates: str,
        labels: str | None = None,
        ranker: str | None = None,
        seed: int = 0,
        diseases: Sequence[str] = (),
        top_k: int = 50,
        min_score: float | None = None,
        description: str = "",
        plan: str | Path | dict[str, Any] | None = None,
        replay_as_of: instants.Given | None = None,
        embargo_until: instants.Given | None = None,
        novel_only: bool = False,
        confirm: Callable[[Slate], bool] | None = None,
    ) -> Slate:
        """Freeze the best candidates of each disease as a slate.

        `candidates` and `labels` name loaded sets. With `ranker`, the candidates are scored again
        by it, fitted on the labels: a baseline. Without `min_score` no score is too low. `plan` is
        a TOML file or its content as a mapping. Until `embargo_until`, published sites withhold the
        slate. With `novel_only`, pairs that are known at the freeze, by labels or by evidence, are
        left out before ranking. Raises InputRefused or ProblemsFound, and stores nothing, if
        anything is unknown or contradictory.

        Evidence that was ingested and not yet detected is recorded first, so that what is known at
        the freeze does not depend on whether `detect` came before; `n_recorded` of the slate says
        how many events that were.

        What speaks against the slate is not printed: `freeze_warnings.doubts` of the slate has it.
        `confirm` is called with the slate as it would be stored, of which it may read the facts,
        `list_sizes`, `ties`, `power` and `freeze_warnings`; unless it returns True, nothing is
        stored and NotConfirmed is raised.
        """
        from tracker.evidence import detection
        from tracker.slates import freezing, plans
        from tracker.uncertainty import estimates

        if ranker is not None and labels is None:
            raise InputRefused("a ranker needs labels to be fitted on")
        require_number("top_k", top_k, 1, MOST_PREDICTIONS)
        replayed = instants.day_if_given(replay_as_of, "replay_as_of")
        embargo = instants.day_if_given(embargo_until, "embargo_until")
        with self.writing() as connection:
            recorded = detection.record_events(connection, progress=self.progress)
            if ranker is not None and labels is not None:
                from tracker.extras.retrospective import evaluations

                candidates = evaluations.score_candidates(
                    connection,
                    ranker,
                    candidates_of=candidates,
                    labels=labels,
                    seed=seed,
                    progress=self.progress,
                )
            frozen = freezing.freeze(
                connection,
                candidates=candidates,
                labels=labels,
                diseases=diseases,
                top_k=top_k,
                min_score=min_score,
                description=description,
                plan=None if plan is None else plans.given(plan),
                replay_as_of=replayed,
                embargo_until=embargo,
                novel_only=novel_only,
                progress=self.progress,
            )
            stored = slates.find(connection, str(frozen.slate.slate_id))
            estimates.record_power(connection, stored, store.now(connection))
            made = Slate(self, frozen.slate.slate_id, recorded.n_events)
            if confirm is not None and not self._is_confirmed(connection, made, confirm):
                raise NotConfirmed("not frozen: it was not confirmed")
        return made

    def _is_confirmed(
        self, connection: Connection, made: Slate, confirm: Callable[[Slate], bool]
    ) -> bool:
        """Ask about a slate that is not yet in the store; it reads what writes it."""
        with engines.computed_here(connection), kept.up_to_date(connection):
            self._connection = connection
            try:
                return confirm(made)
            finally:
                self._connection = None

    def import_slates(self, folder: str | Path) -> list[Slate]:
        """Import the slates of an export or of a published folder; those there already stay."""
        return [Slate(self, one.slate_id) for one in self.import_folder(folder)]

    def import_folder(self, folder: str | Path) -> "list[imports.Imported]":
        """Import slates as `import_slates` does; return what is new of each."""
        from tracker.slates import imports

        with self.writing() as connection:
            return imports.import_folder(connection, Path(folder))

    def attach(
        self,
        slate: "Slate | UUID | str",
        *,
        candidates: str | None = None,
        labels: str | None = None,
    ) -> "list[attachments.Attached]":
        """Give a slate that came without candidates or labels those sets; its hash stays.

        Returns each set, which is not new if the slate had it. Raises InputRefused, and attaches
        none, for one that cannot be the slate's.
        """
        return self.slate(slate).attach(candidates=candidates, labels=labels)

    def detect(self, *chosen: "Slate | UUID | str") -> Any:
        """Record what the evidence shows; return the new outcomes by slate and type as a frame."""
        return detect(self, chosen)

    def estimate(self, *chosen: "Slate | UUID | str", everything: bool = False) -> Any:
        """Compute the intervals of slates, or of all, and store them; return how many as a frame.

        With `everything` also those of evaluations and of submissions to benchmarks; all of it is
        stored, or nothing.
        """
        from tracker.uncertainty import estimates

        done = []
        with self.writing() as connection:
            now = store.now(connection)
            wanted = [slates.find(connection, str(one)) for one in chosen]
            for slate in wanted or slates.all_slates(connection):
                self.progress(f"computing slate {str(slate.slate_id)[:8]}")
                found = estimates.record_slate(connection, slate, now)
                done.append(("slate", str(slate.slate_id), len(found)))
            if everything:
                from tracker.extras.benchmarks import lookup, submission_estimates
                from tracker.extras.retrospective import evaluation_estimates, evaluations

                for evaluation in evaluations.every(connection):
                    number = evaluation.evaluation_id
                    self.progress(f"computing evaluation {number}")
                    found = evaluation_estimates.record_evaluation(
                        connection, evaluation, now, seed=estimates.SEED
                    )
                    done.append(("evaluation", str(number), len(found)))
                for submission in lookup.every(connection):
                    number = submission.submission_id
                    self.progress(f"computing submission {number}")
                    of = lookup.benchmark_of(connection, submission)
                    found = submission_estimates.record_submission(
                        connection, submission, of, now, seed=estimates.SEED
                    )
                    done.append(("submission", str(number), len(found)))
        return self._frame(Rows(["kind", "id", "n_estimates"], done))

    def refresh(
        self, config: str | Path = "tracker.toml", *, offline: bool = False, dry_run: bool = False
    ) -> "refreshing.Refreshed":
        """Bring the store up to date with the sources in a configuration; see `tracker refresh`."""
        from tracker.extras import refresh as refreshing

        return refreshing.run(
            Path(config),
            db=self.writable(),
            offline=offline,
            dry_run=dry_run,
            wait=self.wait,
            progress=self.progress,
        )

    def fetch(self, *servers: str, config: str | Path = "tracker.toml") -> Any:
        """Fetch what is new from the servers in a configuration; return what came as a frame."""
        from tracker.extras import refresh as refreshing

        done = refreshing.fetch(
            Path(config),
            db=self.writable(),
            only=servers,
            wait=self.wait,
            progress=self.progress,
        )
        return self._listed(("kind", "origin", "status", "problem"), done)

    def doctor(self, config: str | Path = "tracker.toml", *, offline: bool = False) -> Any:
        """Return what a refresh needs as a frame: check, state, finding and remedy."""
        from tracker.extras import refresh as refreshing

        self.close()
        found = refreshing.examine(Path(config), self.path, offline=offline, progress=self.progress)
        return self._listed(("check", "state", "finding", "remedy"), found)

    def annul(self, outcome_id: int, reason: str) -> "annulments.Annulled":
        """Take back an outcome from a file: it counts no longer, and stays on record.

        Raises InputRefused for an outcome that was detected in evidence.
        """
        from tracker.slates import annulments

        with self.writing() as connection:
            return annulments.annul(connection, outcome_id, reason)

    # What it answers.

    def outcome(self, outcome_id: int) -> Any:
        """Return the evidence cards of an outcome as a frame, one for each slate with the pair."""
        from tracker.reports import listing

        return self._frame(listing.cards(self.connection, outcome_id))

    def assess(self) -> Any:
        """Return every slate with its verdict, primary endpoint, interval and why, as a frame."""
        from tracker.reports import overview

        return self._frame(overview.read(self.connection, self.as_of, self.progress))

    def compare(
        self,
        *chosen: "Slate | UUID | str",
        population: Population | None = None,
        tier: TierOrAll | None = None,
        include_replays: bool = False,
    ) -> Report:
        """Compare two slates or more: which predicts better, how sure, on which diseases.

        Without `population` and `tier`, they are those of the first slate's plan. Raises
        InputRefused if there are fewer than two, one is a replay and `include_replays` is not set,
        or they have no disease in common.
        """
        return compare(
            self,
            chosen,
            population=population,
            tier=tier,
            include_replays=include_replays,
        )

    def leaderboard(self, *, include_replays: bool = False) -> Report:
        """Rank the models over all slates that they froze, replays left out.

        With `include_replays`, a model's replays are ranked, too, apart from its other slates.
        """
        from tracker.reports import leaderboard
        from tracker.reports.render import render_report

        connection = self.connection
        asked = {"include_replays": include_replays}
        counted, why_empty = leaderboard.counted(connection, self.as_of, **asked)
        with nullcontext() if why_empty else scope.of_slates(connection, *counted):
            content = leaderboard.build(connection, self.as_of, **asked)
        return Report(content, render_report(content, "table"), self.library)

    def due(self, within: str | None = None, *, days: int = 90, months: int = 0) -> Any:
        """Return the open predictions whose criteria come due within a time, soonest first.

        `within` is a time such as '90d', '12w', '6m' or '3y', in place of days and months.
        """
        from tracker.slates import falsification

        ahead = due_within(within, days, months)
        found = falsification.due(self.connection, None, days=ahead.days, months=ahead.months)
        return self._frame(found)

    def coverage(self, candidates: str) -> Report:
        """Return what the sources can see of a candidate set, before it is frozen."""
        from tracker.reports import coverage
        from tracker.reports.render import render_report
        from tracker.slates import loads

        found = loads.find_set(self.connection, schema.candidate_set, candidates)
        content = coverage.of_candidates(self.connection, found)
        return Report(content, render_report(content, "table"), self.library)

    def verify(self) -> None:
        """Recompute every hash, verify every timestamp; CheckFailed names what was altered."""
        problems = slates.problems(self.connection)
        if problems:
            raise CheckFailed("\n".join(problems))

    def hash_checks(self, slate: "Slate | UUID | str | None" = None) -> Any:
        """Recompute the hash of a slate, or of all; return each as a frame, with what is altered.

        `proof` says who vouches for the date of the freeze. Tokens of other hashes than slates'
        are left to `verify`.
        """
        found = slates.verify(self.connection, None if slate is None else str(slate))
        values = [
            (str(v.slate_id), v.content_sha256, v.problem or "as frozen", v.proof) for v in found
        ]
        return self._frame(Rows(["slate_id", "content_sha256", "verdict", "proof"], values))

    def replay(self, *folders: str | Path) -> "Replay":
        """Rebuild the ledger from the files of its releases in `folders`; return how it compares.

        The store is only read. Raises InputRefused if a folder is absent or has no such file.
        """
        from tracker.api.replays import Replay
        from tracker.extras import replay as replaying

        self.close()
        done = replaying.run(self.path, [Path(one) for one in folders], progress=self.progress)
        return Replay(done, self.library)

    def export(self, folder: str | Path, form: "ExportFormat" = "parquet") -> "Exported":
        """Write every result of all slates to a folder, with what each column means.

        See `tracker.reports.exporting.export`; the instant is that of the store.
        """
        from tracker.reports import exporting

        if self.write:
            self.writable()
        self.close()
        return exporting.export(
            self.path, Path(folder), form, as_of=self.as_of, progress=self.progress
        )

    def publish(self, folder: str | Path, console: str | Path | bool = False) -> Path:
        """Write the store's track record as a static site; return its folder.

        `console` adds a page with SQL: True takes DuckDB-Wasm from npm, a path from a folder. If
        the store was opened for writing, the hash of the site's manifest is sealed in its log.
        """
        from tracker.extras.site import publishing

        if self.write:
            self.writable()
        self.close()
        wanted = console if isinstance(console, bool) else Path(console)
        wait = self.wait if self.write else None
        done = publishing.publish(self.path, Path(folder), self.progress, wanted, wait=wait)
        return done.folder

    def _listed(self, names: Sequence[str], found: Iterable[object]) -> Any:
        """Return these attributes of each as a frame."""
        values = [tuple(getattr(one, name) for name in names) for one in found]
        return self._frame(Rows(list(names), values))

    def _table(self, table: sa.Table) -> Any:
        key = next(iter(table.primary_key.columns))
        return self._frame(rows_from(self.connection.execute(sa.select(table).order_by(key))))

    def _frame(self, rows: Rows) -> Any:
        return frames.of(rows, self.library)

    def __repr__(self) -> str:
        """Name the store, and how it is open."""
        return f"<Store {self.path.name}, {'writable' if self.write else 'read-only'}>"
