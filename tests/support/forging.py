"""What whoever can write a store's file can do to it."""

from unittest import mock
from uuid import UUID

from bench import Bench

from tracker import store
from tracker.log import sealing
from tracker.store import connections

HALVED = "update stored_candidate set score = score / 2"


def made_anew(bench: Bench, *changes: str, log_id: UUID | None = None) -> None:
    """Change rows, and seal all as tracker would, under the identity of the log or another."""
    with store.reader(bench.db) as connection:
        log_id = log_id or sealing.heads(connection)[0].log_id
    bench.alter(*changes, "delete from log_entry", "delete from log_head")
    with (
        connections.engine(bench.db, read_only=False) as engine,
        engine.begin() as connection,
        mock.patch("uuid.uuid4", return_value=log_id),
    ):
        sealing.seal(connection, "created")
