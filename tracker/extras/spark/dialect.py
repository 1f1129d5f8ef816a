"""Translates a query from DuckDB's dialect of SQL to Spark's.

sqlglot translates differences of wording. This package first rewrites differences of meaning, and
what only DuckDB has, as far as the queries that read candidates need it: single functions in
`functions`, aggregates in `aggregates`, windows and unpacked lists in `relations`.
"""

from collections.abc import Mapping
from typing import Any

import sqlglot

from tracker.extras.spark import aggregates, functions, relations


def translate(query: str, parameters: Mapping[str, Any]) -> str:
    """Return a SELECT of sql/ as one for Spark that returns the same rows.

    `parameters` are the values of placeholders `:name`. Raises sqlglot's UnsupportedError.
    """
    tree = sqlglot.parse_one(query, read="duckdb")
    tree = relations.rewrite(tree)
    tree = functions.rewrite(tree, parameters)
    tree = aggregates.rewrite(tree)
    tree = relations.unpack(tree)
    return str(tree.sql("spark", comments=False, unsupported_level=sqlglot.ErrorLevel.RAISE))
