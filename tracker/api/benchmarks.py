"""Benchmarks in Python: truth sets, frozen submissions, and how they score."""

import contextlib
import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

from tracker import schema, store
from tracker.api import frames, instants
from tracker.api.arguments import require_number, require_one_of
from tracker.api.handles import Handle
from tracker.api.reports import Report
from tracker.errors import CheckFailed
from tracker.extras.benchmarks import (
    benchmark_page,
    boards,
    definitions,
    distance,
    exports,
    imports,
    lookup,
    models,
    scoring,
    similarity,
    submission_estimates,
    submitting,
    verification,
)
from tracker.extras.benchmarks.benchmark_text import (
    SUBMISSION,
    render_leaderboard,
    render_score,
    render_targets,
)
from tracker.extras.benchmarks.freezing import Submitted
from tracker.extras.benchmarks.options import FILES, OPTIONS, Definition
from tracker.figures import LARGEST_SEED, SEED
from tracker.files.frames import as_file
from tracker.reports import kinds
from tracker.reports.pages import formats
from tracker.rows import FORMATS, REPORT_FORMATS, Format, ReportFormat, Rows

__all__ = ["Benchmark", "Submitted", "render_score"]

Fields = ParamSpec("Fields")


def _from_fields(
    make: Callable[Fields, Definition], method: Callable[[Any, Definition], definitions.Defined]
) -> Callable[Concatenate[Any, Fields], definitions.Defined]:
    """Return a method that takes a definition's fields instead, with the same types."""

    def taking(self: Any, /, *name: Fields.args, **options: Fields.kwargs) -> definitions.Defined:
        return method(self, make(*name, **options))

    made = inspect.signature(Definition.__init__).replace(return_annotation=definitions.Defined)
    vars(taking)["__signature__"] = made
    return functools.update_wrapper(taking, method)


