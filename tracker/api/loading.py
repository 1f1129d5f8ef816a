"""Loads files and data frames into a store."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from tracker import slates, store
from tracker.api import instants
from tracker.api.arguments import require_one_of
from tracker.api.handles import Handle
from tracker.files.frames import as_file
from tracker.slates import aliases as other_names
from tracker.slates import evidence_labels, loads
from tracker.slates import outcomes as events
from tracker.slates.loads import Loaded
from tracker.slates.shared_ids import CHOICES, Choice

if TYPE_CHECKING:
    from tracker.api.slates import Slate

__all__ = ["Load", "Loaded"]


@dataclass(frozen=True)
class Load:
    """Loads tables into a store opened with `write=True`: all of a table or nothing.

    Data are a data frame (pandas, polars or Arrow) or the path of a file (CSV, TSV, Parquet or JSON
    lines).
    """

    opened: Handle

    def candidates(
        self,
        data: Any,
        name: str,
        model: str,
        *,
        allow_extra: bool = False,
        shared_ids: Choice = "refuse",
        sealed: str | Path | bool | None = None,
        renamed: Mapping[str, str] = loads.NOTHING_RENAMED,
        lower_is_better: bool = False,
    ) -> Loaded:
        """Load every pair that a model scored: a data frame, or the path of a file.

        Columns: disease_name, drug_name, score, and if known disease_id and chembl_id; `renamed`
        maps a file's column to its name here, such as {"drug": "drug_name"}. `lower_is_better`
        stores minus the scores, as of ranks and distances. `sealed` puts the pairs into files: True
        beside the store, a path in that folder or address, None beside the store if there are more
        than 5 million. Raises ProblemsFound with row and column, or InputRefused if `name` has
        other content; the same data under the same name add nothing.
        """
        require_one_of("shared_ids", shared_ids, CHOICES)
        with as_file(data, "candidates") as path, self.opened.writing() as connection:
            return loads.load_candidates(
                connection,
                path,
                name,
                model,
                allow_extra=allow_extra,
                shared=shared_ids,
                sealed=sealed,
                renamed=renamed,
                lower_is_better=lower_is_better,
                progress=self.opened.progress,
            )

    def labels(
        self,
        data: Any,
        name: str,
        *,
        allow_extra: bool = False,
        shared_ids: Choice = "refuse",
        renamed: Mapping[str, str] = loads.NOTHING_RENAMED,
    ) -> Loaded:
        """Load the known pairs: disease_name, drug_name, label (0 negative to 4 approved).

        Arguments and errors are those of `candidates`; optional columns: max_phase, approval_year.
        """
        require_one_of("shared_ids", shared_ids, CHOICES)
        with as_file(data, "labels") as path, self.opened.writing() as connection:
            return loads.load_labels(
                connection,
                path,
                name,
                allow_extra=allow_extra,
                shared=shared_ids,
                renamed=renamed,
                progress=self.opened.progress,
            )

    def labels_from_evidence(self, name: str, as_of: instants.Given | None = None) -> Loaded:
        """Make a label set of what the ingested releases showed by a day, or today (UTC)."""
        # Imports every source of evidence.
        from tracker.evidence import detection

        given = instants.day_if_given(as_of, "as_of")
        with self.opened.writing() as connection:
            detection.detect(connection, [], progress=self.opened.progress)
            return evidence_labels.load(connection, name, given or store.now(connection).date())

    def aliases(self, data: Any, *, allow_extra: bool = False) -> Loaded:
        """Load further names and identifiers: entity (drug or disease), name, kind, value."""
        with as_file(data, "aliases") as path, self.opened.writing() as connection:
            return other_names.load_aliases(connection, path, allow_extra=allow_extra)

    def outcomes(
        self,
        data: Any,
        slate: "Slate | UUID | str | None" = None,
        *,
        allow_extra: bool = False,
        renamed: Mapping[str, str] = loads.NOTHING_RENAMED,
    ) -> Loaded:
        """Append events: disease_name, drug_name, outcome_type, source, and if known their dates.

        With `slate`, pairs that it neither predicts nor scored are refused; `renamed` is that of
        `candidates`.
        """
        with as_file(data, "outcomes") as path, self.opened.writing() as connection:
            wanted = None if slate is None else slates.find(connection, str(slate))
            return events.load(connection, path, wanted, allow_extra=allow_extra, renamed=renamed)
