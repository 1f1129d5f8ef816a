"""Aggregates that Spark lacks, or computes in no certain order."""

from typing import Any

from sqlglot import exp

from tracker.extras.spark.trees import changed, fill, innermost

# Adds, or multiplies, the values of a list from the first to the last; NULL for none.
_SUM = (
    "aggregate(:list, cast(null as double), "
    "(total, value) -> coalesce(total + value, value, total))"
)
_PRODUCT = (
    "aggregate(:list, cast(null as double), "
    "(total, value) -> coalesce(total * value, value, total))"
)
_MEAN = f"{_SUM} / nullif(size(filter(:list, value -> value is not null)), 0)"
# Their last digits depend on the order, no more.
_UNORDERED = (exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance, exp.VariancePop, exp.Corr)
_INNER_PRODUCT = (
    "aggregate(zip_with(:a, :b, (left, right) -> cast(left as double) * cast(right as double)), "
    "cast(0 as double), (total, value) -> total + value)"
)
_FOLDED = {"list_sum": _SUM, "list_product": _PRODUCT}
# The number of the first of the ascending `:ends` that is not less than `:value`, from 1.
_PLACE = (
    "aggregate(sequence(1, 32), named_struct('low', 1, 'high', size(:ends) + 1), "
    "(known, step) -> if(known.low >= known.high, known, "
    "if(get(:ends, shiftright(known.low + known.high, 1) - 1) >= :value, "
    "named_struct('low', known.low, 'high', shiftright(known.low + known.high, 1)), "
    "named_struct('low', shiftright(known.low + known.high, 1) + 1, 'high', known.high))), "
    "known -> known.low)"
)


def rewrite(tree: Any) -> Any:
    """Rewrite a query's aggregates; a filter of a windowed one becomes a condition."""
    for select in innermost(tree, exp.Select):
        _histograms(select)
    return changed(changed(tree, _windowed), _aggregate)


def _windowed(node: Any) -> Any:
    """Spark filters no aggregate over a window: leave out the values instead of the rows."""
    if not (isinstance(node, exp.Window) and isinstance(node.this, exp.Filter)):
        return node
    aggregate, condition = node.this.this, node.this.expression.this
    value = aggregate.this
    if isinstance(value, exp.Star):
        value = exp.Literal.number(1)
    aggregate.set("this", exp.If(this=condition, true=value, false=exp.Null()))
    node.set("this", aggregate)
    return node


def _aggregate(node: Any) -> Any:
    if isinstance(node, exp.Anonymous) and node.name.lower() in _FOLDED:
        return fill(_FOLDED[node.name.lower()], list=_as_double(node.expressions[0]))
    if isinstance(node, exp.Anonymous) and node.name.lower() == "list_inner_product":
        return fill(_INNER_PRODUCT, a=node.expressions[0], b=node.expressions[1])
    over = node if isinstance(node, exp.Window) else None
    inner = node.this if over else node
    condition = inner.expression if isinstance(inner, exp.Filter) else None
    aggregate = inner.this if condition else inner
    if over is None and condition is None and isinstance(node.parent, (exp.Filter, exp.Window)):
        # Rewritten with what it stands in.
        return node

    def gathered(value: Any, order: list[Any], *, is_list: bool = False) -> Any:
        if is_list and not order:
            is_distinct = isinstance(value, exp.Distinct)
            one = value.expressions[0] if is_distinct else value
            rows = fill("collect_list(named_struct('v', :value))", value=one)
            template = "array_distinct(:rows.v)" if is_distinct else ":rows.v"
            return fill(template, rows=_around(rows, condition, over))
        return _list(value, order, condition, over)

    value, order = aggregate.this, []
    if isinstance(value, exp.Order):
        value, order = value.this, value.expressions
    if isinstance(aggregate, exp.Sum) and order:
        return fill(_SUM, list=gathered(_double(value), order))
    if isinstance(aggregate, exp.Avg) and order:
        return fill(_MEAN, list=gathered(_double(value), order))
    if isinstance(aggregate, exp.Anonymous) and aggregate.name.lower() == "product":
        return fill(_PRODUCT, list=gathered(_double(aggregate.expressions[0]), []))
    if isinstance(aggregate, exp.ArrayAgg):
        # Of no rows DuckDB makes no list, and it keeps what is NULL.
        return fill("nullif(:list, array())", list=gathered(value, order, is_list=True))
    if isinstance(aggregate, (exp.Max, exp.Min)) and aggregate.args.get("count"):
        ascending = exp.Boolean(this=isinstance(aggregate, exp.Min))
        return fill(
            "slice(sort_array(:list, :ascending), 1, :count)",
            list=gathered(value, []),
            ascending=ascending,
            count=aggregate.args["count"],
        )
    if isinstance(aggregate, (exp.ArgMax, exp.ArgMin)):
        return _extreme(node, aggregate, condition)
    if isinstance(value, exp.Expression) and order and isinstance(aggregate, _UNORDERED):
        aggregate.set("this", value)
    return node


