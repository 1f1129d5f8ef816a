"""A slate as it was frozen: its facts, what the freeze left out, and what it warned of."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Connection, Row

from tracker import slates
from tracker.api import frames
from tracker.api.handles import Handle
from tracker.rows import Rows

if TYPE_CHECKING:
    from tracker.slates import freeze_warnings


@dataclass(frozen=True, repr=False)
class Frozen:
    """The frozen part of a slate, which no later event changes."""

    opened: Handle
    slate_id: UUID
    # The events that the freeze recorded first; 0 in objects that no freeze returned.
    n_recorded: int = field(default=0, compare=False, repr=False)

    @property
    def short(self) -> str:
        """The first eight characters of the UUID, as commands and reports name the slate."""
        return str(self.slate_id)[:8]

    @property
    def facts(self) -> dict[str, Any]:
        """The frozen facts: description, dates, model, hashes, plan."""
        return dict(self._row(self.opened.connection)._mapping)

    @property
    def proof(self) -> str:
        """Who vouches that the slate existed by an instant, or that its date is only claimed."""
        from tracker.log import timestamp_proofs

        connection = self.opened.connection
        return timestamp_proofs.of_slate(
            connection, self._row(connection), timestamp_proofs.roots(connection)
        ).words

    @property
    def asked(self) -> str:
        """What the slate's plan, or else the default plan, requires, in words."""
        from tracker.slates import plans

        found = plans.of_slate(self._row(self.opened.connection))
        whose = "its plan" if found.is_frozen else "the default plan, since none was frozen with it"
        return f"by {whose}, it works if {found.plan.asked}"

    @property
    def power(self) -> list[str]:
        """What each tier could show within the plan's horizon, as stated at the freeze."""
        from tracker.uncertainty import estimates

        connection = self.opened.connection
        return estimates.stored_power(connection, self._row(connection))

    @property
    def attached(self) -> list[str]:
        """The sets attached after the freeze, and what that means for the figures."""
        from tracker.reports import attachment_warnings

        connection = self.opened.connection
        return attachment_warnings.of_sets(connection, self._row(connection))

    @property
    def left_out(self) -> dict[str, int]:
        """The counts of candidates that the freeze did not take; see freezing.LeftOut."""
        from tracker.slates import freezing

        connection = self.opened.connection
        return freezing.left_out(connection, self._row(connection))._asdict()

    @property
    def freeze_warnings(self) -> "freeze_warnings.Warnings":
        """The warnings of `tracker slate freeze`: `doubts`, which it asks about, and `notes`."""
        from tracker.slates import freeze_warnings

        connection = self.opened.connection
        return freeze_warnings.of_slate(connection, self._row(connection))

    @property
    def list_sizes(self) -> list[int]:
        """The number of predictions of each disease, ascending."""
        from tracker.slates import freezing

        return freezing.list_sizes(self.opened.connection, self.slate_id)

    @property
    def unlabeled(self) -> list[str]:
        """The predictions known from the store's evidence but not from the labels, best first."""
        from tracker.slates import freezing

        connection = self.opened.connection
        return freezing.unlabeled(connection, self._row(connection))

    @property
    def ties(self) -> dict[str, Any]:
        """How many predictions were drawn from ties at the freeze, and where scores are too few.

        Empty for a slate that was not frozen in this store.
        """
        from tracker.slates import freezing

        connection = self.opened.connection
        found = freezing.ties(connection, self._row(connection))
        return {} if found is None else dict(found._mapping)

    @property
    def frozen(self) -> Any:
        """Every prediction as it was frozen, as a frame, disease by disease in order of rank."""
        connection = self.opened.connection
        return self._frame(slates.predictions(connection, self._row(connection)))

    def _row(self, connection: Connection) -> Row[Any]:
        return slates.find(connection, str(self.slate_id))

    def _frame(self, rows: Rows) -> Any:
        return frames.of(rows, self.opened.library)

    def __str__(self) -> str:
        return str(self.slate_id)

    def __repr__(self) -> str:
        return f"<Slate {self.short} of {self.opened.path.name}>"
