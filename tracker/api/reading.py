"""Reads a store: what it holds, and what it answers."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import sqlalchemy as sa

from tracker import schema, slates, store
from tracker.api import frames
from tracker.api.arguments import due_within, require_one_of
from tracker.api.handles import Handle
from tracker.api.reports import Report
from tracker.api.slates import Slate, compare
from tracker.errors import CheckFailed
from tracker.figures import Population, TierOrAll
from tracker.rows import FORMATS, Format, Rows, rows_from
from tracker.store import catalog
from tracker.store.queries import Query
from tracker.store.state import scope

if TYPE_CHECKING:
    from tracker.api.replays import Replay

__all__ = ["Query", "Reader"]


class Reader(Handle):
    """The contents and answers of a store. Methods import what they need: all of it is slow."""

    @property
    def slates(self) -> Any:
        """The slates as a frame, numbered in the order in which they were recorded."""
        return self._frame(slates.listed(self.connection))

    def slate(self, slate: "Slate | UUID | str") -> Slate:
        """Return the slate whose UUID is the text or begins with it.

        Raises InputRefused unless there is exactly one.
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

        The query is read-only, and reaches no file and no network. Raises InputRefused if it fails
        or is not one reading statement, and TrackerError after `timeout` seconds.
        """
        asked = Query(self.connection, query, timeout=timeout)
        columns, batches = asked.rows(are_distinct=True)
        return self._frame(Rows(columns, [row for batch in batches for row in batch]))

    @contextlib.contextmanager
    def query(
        self, query: str, *, timeout: float | None = None, writes_to: Path | None = None
    ) -> Iterator[Query]:
        """Yield a query as of `sql` whose rows come in batches, however many there are.

        Its `write_parquet` can write only the file `writes_to`.
        """
        with store.reader(self.path, as_of=self.as_of, writes_to=writes_to) as connection:
            yield Query(connection, query, timeout=timeout)

    def check(self) -> Any:
        """Return violated invariants and altered rows as a frame; empty if all is sound."""
        rows = [(name, str(row)) for name, wrong in self.findings().items() for row in wrong]
        return self._frame(Rows(["check", "row"], [*rows]))

    def findings(self) -> dict[str, list[object]]:
        """Return the findings of `check` by the name of each check, none for one that holds."""
        from tracker.slates import checking

        return checking.check(self.path, self.progress)

    def different(self) -> list[str]:
        """Return a line for each column that the file misstates; needs `from_rows`."""
        from tracker.slates import checking

        return checking.different(self.path, self.connection, self.progress)

    def outcome(self, outcome_id: int) -> Any:
        """Return the evidence cards of an outcome as a frame, one for each slate with the pair."""
        from tracker.reports import listing

        return self._frame(listing.cards(self.connection, outcome_id))

    def assess(self) -> Any:
        """Return a frame of all slates: verdict, primary endpoint, interval and reason."""
        from tracker.reports import overview

        return self._frame(overview.read(self.connection, self.as_of, self.progress))

    def overview(self, form: Format = "table") -> str:
        """Return `assess` as text: a table with the reasons below it, csv or json."""
        from tracker.reports import overview

        require_one_of("form", form, FORMATS)
        found = overview.read(self.connection, self.as_of, self.progress)
        return overview.render_overview(found, form)

    def compare(
        self,
        *chosen: "Slate | UUID | str",
        population: Population | None = None,
        tier: TierOrAll | None = None,
        include_replays: bool = False,
    ) -> Report:
        """Compare two slates or more: which predicts better, how sure that is, on which diseases.

        `population` and `tier` are by default those of the first slate's plan. Raises InputRefused
        for fewer than two slates, a replay unless `include_replays`, or no disease in common.
        """
        return compare(
            self,
            chosen,
            population=population,
            tier=tier,
            include_replays=include_replays,
        )

    def leaderboard(self, *, include_replays: bool = False) -> Report:
        """Rank the models over all slates that they froze.

        `include_replays` also ranks their replays, apart from their other slates.
        """
        from tracker.reports import leaderboard

        connection = self.connection
        asked = {"include_replays": include_replays}
        counted, why_empty = leaderboard.counted(connection, self.as_of, **asked)
        with contextlib.nullcontext() if why_empty else scope.of_slates(connection, *counted):
            content = leaderboard.build(connection, self.as_of, **asked)
        return Report(content, library=self.library)

    def due(self, within: str | None = None, *, days: int = 90, months: int = 0) -> Any:
        """Return the open predictions whose criteria come due within a time, soonest first.

        `within` is a time such as '90d', '12w', '6m' or '3y', and replaces days and months.
        """
        from tracker.slates import falsification

        ahead = due_within(within, days, months)
        found = falsification.due(self.connection, None, days=ahead.days, months=ahead.months)
        return self._frame(found)

    def coverage(self, candidates: str) -> Report:
        """Return what the sources can see of a candidate set, before it is frozen."""
        from tracker.reports import coverage
        from tracker.slates import loads

        found = loads.find_set(self.connection, schema.candidate_set, candidates)
        content = coverage.of_candidates(self.connection, found)
        return Report(content, library=self.library)

    def verify(self) -> None:
        """Recompute every hash and verify every timestamp; CheckFailed names what was altered."""
        problems = slates.problems(self.connection)
        if problems:
            raise CheckFailed("\n".join(problems))

    def hash_checks(self, slate: "Slate | UUID | str | None" = None) -> Any:
        """Recompute the hash of a slate, or of all; return a frame that marks the altered ones.

        `proof` says who vouches for the date of the freeze. Only `verify` checks tokens of other
        hashes than slates'.
        """
        found = slates.verify(self.connection, None if slate is None else str(slate))
        values = [
            (str(v.slate_id), v.content_sha256, v.problem or "as frozen", v.proof) for v in found
        ]
        return self._frame(Rows(["slate_id", "content_sha256", "verdict", "proof"], values))

    def replay(self, *folders: str | Path) -> "Replay":
        """Rebuild the ledger from the release files in `folders`; return how it compares.

        The store is only read. Raises InputRefused if a folder is absent or has no such file.
        """
        from tracker.api.replays import Replay
        from tracker.extras import replay as replaying

        self.close()
        done = replaying.run(self.path, [Path(one) for one in folders], progress=self.progress)
        return Replay(done, self.library)

    def _table(self, table: sa.Table) -> Any:
        key = next(iter(table.primary_key.columns))
        return self._frame(rows_from(self.connection.execute(sa.select(table).order_by(key))))

    def _frame(self, rows: Rows) -> Any:
        return frames.of(rows, self.library)
