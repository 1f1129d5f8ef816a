"""Syntax trees: templates of Spark SQL, and changes from the leaves up."""

import functools
from collections.abc import Callable
from typing import Any

import sqlglot
from sqlglot import exp


def fill(template: str, **places: Any) -> Any:
    """Return a template of Spark SQL with each `:name` replaced by a copy of its tree."""
    return exp.replace_placeholders(
        _parsed(template).copy(), **{name: place.copy() for name, place in places.items()}
    )


def changed(tree: Any, change: Callable[[Any], Any]) -> Any:
    """Return a tree with each node replaced by what `change` returns for it, innermost first."""
    for node in innermost(tree):
        made = change(node)
        if made is node:
            continue
        if node is tree:
            tree = made
        else:
            node.replace(made)
    return tree


def innermost(tree: Any, *kinds: type) -> list[Any]:
    """Return the nodes of a tree, of `kinds` if given, each before the node that contains it."""
    return [node for node in reversed(list(tree.bfs())) if not kinds or isinstance(node, kinds)]


@functools.cache
def _parsed(template: str) -> Any:
    return sqlglot.parse_one(template, read="spark")
