"""Labels that the ingested releases showed on a day, stored as a label set like one from a file."""

import hashlib
from datetime import date

import sqlalchemy as sa
from sqlalchemy import Connection, text

from tracker import clock, schema, temp_tables
from tracker.errors import InputRefused
from tracker.slates.loads import Loaded
from tracker.store import statements

_ORIGIN = "evidence as of "
# The pairs of studies with a known history, by their versions of the day.
_REVISED = temp_tables.define(
    "revised_pair", disease_id=sa.Integer, drug_id=sa.Integer, phase=sa.Double
)
_HAS_HISTORY = text("select exists (select 1 from trial where version_number is not null)")
_LINES = text(
    "select concat_ws(',', disease_id, drug_id, label, coalesce(cast(max_phase as varchar), ''), "
    "coalesce(cast(approval_year as varchar), '')) as line "
    "from evidence_label order by disease_id, drug_id"
)
_APPEND = text(
    "insert into labeled_pair by name "
    "select cast(:label_set_id as integer) as label_set_id, * from evidence_label"
)


def day_of(origin: str) -> date | None:
    """Return the day by which evidence showed a set of this origin, None for one from a file."""
    if not origin.startswith(_ORIGIN):
        return None
    try:
        return date.fromisoformat(origin.removeprefix(_ORIGIN))
    except ValueError:
        return None


def load(connection: Connection, name: str, as_of: date) -> Loaded:
    """Store what the events in the ledger say was known on `as_of` as label set `name`.

    A study whose history is known on that day has what its version of the day says. Detect events
    first: only what is in the ledger counts. The same labels under the same name add nothing.
    Raises InputRefused for a day in the future, a name that holds different labels, or evidence
    that shows no pair by that day.
    """
    if not name.strip():
        raise InputRefused("the name of a set cannot be empty")
    if as_of > clock.now(connection).date():
        raise InputRefused(f"--as-of {as_of} is in the future")
    temp_tables.recreate(connection, _REVISED)
    # Resolving every study of the registry takes seconds, which most stores need not spend.
    if connection.execute(_HAS_HISTORY).scalar_one():
        statements.run(connection, "revised_pair", {"as_of": as_of})
    statements.run(connection, "evidence_label", {"as_of": as_of})
    lines = connection.execute(_LINES).scalars().all()
    if not lines:
        raise InputRefused(
            f"the evidence in the store shows no pair by {as_of}; ingest earlier releases"
        )
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    table = schema.label_set
    stored = connection.execute(sa.select(table).where(table.c.name == name)).first()
    if stored is not None:
        if stored.sha256 != digest:
            raise InputRefused(
                f"label set '{name}' holds different labels ({stored.origin}); choose another name"
            )
        return Loaded(name, 0, stored.n_pairs)
    set_id = temp_tables.next_key(connection, table.c.label_set_id)
    connection.execute(
        table.insert(),
        {
            "label_set_id": set_id,
            "name": name,
            "sha256": digest,
            "origin": f"{_ORIGIN}{as_of}",
            "n_pairs": len(lines),
            "loaded_at": clock.now(connection),
        },
    )
    connection.execute(_APPEND, {"label_set_id": set_id})
    return Loaded(name, len(lines), len(lines))