def _extreme(node: Any, aggregate: Any, condition: Any) -> Any:
    """DuckDB leaves out rows in which the value is NULL, Spark only those without a rank."""
    known = exp.Is(this=aggregate.this.copy(), expression=exp.Null()).not_()
    where = exp.and_(condition.this, known) if condition else known
    filtered = exp.Filter(this=aggregate.copy(), expression=exp.Where(this=where))
    if isinstance(node, exp.Window):
        return node
    return filtered


def _list(value: Any, order: list[Any], condition: Any, over: Any) -> Any:
    """Return the list of an aggregate's values, ordered as it says."""
    if not order:
        return _around(fill("collect_list(:value)", value=value), condition, over)
    keys = [item for ordered in order for item in keys_of(ordered)]
    downward = {bool(key.args.get("desc")) for key in keys}
    if len(downward) > 1:
        return _compared(value, keys, condition, over)
    (is_down,) = downward
    # Before each key stands whether it is NULL, so that these come where they are wanted.
    flags = [
        "is null" if bool(key.args.get("nulls_first")) == is_down else "is not null" for key in keys
    ]
    places = ", ".join(f"'n{n}', :k{n} {flag}, 'k{n}', :k{n}" for n, flag in enumerate(flags))
    rows = fill(
        f"collect_list(named_struct({places}, 'v', :v))",
        v=value,
        **{f"k{n}": key.this for n, key in enumerate(keys)},
    )
    ascending = exp.Boolean(this=not is_down)
    # Without functions of lists that take functions: these may contain no subquery.
    return fill("sort_array(:rows, :up).v", rows=_around(rows, condition, over), up=ascending)


def _compared(value: Any, keys: list[Any], condition: Any, over: Any) -> Any:
    """Return the list of values ordered by keys of which some ascend and some descend."""
    places = ", ".join(f"'k{n}', :k{n}" for n in range(len(keys)))
    rows = fill(
        f"collect_list(named_struct({places}, 'v', :v))",
        v=value,
        **{f"k{n}": key.this for n, key in enumerate(keys)},
    )
    compared = " ".join(
        f"when l.k{n} is null and r.k{n} is not null then {'-1' if first else '1'} "
        f"when r.k{n} is null and l.k{n} is not null then {'1' if first else '-1'} "
        f"when l.k{n} {'>' if is_down else '<'} r.k{n} then -1 "
        f"when l.k{n} {'<' if is_down else '>'} r.k{n} then 1"
        for n, key in enumerate(keys)
        for first, is_down in [(bool(key.args.get("nulls_first")), bool(key.args.get("desc")))]
    )
    return fill(
        f"array_sort(:rows, (l, r) -> case {compared} else 0 end).v",
        rows=_around(rows, condition, over),
    )


def keys_of(ordered: Any) -> list[Any]:
    """Return an ordering by a row of values as orderings by each of them."""
    values = fields(ordered.this)
    if values is None:
        return [ordered]
    return [
        exp.Ordered(
            this=value,
            desc=ordered.args.get("desc"),
            nulls_first=ordered.args.get("nulls_first"),
        )
        for value in values
    ]


def fields(node: Any) -> list[Any] | None:
    """Return the values of `row(...)` or `(..., ...)`, None for anything else."""
    if isinstance(node, exp.Anonymous) and node.name.lower() == "row":
        return list(node.expressions)
    if isinstance(node, exp.Tuple):
        return list(node.expressions)
    return None


def _around(aggregate: Any, condition: Any, over: Any) -> Any:
    if condition is not None:
        aggregate = exp.Filter(this=aggregate, expression=condition.copy())
    if over is not None:
        window = over.copy()
        window.set("this", aggregate)
        return window
    return aggregate


def _histograms(select: Any) -> None:
    """Count equal values by grouping twice, since Spark has no function that does.

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
    # A subquery may not stand inside the functions of lists, so the ends are a column.
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


def _double(value: Any) -> Any:
    return exp.cast(value.copy(), "double")


def _as_double(values: Any) -> Any:
    return exp.cast(values.copy(), exp.DataType.build("array<double>", dialect="spark"))