@dataclass(frozen=True)
class Benchmark:
    """Scores frozen submissions against truth: regression, binary, ordinal, multilabel."""

    opened: Handle

    @functools.partial(_from_fields, Definition)
    def define(self, definition: Definition) -> definitions.Defined:
        """Define a benchmark from its truth, or from its items alone, if the truth comes later.

        Tables are wide (a column per target) or long (item, target, value); multilabel: instance
        and label. Raises ProblemsFound with row and column, or InputRefused for a conflict.
        """
        for name, hint in OPTIONS.items():
            match hint.__metadata__[1:]:
                case [range() as numbers]:
                    require_number(name, getattr(definition, name), numbers[0], numbers[-1])
                case [words]:
                    require_one_of(name, getattr(definition, name), words)
        with contextlib.ExitStack() as stack:
            paths: dict[str, Any] = {
                noun: stack.enter_context(as_file(data, noun))
                for noun in FILES
                if (data := getattr(definition, noun)) is not None
            }
            connection = stack.enter_context(self.opened.writing())
            return definitions.define(connection, replace(definition, **paths))

    def truth(self, name: str, data: Any) -> definitions.Defined:
        """Load the truth of a benchmark defined without one."""
        with as_file(data, "truth") as path, self.opened.writing() as connection:
            return definitions.load_truth(connection, name, path)

    def template(self, name: str) -> Any:
        """Return a submission to fill in as a frame: every item, empty values."""
        header, rows = definitions.template(self.opened.connection, name)
        return self._frame(Rows(header, [*rows]))

    def submit(
        self,
        name: str,
        data: Any,
        *,
        submitter: str,
        track: schema.Track,
        code_revision: str | None = None,
        is_partial: bool = False,
        model: str | None = None,
        model_version: str | None = None,
        link: str | None = None,
        license: str | None = None,  # noqa: A002  # as the option of the command
        trained_until: instants.Given | None = None,
    ) -> Submitted:
        """Check predictions and freeze them with what is said of their model, all or nothing.

        `link` is an address of http or https, `trained_until` the last day of the training data.
        Raises ProblemsFound, which names every problem with its row and column.
        """
        require_one_of("track", track, schema.TRACKS)
        day = instants.day_if_given(trained_until, "trained_until")
        stated = models.stated(model, model_version, link, license, day)
        with as_file(data, "submission") as path, self.opened.writing() as connection:
            return submitting.submit(
                connection,
                name,
                path,
                submitter=submitter,
                track=track,
                code_revision=code_revision,
                is_partial=is_partial,
                model=stated,
                progress=self.opened.progress,
            )

    def score(self, submission: int, *, curves: bool = True) -> Report:
        """Return every metric of a submission with its interval, or why it has none.

        The report's warnings begin with the submission's notes. Without `curves` it lacks points.
        """
        connection = self.opened.connection
        found = lookup.find(connection, submission)
        sections = scoring.with_intervals(
            connection, submission, scoring.score(connection, submission, curves=curves)
        )
        warnings = lookup.notes_of(connection, submission)
        warnings += distance.of_submission(connection, found)
        warnings += similarity.of_submission(connection, submission)
        of = lookup.benchmark_of(connection, found)
        facts = {"benchmark": of.name, "submitter": found.submitter, "track": found.track}
        model = models.find(connection, submission)
        page = benchmark_page.score(found, of, sections, warnings, model)
        content = kinds.Report(facts, warnings, sections, SUBMISSION)
        return Report(content, render_score(sections, "table"), self.opened.library, page)

    def notes(self, submission: int) -> list[str]:
        """Return a submission's caveats: where it was imported from, what it lacks."""
        return lookup.notes_of(self.opened.connection, submission)

    def leaderboard(
        self,
        name: str,
        *,
        track: schema.Track | None = None,
        k: int = 10,
        target: str | None = None,
    ) -> Any:
        """Return the ranked submissions of a benchmark, or of one of its targets, as a frame.

        `k` is the cut-off of multilabel benchmarks.
        """
        return self._frame(self._ranking(name, track, k, target).ranked)

    def leaderboard_text(
        self,
        name: str,
        form: ReportFormat = "table",
        *,
        track: schema.Track | None = None,
        k: int = 10,
        target: str | None = None,
    ) -> str:
        """Return a whole leaderboard in a format, with unranked submissions and ranks by metric."""
        require_one_of("form", form, REPORT_FORMATS)
        ranking = self._ranking(name, track, k, target)
        if form == "html":
            return formats.render(benchmark_page.leaderboard(name, ranking), form)
        return render_leaderboard(ranking, form)

    def target_leaderboard(self, name: str, *, track: schema.Track | None = None) -> Any:
        """Return a frame of ranks by target, among the submissions that complete the target."""
        return self._frame(self._target_ranking(name, track)[0])

    def target_leaderboard_text(
        self, name: str, form: Format = "table", *, track: schema.Track | None = None
    ) -> str:
        """Return the ranks of each target in a format."""
        require_one_of("form", form, FORMATS)
        return render_targets(*self._target_ranking(name, track), form)

    def list(self) -> Any:
        """Return the benchmarks as a frame, in the order of their definition."""
        return self._frame(scoring.listing(self.opened.connection))

    def estimate(self, submission: int, *, seed: int = SEED) -> int:
        """Compute the intervals of a submission's figures and store them; return how many."""
        require_number("seed", seed, 0, LARGEST_SEED)
        with self.opened.writing() as connection:
            found = lookup.find(connection, submission)
            of = lookup.benchmark_of(connection, found)
            now = store.now(connection)
            return len(
                submission_estimates.record_submission(connection, found, of, now, seed=seed)
            )

    def export(self, submission: int, folder: str | Path) -> Path:
        """Write a submission to a folder that others can verify; return its path."""
        self.opened.close()
        return exports.export(self.opened.path, submission, Path(folder))

    def import_export(self, folder: str | Path, *, benchmark: str | None = None) -> Submitted:
        """Freeze a submission exported from another store; its first freeze stays a claim.

        `benchmark` is by default this store's of the same name. Raises CheckFailed if the export
        was altered, ProblemsFound with every problem in its rows.
        """
        with self.opened.writing() as connection:
            return imports.import_folder(connection, Path(folder), benchmark)

    def verify(self, submission: int | None = None) -> None:
        """Recompute the hash of a submission, or of all; CheckFailed names the altered ones."""
        found = verification.verify(self.opened.connection, submission)
        broken = [f"submission {one.submission_id}: {one.problem}" for one in found if one.problem]
        if broken:
            raise CheckFailed("\n".join(broken))

    def hash_checks(self, submission: int | None = None) -> Any:
        """Recompute the hashes as `verify` does; return them as a frame, altered ones marked."""
        found = verification.verify(self.opened.connection, submission)
        values = [(v.submission_id, v.content_sha256, v.problem or "as frozen") for v in found]
        return self._frame(Rows(["submission_id", "content_sha256", "verdict"], values))

    def _ranking(
        self, name: str, track: schema.Track | None, k: int, target: str | None
    ) -> scoring.Leaderboard:
        require_one_of("track", track, schema.TRACKS)
        found = definitions.find(self.opened.connection, name)
        return scoring.leaderboard(self.opened.connection, found, track=track, k=k, target=target)

    def _target_ranking(
        self, name: str, track: schema.Track | None
    ) -> tuple[Rows, Sequence[boards.Board]]:
        require_one_of("track", track, schema.TRACKS)
        found = definitions.find(self.opened.connection, name)
        return scoring.target_leaderboard(self.opened.connection, found, track=track)

    def _frame(self, rows: Rows) -> Any:
        return frames.of(rows, self.opened.library)
