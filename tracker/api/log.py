"""The log in Python: its heads, proofs that a slate is in it, and their verification."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from tracker import schema, slates
from tracker.api import frames
from tracker.api.handles import Handle
from tracker.log import checkpoints, sealing, signed_notes, tree_proofs
from tracker.rows import Rows

if TYPE_CHECKING:
    from tracker.api.slates import Slate

_COLUMNS = ("head_id", "sealed_at", "n_entries", "reason", "root_sha256", "head_sha256")


@dataclass(frozen=True)
class Log:
    """Lists the heads of the log, and proves what they seal."""

    opened: Handle

    def list(self) -> Any:
        """Return the heads as a frame, the earliest first: one for each command that wrote."""
        return frames.of(self.rows(), self.opened.library)

    def rows(self) -> Rows:
        """Return the heads as rows."""
        heads = sealing.heads(self.opened.connection)
        return Rows(
            [*_COLUMNS], [tuple(getattr(head, name) for name in _COLUMNS) for head in heads]
        )

    @property
    def head_sha256(self) -> str:
        """The SHA-256 of the latest head's line, line end included, which identifies the head."""
        return str(tree_proofs.latest_head(self.opened.connection).head_sha256)

    def head(self) -> str:
        """Return the latest head, one canonical line of JSON, to be kept elsewhere."""
        return sealing.head_line(tree_proofs.latest_head(self.opened.connection))

    def stamp(
        self,
        *authorities: str,
        token: "str | Path | None" = None,
        timeout: float | None = None,
    ) -> Any:
        """Timestamp the latest head; see Slate.prove."""
        from tracker.api.timestamps import obtain_tokens

        return obtain_tokens(self.opened, self.head_sha256, authorities, token, timeout)

    def prove(
        self, slate: "Slate | UUID | str", since: "str | Path | None" = None
    ) -> dict[str, Any]:
        """Return the proof that a slate is in the log, as JSON that verifies without a store.

        With `since`, a file of an earlier head, it also proves that the log only grew since then.
        Raises CheckFailed if the slate or the log was altered.
        """
        connection = self.opened.connection
        found = slates.find(connection, str(slate))
        head = None if since is None else tree_proofs.read_head(Path(since))
        return tree_proofs.prove(connection, schema.slate, found.slate_id, head)

    def checkpoint(self, key: "str | Path", since: "str | Path | None" = None) -> str:
        """Return the latest head as a checkpoint, signed by the private key in a file (C2SP).

        With `since`, a file of an earlier checkpoint by this key, it also proves that the log only
        grew since then. Raises CheckFailed if the log was altered, or does not begin with it.
        """
        signing = signed_notes.read_key(Path(key))
        earlier = None if since is None else Path(since)
        return checkpoints.signed(self.opened.connection, signing, earlier)

    def verify(self, path: "str | Path") -> Sequence[str]:
        """Return what a file with a head or a proof proves, one line for each finding.

        A proof needs no store. Raises CheckFailed if it does not hold or if the store's log does
        not begin with the head.
        """
        connection = self.opened.connection if self.opened.path.exists() else None
        return tree_proofs.verify(connection, Path(path))


def make_key(name: str, path: Path) -> str:
    """Make a private key for checkpoints, unless the file has one; return its verifier key."""
    return str(signed_notes.make_key(name, path).verifier)


def co_sign(
    checkpoint: Path, vkey: str, key: Path, seen: Path, *, wait: float
) -> checkpoints.Witnessed:
    """Co-sign the checkpoint of another log with a private key; see checkpoints.witness."""
    owner, signing = signed_notes.verifier_key(vkey), signed_notes.read_key(key)
    return checkpoints.witness(checkpoint, owner, signing, seen, wait)


def verify_checkpoint(path: Path, vkeys: Sequence[str], store: Handle | None) -> list[str]:
    """Return what a checkpoint proves, of a store's log too if one is given, in lines.

    Raises CheckFailed if the signature of a key, given as its text or its file, does not verify.
    """
    keys = [signed_notes.verifier_key(one) for one in vkeys]
    return checkpoints.verify(None if store is None else store.connection, path, keys)
