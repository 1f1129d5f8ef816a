"""Names that earlier versions folded otherwise, also in the form in which names compare now.

The earlier form stays: slates identify drugs and diseases by it. A name that two of them would
share is left as it is; tracker load says which they are.
"""

from collections import defaultdict
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

from tracker.entities.folding import fold

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_LATEST = """
select max(written_at) from (
    select max(added_at) as written_at from drug_alias
    union all select max(added_at) from disease_alias
    union all select max(recorded_at) from slate
    union all select max(recorded_at) from event
    union all select max(ingested_at) from release
    union all select max(sealed_at) from log_head
) as written
"""


def upgrade() -> None:
    connection = op.get_bind()
    latest = connection.execute(sa.text(_LATEST)).scalar()
    added_at = datetime.now(UTC)
    if latest is not None:
        added_at = max(added_at, latest.astimezone(UTC) + timedelta(microseconds=1))
    for entity in ("drug", "disease"):
        key = f"{entity}_id"
        alias = sa.table(f"{entity}_alias", *map(sa.column, ("kind", "value", key, "added_at")))
        names = connection.execute(
            sa.select(alias.c.kind, alias.c.value, alias.c[key]).where(
                alias.c.kind.in_(("name", "synonym"))
            )
        ).all()
        bearers: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for kind, value, bearer in names:
            bearers[fold(value)][bearer].add(kind)
        stored = {value for _, value, _ in names}
        for folded in sorted(bearers.keys() - stored - {""}):
            if len(bearers[folded]) == 1:
                ((bearer, kinds),) = bearers[folded].items()
                added = {"kind": min(kinds), "value": folded, key: bearer, "added_at": added_at}
                connection.execute(alias.insert(), added)


def downgrade() -> None:
    """Leave the names: the log seals them, and an earlier version reads them as synonyms."""
