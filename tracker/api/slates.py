"""One slate in Python: its rows, its reports, and what can be done with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from tracker import slates, store
from tracker.api import frames, instants
from tracker.api.arguments import due_within, require_one_of
from tracker.api.frozen import Frozen
from tracker.api.handles import Handle
from tracker.api.reports import Report
from tracker.errors import CheckFailed, InputRefused
from tracker.figures import (
    METRICS,
    POPULATIONS,
    TIERS_OR_ALL,
    WINDOWS,
    Population,
    TierOrAll,
    Window,
)
from tracker.reports import coverage, listing
from tracker.rows import Rows
from tracker.store.state import scope

if TYPE_CHECKING:
    from tracker.slates import annulments, attachments


@dataclass(frozen=True, repr=False)
class Slate(Frozen):
    """A frozen slate of an open store; what it reads is as of the store's `as_of`.

    Methods that write (`annul`, `attach`, `detect`, `estimate`, `prove`, `record`) need a store
    opened with `write=True`.
    """

    @property
    def predictions(self) -> Any:
        """Every prediction as a frame, by rank within its disease, with what happened to it.

        `is_hit` counts prospective hits. A hit has its event, with date, source and record, and
        `hit_url`, the address of the record.
        """
        from tracker.reports.pages import addresses

        connection = self.opened.connection
        row = self._row(connection)
        found = listing.predictions(connection, row, row.n_predictions)
        at = found.columns.index("hit_record") + 1
        urls = [addresses.of_hit(one) for one in found.records()]
        return self._frame(
            Rows(
                [*found.columns[:at], "hit_url", *found.columns[at:]],
                [
                    (*values[:at], url, *values[at:])
                    for values, url in zip(found.values, urls, strict=True)
                ],
            )
        )

    @property
    def outcomes(self) -> Any:
        """The recorded outcomes of the slate's pairs as a frame, in the order of recording."""
        return self.outcomes_of()

    def outcomes_of(
        self, drug: str | None = None, disease: str | None = None, *, only_hits: bool = False
    ) -> Any:
        """The outcomes of a drug, a disease or both, by name or identifier, as a frame.

        `counts_as` says why an outcome is a hit or not. Raises InputRefused if the store has no
        such drug or disease.
        """
        connection = self.opened.connection
        row = self._row(connection)
        return self._frame(
            listing.outcomes(connection, row, drug=drug, disease=disease, only_hits=only_hits)
        )

    def evidence(self, drug: str, disease: str) -> Any:
        """The evidence cards of a pair as a frame, one for each of its outcomes.

        Raises InputRefused if the store has no such drug or disease, or no outcome of the pair.
        """
        connection = self.opened.connection
        return self._frame(listing.pair_cards(connection, self._row(connection), drug, disease))

    def report(
        self,
        *,
        window: Window | None = None,
        population: Population | None = None,
        versus: "Slate | UUID | str | None" = None,
    ) -> Report:
        """Return the report: verdict, figures with intervals, warnings, charts.

        Without `window` ('all', 'prospective') and `population` ('all', 'novel') it has all of
        them. With `versus` it begins with the comparison with that slate. Raises InputRefused if
        the slate did not exist at the store's `as_of`.
        """
        from tracker.reports import build, comparison, screen
        from tracker.reports.pages import slate_page

        require_one_of("window", window, WINDOWS)
        require_one_of("population", population, POPULATIONS)
        opened, connection = self.opened, self.opened.connection
        row = self._row(connection)
        other = None if versus is None else slates.find(connection, str(versus))
        with scope.of_slates(connection, row, other), build.read_once(connection, row):
            content = build.build(
                connection,
                row,
                windows=WINDOWS if window is None else (window,),
                populations=POPULATIONS if population is None else (population,),
                as_of=opened.as_of,
            )
            if other is not None:
                with scope.of_comparison(connection, row, other, asked=comparison.VIEWS_READ):
                    compared = comparison.build(
                        connection, [row, other], population=population, as_of=opened.as_of
                    )
                content = comparison.before(content, compared)
            page = slate_page.of_slate(connection, row, content, opened.as_of)
            summary = None
            if other is None:
                summary = screen.of_page(connection, row, page, content.warnings)
        return Report(content, summary, opened.library, page)

    def screen(self, *, window: Window | None = None, population: Population | None = None) -> str:
        """Return a report's text for a terminal, without computing the rest of the report."""
        from tracker.reports import screen

        require_one_of("window", window, WINDOWS)
        require_one_of("population", population, POPULATIONS)
        connection = self.opened.connection
        return screen.of_slate(
            connection,
            self._row(connection),
            windows=WINDOWS if window is None else (window,),
            populations=POPULATIONS if population is None else (population,),
            as_of=self.opened.as_of,
        )

    def assess(self) -> Report:
        """Return the assessment by the slate's plan: the verdict, and a row for each criterion."""
        from tracker.reports import assessment

        connection = self.opened.connection
        row = self._row(connection)
        with scope.of_slates(connection, row):
            content = assessment.assess(connection, row, self.opened.as_of)
        return Report(content, library=self.opened.library)

    def compare(
        self,
        *others: "Slate | UUID | str",
        population: Population | None = None,
        tier: TierOrAll | None = None,
        include_replays: bool = False,
    ) -> Report:
        """Compare with other slates: which predicts better, how sure that is; see Store.compare."""
        return compare(
            self.opened,
            [self, *others],
            population=population,
            tier=tier,
            include_replays=include_replays,
        )

    def explain(self, since: instants.Given) -> Report:
        """Return which figures have changed since a day, and the evidence behind the change."""
        from tracker.reports.explain import explain

        connection = self.opened.connection
        moment = instants.end_of(since, "since")
        try:
            content = explain(connection, self._row(connection), moment, self.opened.as_of)
        finally:
            # `explain` leaves the connection at another instant.
            self.opened.close()
        return Report(content, library=self.opened.library)

    def coverage(self) -> Report:
        """Return which drugs and diseases the sources can see, and by which match."""
        connection = self.opened.connection
        row = self._row(connection)
        with scope.of_slates(connection, row):
            content = coverage.of_slate(connection, row)
        return Report(content, library=self.opened.library)

    def due(self, within: str | None = None, *, days: int = 90, months: int = 0) -> Any:
        """Return the slate's open predictions whose criteria come due; see Store.due."""
        from tracker.slates import falsification

        ahead = due_within(within, days, months)
        connection = self.opened.connection
        row = self._row(connection)
        return self._frame(falsification.due(connection, row, days=ahead.days, months=ahead.months))

    def scoreboard(
        self,
        metrics: Sequence[str] | str = (),
        *,
        window: Window | None = None,
        population: Population | None = None,
        tier: TierOrAll | None = None,
    ) -> Any:
        """Return the published figures by quarter as a frame; without `metrics` the plan's."""
        from tracker.uncertainty import scoreboard

        if isinstance(metrics, str):
            metrics = (metrics,)
        for metric in metrics:
            require_one_of("metrics", metric, tuple(METRICS))
        require_one_of("window", window, WINDOWS)
        require_one_of("population", population, POPULATIONS)
        require_one_of("tier", tier, TIERS_OR_ALL)
        connection = self.opened.connection
        return self._frame(
            scoreboard.trend(
                connection,
                self._row(connection),
                metrics=metrics,
                evidence_window=window,
                population=population,
                tier=tier,
            )
        )

    def verify(self) -> str:
        """Recompute and return the slate's hash, and verify its timestamps again, offline.

        Raises CheckFailed if anything was altered.
        """
        found = slates.verify(self.opened.connection, str(self.slate_id))[0]
        if found.problem:
            raise CheckFailed(f"slate {self.slate_id}: {found.problem}")
        return str(found.content_sha256)

    def prove(
        self, *authorities: str, token: str | Path | None = None, timeout: float | None = None
    ) -> Any:
        """Timestamp the slate (RFC 3161); return what each authority stated as a frame.

        Without `authorities`, DigiCert and Sectigo are asked, each for at most `timeout` seconds
        (20); `token` is a reply obtained by hand instead. Tokens that verify are stored. A row has
        a `problem` if its authority failed; raises InputRefused if all did.
        """
        from tracker.api.timestamps import obtain_tokens

        sha256 = self._row(self.opened.connection).content_sha256
        return obtain_tokens(self.opened, sha256, authorities, token, timeout)

    def claim(self) -> dict[str, Any]:
        """Return an in-toto statement of the slate's hash, tokens, plan and verdict."""
        from tracker.reports import claims

        connection = self.opened.connection
        return claims.of_slate(connection, self._row(connection), self.opened.as_of)

    def export(self, folder: str | Path) -> Path:
        """Write the slate to a folder that others can import and verify; return its path."""
        from tracker.slates import exports

        self.opened.close()
        exports.export_slate(self.opened.path, str(self.slate_id), Path(folder))
        return Path(folder)

    def register(self, folder: str | Path) -> Path:
        """Write what proves the slate, without its predictions, to a folder; return its path."""
        from tracker.slates import readers

        self.opened.close()
        readers.register(self.opened.path, str(self.slate_id), Path(folder))
        return Path(folder)

    def attach(
        self, *, candidates: str | None = None, labels: str | None = None
    ) -> "list[attachments.Attached]":
        """Attach candidates or labels to a slate imported without them; its hash stays.

        Returns each set, and whether it is new here. Raises InputRefused, attaching none, for a set
        that cannot be the slate's.
        """
        from tracker.slates import attachments

        with self.opened.writing() as connection:
            row = self._row(connection)
            return attachments.attach(connection, row, candidates=candidates, labels=labels)

    def annul(
        self,
        drug: str,
        disease: str,
        reason: str,
        *,
        outcome_type: str | None = None,
        event_date: instants.Given | None = None,
    ) -> "annulments.Annulled":
        """Annul the one outcome of a pair that came from a file; see Store.annul.

        Raises InputRefused if the pair has none, or several.
        """
        from tracker.slates import annulments

        connection = self.opened.connection
        number = annulments.find(
            connection,
            self._row(connection),
            drug,
            disease,
            outcome_type=outcome_type,
            event_date=instants.day_if_given(event_date, "event_date"),
        )
        with self.opened.writing() as writing:
            return annulments.annul(writing, number, reason)

    def detect(self) -> Any:
        """Record what the store's evidence shows about the slate; return what is new."""
        return detect(self.opened, [self])

    def estimate(self) -> int:
        """Compute the intervals of the slate's figures and store them; return how many."""
        from tracker.uncertainty import estimates

        with self.opened.writing() as connection:
            row = self._row(connection)
            return len(estimates.record_slate(connection, row, store.now(connection)))

    def record(self) -> int:
        """Publish the current figures and verdict; return the number of figures."""
        from tracker.reports import verdicts

        with self.opened.writing() as connection:
            return verdicts.publish(connection, [self.slate_id], store.now(connection))


