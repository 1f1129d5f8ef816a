"""Carries a query from DuckDB's dialect of SQL to Spark's.

sqlglot translates what the two word differently. What they mean differently, or what only DuckDB
has, is rewritten before: single functions in `functions`, aggregates in `aggregates`, joins, lists
unpacked into rows and other parts of a SELECT in `relations`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import sqlglot
from sqlglot import exp

from tracker.errors import InputRefused, said
from tracker.extras.spark import aggregates, functions, relations

Variables = Mapping[str, Any]
# Spark's functions that call any method of Java.
_JAVA = {"java_method", "reflect", "try_reflect"}


def translate(
    query: str,
    *,
    variables: Variables | None = None,
    dates: Iterable[str] = (),
    columns: Mapping[str, list[str]] | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> str:
    """Return a SELECT of DuckDB as one of Spark that returns the same rows.

    `variables` are the values of getvariable(), `parameters` those of `:name`, `dates` names of
    columns that are dates, whose differences are days, and `columns` those of tables and views,
    where `*` is matched by name.
    Raises InputRefused if the query is not one statement that only reads.
    """
    tree = parse(query)
    tree = relations.rewrite(tree, columns or {})
    tree = functions.rewrite(tree, variables or {}, parameters or {}, frozenset(dates))
    tree = aggregates.rewrite(tree)
    tree = relations.unpack(tree)
    return str(tree.sql("spark", comments=False, unsupported_level=sqlglot.ErrorLevel.RAISE))


def parse(query: str) -> Any:
    """Return the syntax tree of one SELECT; raises InputRefused for anything else."""
    try:
        trees = [tree for tree in sqlglot.parse(query, read="duckdb") if tree is not None]
    except sqlglot.errors.SqlglotError as error:
        raise InputRefused(f"the query failed: {said(error)}") from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise InputRefused("the query must be one statement that only reads")
    tree = trees[0]
    called = {one.name.lower() for one in tree.find_all(exp.Anonymous)}
    if called & _JAVA:
        raise InputRefused(f"the query failed: no function {', '.join(sorted(called & _JAVA))}")
    return tree
