"""The parts of a SELECT around its expressions: joins, lists as rows, names, windows."""

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from tracker.errors import InputRefused
from tracker.extras.spark.aggregates import keys_of
from tracker.extras.spark.trees import fill, innermost


def rewrite(tree: Any, columns: Mapping[str, list[str]]) -> Any:
    """Rewrite the clauses of each SELECT that Spark lacks; `columns` names those of a relation."""
    for cte in tree.find_all(exp.CTE):
        cte.set("materialized", None)
    for union in innermost(tree, exp.SetOperation):
        _by_name(union, columns)
    for select in innermost(tree, exp.Select):
        _distinct_on(select)
        _windows(select)
        _asof_joins(select)
    for ordered in innermost(tree, exp.Ordered):
        _by_fields(ordered)
    for select in innermost(tree, exp.Select):
        tree = _qualified(tree, select)
    return tree


def unpack(tree: Any) -> Any:
    """Rewrite lists that a SELECT unpacks into rows, and queries that read themselves."""
    for select in innermost(tree, exp.Select):
        tree = _unpacked(tree, select)
    _walks(tree)
    return tree


def _by_fields(ordered: Any) -> None:
    """Order by each field of a row: NULLs are then last within each, as in DuckDB."""
    keys = keys_of(ordered)
    if len(keys) > 1:
        parent = ordered.parent
        at = parent.expressions.index(ordered)
        parent.set("expressions", [*parent.expressions[:at], *keys, *parent.expressions[at + 1 :]])


def _distinct_on(select: Any) -> None:
    """Keep the first row of each key by its number."""
    distinct = select.args.get("distinct")
    keys = distinct.args.get("on") if distinct is not None else None
    if keys is None:
        return
    partition = [key.copy() for key in keys.expressions]
    order = select.args.get("order") or exp.Order(
        expressions=[exp.Ordered(this=key.copy(), nulls_first=False) for key in partition]
    )
    number = exp.Window(this=exp.RowNumber(), partition_by=partition, order=order.copy())
    select.set("distinct", None)
    select.set("order", None)
    select.set("qualify", exp.Qualify(this=exp.EQ(this=number, expression=exp.Literal.number(1))))


def _windows(select: Any) -> None:
    """Write each named window out where it is used."""
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


def _asof_joins(select: Any) -> None:
    """Join each row with an interval: from one row's key to the next one's."""
    for join in select.args.get("joins") or []:
        if str(join.args.get("method") or "").upper() != "ASOF":
            continue
        right = join.this
        name = right.alias_or_name
        equal, bound = [], None
        on = join.args["on"]
        for part in on.flatten() if isinstance(on, exp.And) else [on]:
            if isinstance(part, exp.EQ):
                equal.append(next(one for one in (part.left, part.right) if one.table == name))
            else:
                bound = part
        if not isinstance(bound, (exp.GTE, exp.GT, exp.LTE, exp.LT)):
            raise InputRefused("an asof join needs one inequality")
        on_right = bound.right.table == name
        key, other = (bound.right, bound.left) if on_right else (bound.left, bound.right)
        # Whether the row with the largest key that is not larger is wanted, or the reverse.
        is_before = isinstance(bound, (exp.GTE, exp.GT)) == on_right
        order = exp.Ordered(this=exp.column(key.name), desc=not is_before, nulls_first=True)
        following = exp.Window(
            this=fill("lead(:key)", key=exp.column(key.name)),
            partition_by=[exp.column(one.name) for one in equal],
            order=exp.Order(expressions=[order]),
        )
        numbered = (
            exp.select("*", exp.alias_(following, "_following"))
            .from_(exp.to_table(right.name) if isinstance(right, exp.Table) else right.copy())
            .subquery(name)
        )
        beyond = {exp.GTE: exp.LT, exp.GT: exp.LTE, exp.LTE: exp.GT, exp.LT: exp.GTE}[type(bound)]
        limit = exp.column("_following", table=name)
        left_first = (other.copy(), limit) if on_right else (limit, other.copy())
        within = beyond(this=left_first[0], expression=left_first[1])
        last = exp.Is(this=limit.copy(), expression=exp.Null())
        join.set("this", numbered)
        join.set("method", None)
        join.set("on", exp.and_(on.copy(), exp.or_(within, last)))


