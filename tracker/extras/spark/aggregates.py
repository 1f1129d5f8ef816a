"""Aggregates that Spark lacks or computes in no fixed order."""

from typing import Any

from sqlglot import exp

from tracker.extras.spark.trees import changed, fill, innermost

# The sum of a list from the first value to the last, without NULLs; NULL if there is none.
_SUM = (
    "aggregate(:list, cast(null as double), "
    "(total, value) -> coalesce(total + value, value, total))"
)
# The place, from 1, of the first of the ascending `:ends` that is at least `:value`.
_PLACE = (
    "aggregate(sequence(1, 32), named_struct('low', 1, 'high', size(:ends) + 1), "
    "(known, step) -> if(known.low >= known.high, known, "
    "if(get(:ends, shiftright(known.low + known.high, 1) - 1) >= :value, "
    "named_struct('low', known.low, 'high', shiftright(known.low + known.high, 1)), "
    "named_struct('low', shiftright(known.low + known.high, 1) + 1, 'high', known.high))), "
    "known -> known.low)"
)


def rewrite(tree: Any) -> Any:
    """Rewrite a query's aggregates."""
    for select in innermost(tree, exp.Select):
        _histograms(select)
    return changed(tree, _aggregate)


def _aggregate(node: Any) -> Any:
    if isinstance(node, exp.Anonymous) and node.name.lower() == "list_sum":
        values = exp.cast(node.expressions[0], exp.DataType.build("array<double>", dialect="spark"))
        return fill(_SUM, list=values)
    condition = node.expression if isinstance(node, exp.Filter) else None
    aggregate = node.this if condition else node
    if condition is None and isinstance(node.parent, exp.Filter):
        # It is rewritten with the filter around it.
        return node
    if isinstance(aggregate, exp.ArrayAgg):
        # Without rows DuckDB returns NULL, not an empty list.
        return fill("nullif(:list, array())", list=_list(aggregate.this, condition))
    if isinstance(aggregate, (exp.Max, exp.Min)) and aggregate.args.get("count"):
        ascending = exp.Boolean(this=isinstance(aggregate, exp.Min))
        rows = _filtered(fill("collect_list(:value)", value=aggregate.this), condition)
        return fill(
            "slice(sort_array(:list, :ascending), 1, :count)",
            list=rows,
            ascending=ascending,
            count=aggregate.args["count"],
        )
    if isinstance(aggregate, (exp.ArgMax, exp.ArgMin)):
        return _extreme(aggregate, condition)
    return node


def _extreme(aggregate: Any, condition: Any) -> Any:
    """Ignore rows in which the value to return is NULL, as DuckDB does and Spark does not."""
    known = exp.Is(this=aggregate.this.copy(), expression=exp.Null()).not_()
    where = exp.and_(condition.this, known) if condition else known
    return exp.Filter(this=aggregate.copy(), expression=exp.Where(this=where))


def _list(value: Any, condition: Any) -> Any:
    """Return the list of an aggregate's values, NULLs included, in its order.

    The keys of the order must all ascend or all descend.
    """
    keys = []
    if isinstance(value, exp.Order):
        value, keys = value.this, value.expressions
    if isinstance(value, exp.Distinct):
        rows = fill("collect_list(named_struct('v', :v))", v=value.expressions[0])
        return fill("array_distinct(:rows.v)", rows=_filtered(rows, condition))
    is_down = any(key.args.get("desc") for key in keys)
    # A flag before each key says whether it is NULL, which puts NULLs first or last as asked.
    flags = [
        "is null" if bool(key.args.get("nulls_first")) == is_down else "is not null" for key in keys
    ]
    places = "".join(f"'n{n}', :k{n} {flag}, 'k{n}', :k{n}, " for n, flag in enumerate(flags))
    rows = fill(
        f"collect_list(named_struct({places}'v', :v))",
        v=value,
        **{f"k{n}": key.this for n, key in enumerate(keys)},
    )
    # Not by a function with a lambda, which may contain no subquery.
    return fill(
        "sort_array(:rows, :up).v",
        rows=_filtered(rows, condition),
        up=exp.Boolean(this=not is_down),
    )


def _filtered(rows: Any, condition: Any) -> Any:
    return rows if condition is None else exp.Filter(this=rows, expression=condition.copy())


def _histograms(select: Any) -> None:
    """Replace histogram(), which Spark lacks, by grouping twice.

    The histogram must be the only aggregate of its SELECT.
    """
    found = [
        one
        for one in select.find_all(exp.Anonymous)
        if one.name.lower() == "histogram" and one.parent_select is select
    ]
    if not found:
        return
    (histogram,) = found
    value, *bounds = histogram.expressions
    group = select.args.get("group")
    keys = [key.copy() for key in group.expressions] if group else []
    names = [f"_k{n}" for n in range(len(keys))]
    # A function with a lambda may contain no subquery, so the ends are a column.
    given = select.copy()
    given.set("with_", None)
    given.set("group", None)
    given.set(
        "expressions",
        [
            *(exp.alias_(key, name) for key, name in zip(keys, names, strict=True)),
            exp.alias_(value.copy(), "_given"),
            *(exp.alias_(fill("sort_array(:ends)", ends=ends), "_ends") for ends in bounds),
        ],
    )
    place = fill("get(:ends, " + _PLACE + " - 1)", ends=_ENDS, value=_GIVEN)
    counted = exp.select(
        *names,
        exp.alias_(place if bounds else _GIVEN.copy(), "_value"),
        exp.alias_(exp.Count(this=exp.Star()), "_n"),
        *(["first(_ends) as _ends"] if bounds else []),
        dialect="spark",
    )
    counted = counted.from_(given.subquery("_source")).where("_given is not null")
    counted = counted.group_by(*names, "_value")
    entries = fill(
        "map_from_entries(array_sort(collect_list(named_struct('key', _value, 'value', _n)) "
        "filter (where _value is not null)))"
    )
    if bounds:
        entries = fill(
            "map_from_entries(transform(first(_ends), edge -> named_struct("
            "'key', edge, 'value', coalesce(try_element_at(:counts, edge), 0))))",
            counts=entries,
        )
    histogram.replace(entries)
    by_text = {key.sql(): name for key, name in zip(keys, names, strict=True)}
    for item in select.expressions:
        name = by_text.get(item.unalias().sql())
        if name is not None:
            item.replace(exp.alias_(exp.column(name), item.alias_or_name))
    select.set("from_", exp.From(this=counted.subquery("_counted")))
    for part in ("joins", "laterals", "where"):
        select.set(part, None)
    select.set(
        "group", exp.Group(expressions=[exp.column(name) for name in names]) if names else None
    )


_GIVEN, _ENDS = exp.column("_given"), exp.column("_ends")
