"""Clauses of a SELECT that Spark lacks: named windows, QUALIFY, several unpacked lists."""

from typing import Any

from sqlglot import exp

from tracker.extras.spark.trees import fill, innermost


def rewrite(tree: Any) -> Any:
    """Rewrite the clauses of each SELECT that Spark lacks."""
    for cte in tree.find_all(exp.CTE):
        cte.set("materialized", None)
    for select in innermost(tree, exp.Select):
        _windows(select)
    for select in innermost(tree, exp.Select):
        tree = _qualified(tree, select)
    return tree


def unpack(tree: Any) -> Any:
    """Rewrite each SELECT that unpacks lists into rows."""
    for select in innermost(tree, exp.Select):
        tree = _unpacked(tree, select)
    return tree


def _windows(select: Any) -> None:
    """Replace each reference to a named window by its definition."""
    named = {window.name.lower(): window for window in select.args.get("windows") or []}
    if not named:
        return
    for window in select.find_all(exp.Window):
        alias = window.args.get("alias")
        found = named.get(alias.name.lower()) if alias is not None else None
        if found is not None and window is not found:
            for part in ("partition_by", "order", "spec"):
                value = found.args.get(part)
                if value and not window.args.get(part):
                    copies = [v.copy() for v in value] if isinstance(value, list) else value.copy()
                    window.set(part, copies)
            window.set("alias", None)
    select.set("windows", None)


def _qualified(tree: Any, select: Any) -> Any:
    """Replace QUALIFY by a column of its condition and an outer SELECT of the rows that meet it."""
    qualify = select.args.get("qualify")
    if qualify is None:
        return tree
    inner, kept = _inner(select)
    inner.set("qualify", None)
    inner.set("distinct", None)
    inner.append("expressions", exp.alias_(qualify.this.copy(), "_is_kept"))
    outer = exp.Select(
        expressions=[exp.Star(except_=[exp.to_identifier("_is_kept")])],
        from_=exp.From(this=inner.subquery("_qualified")),
        where=exp.Where(this=exp.column("_is_kept")),
        **kept,
    )
    return _put(tree, select, outer)


def _inner(select: Any) -> tuple[Any, dict[str, Any]]:
    """Return a SELECT without the clauses that apply to its result as a whole, and these."""
    kept = {
        part: select.args[part].copy()
        for part in ("with_", "distinct", "order", "limit", "offset")
        if select.args.get(part) is not None
    }
    inner = select.copy()
    for part in kept:
        inner.set(part, None)
    return inner, kept


def _put(tree: Any, select: Any, outer: Any) -> Any:
    if select is tree:
        return outer
    select.replace(outer)
    return tree


def _unpacked(tree: Any, select: Any) -> Any:
    """Unpack the lists of a SELECT side by side: an inner SELECT computes them, an outer unpacks.

    Spark allows one such function in a SELECT, and none inside an expression.
    """
    found = [
        one
        for item in select.expressions
        for one in item.find_all(exp.Explode)
        if one.parent_select is select
    ]
    if not found:
        return tree
    places = [f"_list{n}" for n in range(len(found))]
    unpacked = [
        item
        for item in select.expressions
        if any(one.find_ancestor(type(item)) is item or one is item for one in found)
    ]
    packed = [item for item in select.expressions if all(item is not one for one in unpacked)]
    # A star of the outer SELECT stands for the inner columns that it does not name.
    others = [*places, *(item.alias_or_name for item in packed if not item.is_star)]
    star = exp.Column(
        this=exp.Star(except_=[exp.to_identifier(name) for name in others]),
        table=exp.to_identifier("_packed"),
    )
    inner_items = [item.copy() for item in packed]
    outer_items = list(select.expressions)
    for place, item in enumerate(outer_items):
        if all(item is not one for one in unpacked):
            outer_items[place] = star if item.is_star else exp.column(item.alias_or_name)
    values = [f"_value{n}" for n in range(len(found))]
    lists = [exp.alias_(one.this.copy(), name) for one, name in zip(found, places, strict=True)]
    for one, name in zip(found, values, strict=True):
        one.replace(exp.column(name, table="_unpacked"))
    inner, kept = _inner(select)
    inner.set("expressions", [*inner_items, *lists])
    outer = exp.Select(
        expressions=[item.copy() for item in outer_items],
        from_=exp.From(this=inner.subquery("_packed")),
        laterals=[
            exp.Lateral(
                this=fill("inline(arrays_zip(" + ", ".join(places) + "))"),
                view=True,
                alias=exp.TableAlias(
                    this=exp.to_identifier("_unpacked"),
                    columns=[exp.to_identifier(name) for name in values],
                ),
            )
        ],
        **kept,
    )
    return _put(tree, select, outer)