def _by_name(union: Any, columns: Mapping[str, list[str]]) -> None:
    """Put the columns of the second SELECT in the order of the first's, NULL where it lacks one."""
    if not union.args.get("by_name"):
        return
    first: Any = union
    while isinstance(first, exp.SetOperation):
        first = first.left
    names = _names(first, columns)
    right = union.right
    if isinstance(right, exp.SetOperation):
        raise InputRefused("union by name needs a SELECT on its right")
    by_name = dict(zip(_names(right, columns), _items(right, columns), strict=True))
    if not by_name.keys() <= set(names):
        raise InputRefused("union by name needs all columns on its left side")
    missing = {name: exp.alias_(exp.Null(), name) for name in names}
    right.set("expressions", [{**missing, **by_name}[name] for name in names])
    union.set("by_name", None)


def _names(select: Any, columns: Mapping[str, list[str]]) -> list[str]:
    return [item.alias_or_name.lower() for item in _items(select, columns)]


def _items(select: Any, columns: Mapping[str, list[str]]) -> list[Any]:
    if not any(isinstance(item, exp.Star) for item in select.expressions):
        return list(select.expressions)
    source = select.args["from_"].this
    known = columns.get(source.name.lower()) if isinstance(source, exp.Table) else None
    if known is None or len(select.expressions) > 1 or select.args.get("joins"):
        raise InputRefused("union by name needs its columns named")
    return [exp.column(name) for name in known]


def _qualified(tree: Any, select: Any) -> Any:
    """Compute the condition of QUALIFY as a column, and keep the rows in which it holds."""
    qualify = select.args.get("qualify")
    if qualify is None:
        return tree
    named = {
        item.alias.lower(): item.this
        for item in select.expressions
        if isinstance(item, exp.Alias) and item.find(exp.Window)
    }
    for column in list(qualify.find_all(exp.Column)):
        if not column.table and column.name.lower() in named:
            column.replace(exp.paren(named[column.name.lower()].copy()))
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
    """Return a SELECT without what applies to its rows as a whole, and those parts."""
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
    """Unpack the lists of a SELECT side by side: compute them first, then a row per place.

    Spark takes one such function in a SELECT, and none inside an expression.
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
    # A star stands for all that was packed but what has places of its own.
    others = [*places, *(item.alias_or_name for item in packed if not item.is_star)]
    star = exp.Column(
        this=exp.Star(except_=[exp.to_identifier(name) for name in others]),
        table=exp.to_identifier("_packed"),
    )
    inner_items = [item.copy() for item in packed]
    outer_items = [
        item
        if any(item is one for one in unpacked)
        else star.copy()
        if item.is_star
        else exp.column(item.alias_or_name)
        for item in select.expressions
    ]
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


def _walks(tree: Any) -> None:
    """Let a recursive query remember the rows on its way, since Spark takes UNION ALL alone.

    A row that is already on its own way is not visited again, so that circles end.
    """
    for with_ in list(tree.find_all(exp.With)):
        if not with_.args.get("recursive"):
            continue
        ctes = []
        for cte in with_.expressions:
            body = cte.this
            if not isinstance(body, exp.Union) or not body.args.get("distinct"):
                ctes.append(cte)
                continue
            reads = [table for table in body.right.find_all(exp.Table) if table.name == cte.alias]
            if not reads:
                ctes.append(cte)
                continue
            ctes.extend(_walk(cte, body, reads))
        with_.set("expressions", ctes)


def _walk(cte: Any, body: Any, reads: list[Any]) -> list[Any]:
    name, walk = cte.alias, f"_walk_{cte.alias}"
    names = [item.alias_or_name for item in body.left.expressions]
    read = reads[0]
    alias = read.alias_or_name
    read.replace(exp.alias_(exp.to_table(walk), alias, table=True))
    before = exp.column("_way", table=alias)
    for select, template in (
        (body.left, "array(:row)"),
        (body.right, "concat(:before, array(:row))"),
    ):
        row = fill(
            "named_struct(" + ", ".join(f"'f{n}', :f{n}" for n in range(len(names))) + ")",
            **{f"f{n}": item.unalias() for n, item in enumerate(select.expressions)},
        )
        if select is body.right:
            select.where(
                fill("not array_contains(:before, :row)", before=before, row=row), copy=False
            )
        select.append("expressions", exp.alias_(fill(template, before=before, row=row), "_way"))
    body.set("distinct", False)
    walked = exp.CTE(this=body.copy(), alias=exp.TableAlias(this=exp.to_identifier(walk)))
    seen = exp.select(*names).distinct().from_(walk)
    return [walked, exp.CTE(this=seen, alias=exp.TableAlias(this=exp.to_identifier(name)))]
