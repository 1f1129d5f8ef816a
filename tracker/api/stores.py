"""A store in Python: what changes it, beyond what `Reader` reads."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Connection

from tracker import slates, store
from tracker.api import instants
from tracker.api.arguments import require_number, require_one_of
from tracker.api.reading import Reader
from tracker.api.slates import Slate, detect
from tracker.errors import InputRefused, NotConfirmed
from tracker.figures import MOST_PREDICTIONS, SEED
from tracker.rows import EXPORT_FORMATS, ExportFormat, Rows
from tracker.store.state import engines, kept

if TYPE_CHECKING:
    # Each method imports what it needs: together it takes longer than most commands.
    from tracker.api.benchmarks import Benchmark
    from tracker.api.candidates import Candidates
    from tracker.api.ingesting import Ingest
    from tracker.api.loading import Load
    from tracker.api.log import Log
    from tracker.api.rounds import Rounds
    from tracker.api.studies import Backtest, Retrospective
    from tracker.api.timestamps import Timestamps
    from tracker.extras import refresh as refreshing
    from tracker.extras.refresh.sources import Found
    from tracker.extras.site.publishing import Published
    from tracker.reports.exporting import Exported
    from tracker.slates import annulments, attachments, imports


class Store(Reader):
    """An open store; `tracker.open` makes one.

    Reads see the store at one moment: the first read after opening or writing. Others may read the
    file meanwhile; a write takes the store's lock, and stores all or nothing. Frames and reports
    stay valid after the store is closed.
    """

    @property
    def load(self) -> "Load":
        """Loads candidates, labels, aliases and outcomes."""
        from tracker.api.loading import Load

        return Load(self)

    @property
    def candidates(self) -> "Candidates":
        """Lists candidate sets and seals them."""
        from tracker.api.candidates import Candidates

        return Candidates(self)

    @property
    def ingest(self) -> "Ingest":
        """Stores releases of ChEMBL, trials, the FDA, EMA and vocabularies."""
        from tracker.api.ingesting import Ingest

        return Ingest(self)

    @property
    def retrospective(self) -> "Retrospective":
        """Compares scores and rankers with what is already known."""
        from tracker.api.studies import Retrospective

        return Retrospective(self)

    @property
    def backtest(self) -> "Backtest":
        """Runs rankers at past origins."""
        from tracker.api.studies import Backtest

        return Backtest(self)

    @property
    def benchmark(self) -> "Benchmark":
        """Scores frozen submissions against truth."""
        from tracker.api.benchmarks import Benchmark

        return Benchmark(self)

    @property
    def round(self) -> "Rounds":
        """Opens rounds, takes what teams deposit and reveal, and draws the board."""
        from tracker.api.rounds import Rounds

        return Rounds(self)

    @property
    def timestamps(self) -> "Timestamps":
        """The trusted timestamp authorities, and what they stated."""
        from tracker.api.timestamps import Timestamps

        return Timestamps(self)

    @property
    def log(self) -> "Log":
        """Shows the log of what was written, and proves it."""
        from tracker.api.log import Log

        return Log(self)

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

        `candidates` and `labels` name loaded sets. A `ranker`, fitted on the labels, scores the
        candidates again: a baseline. `plan` is a TOML file or its content as a mapping. Published
        sites withhold the slate until `embargo_until`. `novel_only` leaves out, before ranking,
        pairs known at the freeze from labels or evidence. Raises InputRefused or ProblemsFound, and
        stores nothing, if anything is unknown or contradictory.

        Ingested evidence that was not yet detected is recorded first, so that what is known at the
        freeze does not depend on `detect`; the slate's `n_recorded` counts these events.

        Nothing is printed: the slate's `freeze_warnings.doubts` says what speaks against it.
        `confirm` is called with the slate as it would be stored, and may read its facts,
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
        """Ask about a slate that is not yet stored; it reads over the writing connection."""
        with engines.computed_here(connection), kept.up_to_date(connection):
            self._connection = connection
            try:
                return confirm(made)
            finally:
                self._connection = None

    def import_slates(self, folder: str | Path) -> list[Slate]:
        """Import the slates of an export or a published folder; those already stored stay."""
        return [Slate(self, one.slate_id) for one in self.import_folder(folder)]

    def import_folder(self, folder: str | Path) -> "list[imports.Imported]":
        """Import as `import_slates` does; return what is new of each slate."""
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
        """Attach sets to a slate that was imported without them; see Slate.attach."""
        return self.slate(slate).attach(candidates=candidates, labels=labels)

    def detect(self, *chosen: "Slate | UUID | str") -> Any:
        """Record what the evidence shows; return the new outcomes by slate and type as a frame."""
        return detect(self, chosen)

    def detected(self, *chosen: "Slate | UUID | str") -> list[str]:
        """Record as `detect` does; return in words what is new and what the sources can see."""
        from tracker.evidence import detection
        from tracker.reports import coverage

        with self.writing() as connection:
            wanted = [slates.find(connection, str(one)).slate_id for one in chosen]
            wanted = wanted or slates.all_slate_ids(connection)
            began = store.now(connection)
            found = detection.detect(connection, wanted, progress=self.progress)
            n_corrected = detection.corrected(connection, began)
            seen = coverage.seen_counts(connection, wanted)
            lines = []
            for slate_id, entries in itertools.groupby(found, key=lambda entry: entry.slate_id):
                listed = ", ".join(f"{one.n_outcomes:,} {one.outcome_type}" for one in entries)
                lines.append(f"slate {str(slate_id)[:8]}: {listed}")
            if found:
                lines.append(detection.summed(connection, wanted, began))
        if n_corrected:
            lines.append(detection.corrected_words(n_corrected))
        elif not found:
            lines.append("detection finished: no new events")
        return [*lines, *coverage.seen_lines(seen)]

    def estimate(self, *chosen: "Slate | UUID | str", everything: bool = False) -> Any:
        """Compute and store the intervals of slates, or of all; return their numbers as a frame.

        `everything` includes evaluations and submissions to benchmarks. All is stored, or nothing.
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
                        connection, evaluation, now, seed=SEED
                    )
                    done.append(("evaluation", str(number), len(found)))
                for submission in lookup.every(connection):
                    number = submission.submission_id
                    self.progress(f"computing submission {number}")
                    of = lookup.benchmark_of(connection, submission)
                    found = submission_estimates.record_submission(
                        connection, submission, of, now, seed=SEED
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
        """Annul an outcome from a file: it no longer counts, and stays on record.

        Raises InputRefused for an outcome that was detected in evidence.
        """
        from tracker.slates import annulments

        with self.writing() as connection:
            return annulments.annul(connection, outcome_id, reason)

    def export(self, folder: str | Path, form: ExportFormat = "parquet") -> "Exported":
        """Write every result of all slates to a folder, with what each column means.

        See `tracker.reports.exporting.export`; the instant is that of the store.
        """
        from tracker.reports import exporting

        require_one_of("form", form, EXPORT_FORMATS)
        if self.write:
            self.writable()
        self.close()
        return exporting.export(
            self.path, Path(folder), form, as_of=self.as_of, progress=self.progress
        )

    def prove(self, config: str | Path = "tracker.toml") -> "list[Found]":
        """Ask the authorities in a configuration to timestamp unproved slates and the log.

        Every refresh ends with this. Returns the result for each.
        """
        from tracker.extras import refresh as refreshing

        return refreshing.prove(config, db=self.writable(), wait=self.wait, progress=self.progress)

    def publish(self, folder: str | Path, console: str | Path | bool = False) -> Path:
        """Write the store's track record as a static site; return its folder.

        `console` adds a page with SQL: True takes DuckDB-Wasm from npm, a path from a folder. If
        the store was opened for writing, its log seals the hash of the site's manifest.
        """
        return self.published(folder, console).folder

    def published(
        self,
        folder: str | Path,
        console: str | Path | bool = False,
        *,
        authorities: Sequence[str] = (),
    ) -> "Published":
        """Write the site as `publish` does; return what is in it, and what proves its date.

        `authorities` are asked to timestamp the log that covers the site.
        """
        from tracker.extras.site import publishing

        if self.write:
            self.writable()
        self.close()
        return publishing.publish(
            self.path,
            Path(folder),
            self.progress,
            console if isinstance(console, bool) else Path(console),
            wait=self.wait if self.write else None,
            authorities=authorities,
        )

    def _listed(self, names: Sequence[str], found: Iterable[object]) -> Any:
        values = [tuple(getattr(one, name) for name in names) for one in found]
        return self._frame(Rows(list(names), values))

    def __repr__(self) -> str:
        return f"<Store {self.path.name}, {'writable' if self.write else 'read-only'}>"
