"""What was known of pairs at a freeze, by the view that says it of slates: pair_known_phase.

The view reads the slate and its predictions. A slate that is being frozen has neither yet, so it
is put in the place of the table; in the place of its predictions are all pairs with an event.
"""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection

from tracker import schema, temp_tables
from tracker.store import connections
from tracker.store.state import engines, kept, narrowing

_VIEW = "pair_known_phase"
_SLATE = temp_tables.define_like("freezing_slate", schema.slate)
# What was attached, proved or recorded since the freeze was not known then.
_STAND_INS = {
    "slate": "from temp.freezing_slate select * replace (null as candidate_set_id)",
    "event": "select event.* from {main}.event semi join temp.freezing_slate "
    "on event.recorded_at <= freezing_slate.recorded_at",
    "prediction": "select distinct freezing_slate.slate_id, event.disease_id, event.drug_id, "
    "cast(null as integer) as known_label, cast(null as double) as known_max_phase "
    "from {main}.event cross join temp.freezing_slate "
    "where event.disease_id is not null and event.slate_id is null",
    "slate_attachment": "from {main}.slate_attachment where false",
    "timestamp_token": "from {main}.timestamp_token where false",
}


@contextlib.contextmanager
def at_freeze(connection: Connection, slate: Mapping[str, Any]) -> Iterator[None]:
    """Let pair_known_phase say, for the duration of the block, what was known at a slate's freeze.

    `slate` is a row of the table, stored or to be stored. The view then has a row for every pair
    with an event or a label, scored or not, and none of other slates.
    """
    temp_tables.recreate(connection, _SLATE)
    connection.execute(_SLATE.insert(), dict(slate))
    with (
        engines.computed_here(connection),
        narrowing.replaced(connection, _STAND_INS),
        narrowing.to_candidates(connection, []),
        kept.computed(connection, [slate["slate_id"]], [_VIEW]),
    ):
        connection.exec_driver_sql(f"create or replace temp table known_pair as from {_VIEW}")
        connections.commit(connection)
    with narrowing.replaced(connection, {_VIEW: "from temp.known_pair"}):
        yield
