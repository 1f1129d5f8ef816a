"""Ingests releases of evidence."""

from dataclasses import dataclass
from pathlib import Path

from tracker import evidence
from tracker.api import instants
from tracker.api.handles import Handle
from tracker.evidence import Ingested, plugin_sources

__all__ = ["Ingest", "Ingested"]


@dataclass(frozen=True)
class Ingest:
    """Stores releases of evidence: each whole or not at all, the same content once."""

    opened: Handle

    def chembl(
        self,
        target: str | Path,
        *,
        version: str | None = None,
        released_on: instants.Given | None = None,
    ) -> Ingested:
        """Store the drug indications of a ChEMBL release: a file or the URL of a database."""
        with self.opened.writing() as connection:
            return evidence.ingest_chembl(
                connection,
                str(target),
                version=version,
                released_on=instants.day_if_given(released_on, "released_on"),
                progress=self.opened.progress,
            )

    def trials(
        self,
        *paths: str | Path,
        released_on: instants.Given | None = None,
        is_complete: bool | None = None,
    ) -> Ingested:
        """Store the studies of a snapshot of ClinicalTrials.gov that are new or changed."""
        with self.opened.writing() as connection:
            return evidence.ingest_trials(
                connection,
                [Path(path) for path in paths],
                released_on=instants.day_if_given(released_on, "released_on"),
                is_complete=is_complete,
                progress=self.opened.progress,
            )

    def fda(
        self,
        path: str | Path,
        *,
        released_on: instants.Given | None = None,
        is_partial: bool = False,
    ) -> Ingested:
        """Store the FDA's submissions and products that are new or changed.

        With `is_partial`, the file counts as incomplete, whatever it states.
        """
        with self.opened.writing() as connection:
            return evidence.ingest_fda(
                connection,
                Path(path),
                released_on=instants.day_if_given(released_on, "released_on"),
                is_partial=is_partial,
                progress=self.opened.progress,
            )

    def ema(self, *paths: str | Path, released_on: instants.Given | None = None) -> list[Ingested]:
        """Store what is new in EMA's tables of medicines, the earliest table first."""
        with self.opened.writing() as connection:
            return evidence.ingest_ema(
                connection,
                [Path(path) for path in paths],
                released_on=instants.day_if_given(released_on, "released_on"),
                progress=self.opened.progress,
            )

    def ictrp(
        self,
        *paths: str | Path,
        released_on: instants.Given | None = None,
        is_complete: bool = False,
    ) -> list[Ingested]:
        """Store what is new in exports of ICTRP, the earliest export first.

        With `is_complete`, a study missing from a file has vanished.
        """
        with self.opened.writing() as connection:
            return evidence.ingest_ictrp(
                connection,
                [Path(path) for path in paths],
                released_on=instants.day_if_given(released_on, "released_on"),
                is_complete=is_complete,
                progress=self.opened.progress,
            )

    def source(self, name: str, path: str | Path) -> plugin_sources.Claimed:
        """Append the events that a source of another package reads in a file."""
        with self.opened.writing() as connection:
            return plugin_sources.ingest(
                connection, name, Path(path), progress=self.opened.progress
            )

    def vocabulary(
        self,
        path: str | Path,
        *,
        source: str | None = None,
        released_on: instants.Given | None = None,
    ) -> evidence.IngestedVocabulary:
        """Store a release of a vocabulary: its terms, names, parents and mappings."""
        with self.opened.writing() as connection:
            return evidence.ingest_vocabulary(
                connection,
                Path(path),
                source=source,
                released_on=instants.day_if_given(released_on, "released_on"),
                progress=self.opened.progress,
            )
