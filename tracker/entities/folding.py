"""Folds names and ids inside DuckDB exactly as tracker.entities does, a million at a time.

Plain ASCII is folded by SQL; the few other names go through Python once each.
"""

import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection, TextClause

from tracker import entities
from tracker.store import filling

# Only printable ASCII is plain: in it, lower() folds case and only a blank is white space.
_MACROS = (
    "create or replace temp macro is_plain(name) as regexp_full_match(name, '[ -~]*')",
    "create or replace temp macro plain_fold(name) as "
    "lower(trim(if(contains(name, '  '), regexp_replace(name, ' +', ' ', 'g'), name)))",
    "create or replace temp macro fold_name(given) as "
    "case when is_plain(given) then plain_fold(given) else (select other_fold.folded_name "
    "from other_fold where other_fold.name = if(is_plain(given), null, given)) end",
    r"""
create or replace temp macro ontology_id(given) as
case
    when regexp_full_match(upper(trim(given)), '[CD]\d{6,9}') then 'MESH:' || upper(trim(given))
    else upper(regexp_replace(trim(given), '^([A-Za-z][A-Za-z0-9.]*)[:_]', '\1:'))
end
""",
)


def prepare(connection: Connection, names: TextClause | None = None) -> None:
    """Make the macros fold_name and ontology_id usable on the connection.

    fold_name(x) equals entities.fold(x) for every value of the one column that `names` selects;
    ontology_id(x) equals entities.ontology_id(x) and only upper-cases non-identifiers.
    """
    for statement in _MACROS:
        connection.exec_driver_sql(statement)
    others: list[str] = []
    if names is not None:
        named = names.columns(sa.column("name", sa.String)).subquery("given_name")
        other = sa.select(named.c.name).where(sa.not_(sa.func.is_plain(named.c.name))).distinct()
        others = list(connection.execute(other).scalars())
    folded = pd.DataFrame({"name": others, "folded_name": [entities.fold(n) for n in others]})
    types = dict.fromkeys(folded.columns, sa.String)
    filling.temporary(connection, "other_fold", types, folded)
