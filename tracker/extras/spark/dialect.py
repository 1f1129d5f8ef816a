"""Carries a query from DuckDB's dialect of SQL to Spark's.

sqlglot translates what the two word differently. What they mean differently, or what only DuckDB
has, is rewritten before, as far as what reads candidates needs it: single functions in `functions`,
aggregates in `aggregates`, windows and lists unpacked into rows in `relations`.
"""

from collections.abc import Mapping
from typing import Any

import sqlglot

from tracker.extras.spark import aggregates, functions, relations


def translate(query: str, parameters: Mapping[str, Any]) -> str:
    """Return a SELECT of sql/ as one of Spark that returns the same rows.

    `parameters` are the values of `:name`.
    """
    tree = sqlglot.parse_one(query, read="duckdb")
    tree = relations.rewrite(tree)
    tree = functions.rewrite(tree, parameters)
    tree = aggregates.rewrite(tree)
    tree = relations.unpack(tree)
    return str(tree.sql("spark", comments=False, unsupported_level=sqlglot.ErrorLevel.RAISE))