def compare(
    opened: Handle,
    chosen: "Sequence[Slate | UUID | str]",
    *,
    population: Population | None = None,
    tier: TierOrAll | None = None,
    include_replays: bool = False,
) -> Report:
    """Compare two slates of a store or more; see Store.compare."""
    from tracker.reports import comparison

    if len(chosen) < 2:
        raise InputRefused("give two slates or more")
    require_one_of("population", population, POPULATIONS)
    require_one_of("tier", tier, TIERS_OR_ALL)
    connection = opened.connection
    found = [slates.find(connection, str(one)) for one in chosen]
    if not include_replays:
        comparison.refuse_replays(found)
    with (
        scope.of_slates(connection, *found),
        scope.of_comparison(connection, *found, asked=comparison.VIEWS_READ),
    ):
        content = comparison.build(
            connection, found, population=population, tier=tier, as_of=opened.as_of
        )
    return Report(content, library=opened.library)


def detect(opened: Handle, chosen: "Sequence[Slate | UUID | str]") -> Any:
    """Record what the evidence shows of these slates, or of all; see Store.detect."""
    from tracker.evidence import detection

    with opened.writing() as connection:
        wanted = [slates.find(connection, str(one)).slate_id for one in chosen]
        found = detection.detect(
            connection, wanted or slates.all_slate_ids(connection), progress=opened.progress
        )
    values = [(one.slate_id, one.outcome_type, one.n_outcomes) for one in found]
    return frames.of(Rows(["slate_id", "outcome_type", "n_outcomes"], values), opened.library)
