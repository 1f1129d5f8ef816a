"""Single functions, operators and types that Spark names or defines otherwise."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlglot import exp

from tracker.extras.spark.aggregates import fields
from tracker.extras.spark.instants import FAR
from tracker.extras.spark.trees import changed, fill

_INFINITE = {"infinity": FAR, "-infinity": "0001-01-01"}
_INTEGERS = ("bigint", "int", "smallint", "tinyint")


def rewrite(
    tree: Any, variables: Mapping[str, Any], parameters: Mapping[str, Any], dates: frozenset[str]
) -> Any:
    """Rewrite the expressions of a query that mean something else in Spark, or nothing."""
    known = _dates(tree, dates)
    for bracket in tree.find_all(exp.Bracket):
        _count_from_zero(bracket)

    def one(node: Any) -> Any:
        if isinstance(node, exp.Sub) and _are_dates(node, known):
            return fill("datediff(:until, :since)", until=node.left, since=node.right)
        if isinstance(node, exp.Placeholder) and node.name in parameters:
            return exp.convert(parameters[node.name])
        return _expression(node, variables)

    return changed(tree, one)


def _expression(node: Any, variables: Mapping[str, Any]) -> Any:
    if isinstance(node, exp.Anonymous):
        name = node.name.lower()
        if name == "getvariable":
            return _literal(variables.get(node.expressions[0].name))
        if name in _FUNCTIONS:
            return _FUNCTIONS[name](*node.expressions)
    found = _NODES.get(type(node))
    return node if found is None else found(node)


def _literal(value: Any) -> Any:
    if value is None:
        return exp.Null()
    if isinstance(value, datetime):
        return exp.cast(exp.Literal.string(value.isoformat(sep=" ")), "timestamptz")
    return exp.Literal.string(str(value))


def _number(node: Any) -> Any:
    """Make doubles of decimal fractions, and instants of what DuckDB takes for infinite ones."""
    if node.is_string and node.name.lower() in _INFINITE:
        is_number = isinstance(node.parent, exp.Cast) and node.parent.to.is_type("double")
        return node if is_number else exp.Literal.string(_INFINITE[node.name.lower()])
    if not node.is_string and ("." in node.this or "e" in node.this.lower()):
        return exp.Cast(this=exp.Literal.string(node.this), to=exp.DataType.build("double"))
    return node


def _divided(node: Any) -> Any:
    """Divide as doubles: by zero that is infinity, or no number, and not an error."""
    if _is_not_zero(node.right):
        return fill("cast(:a as double) / cast(:b as double)", a=node.left, b=node.right)
    return fill(
        "if(:b = 0, cast(:a as double) * cast('infinity' as double), "
        "cast(:a as double) / cast(:b as double))",
        a=exp.paren(node.left),
        b=exp.paren(node.right),
    )


def _divided_whole(node: Any) -> Any:
    """What is divided by zero without a fraction is NULL."""
    if not _is_not_zero(node.expression):
        node.set("expression", fill("nullif(:b, 0)", b=node.expression))
    return node


def _is_not_zero(value: Any) -> bool:
    value = value.unnest()
    if isinstance(value, exp.Nullif):
        return True
    while isinstance(value, exp.Cast):
        value = value.this
    return isinstance(value, exp.Literal) and float(value.this) != 0


def _cast(node: Any) -> Any:
    kind, value = node.to, node.this
    if kind.is_type("int128", "uint128"):
        return exp.cast(value, exp.DataType.build("decimal(38, 0)"))
    if kind.is_type("json"):
        return exp.cast(value, "string")
    if kind.is_type("utinyint"):
        return exp.cast(value, "smallint")
    if kind.is_type(*_INTEGERS) and _may_be_fraction(value):
        node.set("this", fill("bround(:value)", value=value))
    if kind.is_type("text", "varchar"):
        return _text(value)
    return node


def _tried(node: Any) -> Any:
    """Round what is a number; a text that is none stays NULL."""
    if node.to.is_type(*_INTEGERS):
        node.set("this", fill("bround(try_cast(:value as double))", value=node.this))
    return node


def _may_be_fraction(value: Any) -> bool:
    """Whether a value may be a number with a fraction, which DuckDB rounds and Spark cuts off."""
    value = value.unnest()
    if isinstance(value, exp.If):
        value = value.args["true"].unnest()
    if isinstance(value, exp.Column):
        return not value.name.startswith(("is_", "has_"))
    return not isinstance(
        value, (exp.Boolean, exp.Connector, exp.Count, exp.Literal, exp.Not)
    ) and (not isinstance(value, exp.Predicate))


def _text(value: Any) -> Any:
    """Write a number as DuckDB does: 1e-05 and 12345678.0, where Java has 1.0E-5, 1.2345678E7."""
    if value.is_string:
        return value
    return fill(
        "if(typeof(:value) = 'double', "
        "case when :text not like '%E%' then lower(replace(:text, 'Infinity', 'inf')) "
        "when abs(cast(:text as double)) >= 1e-4 and abs(cast(:text as double)) < 1e16 "
        "then regexp_replace(regexp_replace(cast(cast(:text as decimal(38, 20)) as string), "
        "'0+$', ''), '[.]$', '.0') "
        "else regexp_replace(regexp_replace(regexp_replace(regexp_replace(:text, "
        "'[.]0E', 'E'), 'E([0-9])', 'e+$1'), 'E-', 'e-'), 'e([+-])([0-9])$', 'e$10$2') end, "
        ":text)",
        value=value,
        text=exp.cast(value, "string"),
    )


# What may be a number among the parts of a text.
_NUMERIC = (exp.Binary, exp.Coalesce, exp.Column, exp.Neg, exp.Round)


def _concatenated(node: Any) -> Any:
    return exp.Concat(
        expressions=[_text(one) if isinstance(one, _NUMERIC) else one for one in node.expressions],
        safe=node.args.get("safe"),
        coalesce=node.args.get("coalesce"),
    )


def _row(*values: Any) -> Any:
    places = ", ".join(f"'f{n}', :f{n}" for n in range(len(values)))
    return fill(f"named_struct({places})", **{f"f{n}": one for n, one in enumerate(values)})


def _tuple(node: Any) -> Any:
    """Rows are compared as structs, except with the rows of a subquery or a list."""
    if isinstance(node.parent, (exp.In, exp.Values)):
        return node
    return _row(*(fields(node) or ()))


def _object(node: Any) -> Any:
    names = [pair.this.name for pair in node.expressions]
    places = ", ".join(f"'{name}', :f{n}" for n, name in enumerate(names))
    return fill(
        f"to_json(named_struct({places}), map('ignoreNullFields', 'false'))",
        **{f"f{n}": pair.expression for n, pair in enumerate(node.expressions)},
    )


def _replaced(node: Any) -> Any:
    """DuckDB replaces the first match unless told 'g', Spark every one."""
    pattern, replacement = node.expression, node.args.get("replacement")
    modifiers = node.args.get("modifiers")
    raw = replacement.this
    if replacement.is_string:
        replacement.set("this", _group_marks(raw))
    if modifiers is not None and "g" in modifiers.name:
        node.set("modifiers", None)
        return node
    is_anchored = pattern.is_string and (
        pattern.this.startswith("^") or (pattern.this.endswith("$") and "|" not in pattern.this)
    )
    if is_anchored:
        return node
    # The part before the first match is kept; the match is the second group.
    return fill(
        "regexp_replace(:subject, concat('^([\\\\s\\\\S]*?)(', :pattern, ')'), "
        "concat('$1', :replacement))",
        subject=node.this,
        pattern=pattern,
        replacement=exp.Literal.string(_group_marks(raw, 2))
        if replacement.is_string
        else replacement,
    )


def _group_marks(text: str, by: int = 0) -> str:
    r"""Write the groups of a replacement as Java does: `$1` for `\1`."""
    written, at = "", 0
    while at < len(text):
        if text[at] in "\\$" and at + 1 < len(text) and text[at + 1].isdigit():
            written += f"${int(text[at + 1]) + by}"
            at += 2
        else:
            written += text[at]
            at += 1
    return written


def _log2(value: Any) -> Any:
    """Exact for powers of two, as in C: Spark divides two logarithms."""
    return fill(
        "if(pow(2, rint(log2(:value))) = :value, rint(log2(:value)), log2(:value))", value=value
    )


def _moved(node: Any) -> Any:
    """Add months or years to a date by the calendar."""
    for date, period in ((node.left, node.right), (node.right, node.left)):
        if isinstance(period, exp.Anonymous) and period.name.lower() in ("to_months", "to_years"):
            template = "add_months(:date, :number)"
            if period.name.lower() == "to_years":
                template = "add_months(:date, 12 * :number)"
            return fill(template, date=date, number=period.expressions[0])
    return node


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "epoch_us": lambda value: fill("unix_micros(:value)", value=value),
    "isinf": lambda value: _is_infinite(value),
    "list_position": lambda values, value: fill(
        "nullif(array_position(:list, :value), 0)", list=values, value=value
    ),
    "nextafter": lambda value, other: _next(value, other),
    "row": _row,
    "to_months": lambda number: fill("make_ym_interval(0, :number)", number=number),
    "to_years": lambda number: fill("make_ym_interval(:number, 0)", number=number),
    "suffix": lambda value, end: fill("endswith(:value, :end)", value=value, end=end),
}


def _is_infinite(value: Any) -> Any:
    return fill(f"cast(:value as string) in ('Infinity', '-Infinity', '{FAR}')", value=value)


def _next(value: Any, other: Any) -> Any:
    return fill(
        "cast(reflect('java.lang.Math', 'nextAfter', :value, :other) as double)",
        value=value,
        other=other,
    )


def _count_from_zero(bracket: Any) -> None:
    """Let the place in a list count from 0, as the parser does where it knows a whole number."""
    (part,) = bracket.expressions
    is_counted = part.type is None or not part.is_type("unknown")
    if not is_counted and not isinstance(part, exp.Slice):
        bracket.set("expressions", [exp.Sub(this=exp.paren(part), expression=exp.convert(1))])


def _sliced(node: Any) -> Any:
    """`list[2:3]` has the second and the third, as slice(list, 2, 2)."""
    (part,) = node.expressions
    if part.is_string:
        return node
    if not isinstance(part, exp.Slice):
        # Beyond the end there is nothing, and no error.
        return fill("get(:list, cast(:place as int))", list=node.this, place=part)
    start = part.this or exp.Literal.number(1)
    end = part.expression or fill("size(:list)", list=node.this)
    return fill("slice(:list, :start, :until - :start + 1)", list=node.this, start=start, until=end)


_NODES: dict[type, Callable[[Any], Any]] = {
    exp.Add: _moved,
    exp.ArrayDistinct: lambda node: fill("array_compact(array_distinct(:list))", list=node.this),
    exp.Bracket: _sliced,
    exp.Cast: _cast,
    exp.Concat: _concatenated,
    exp.Div: _divided,
    exp.IntDiv: _divided_whole,
    exp.IsInf: lambda node: _is_infinite(node.this),
    exp.JSONObject: _object,
    exp.Literal: _number,
    exp.Mod: _divided_whole,
    exp.RegexpReplace: _replaced,
    exp.TryCast: _tried,
    exp.Tuple: _tuple,
    exp.UnixToTime: lambda node: fill("timestamp_micros(:value)", value=node.this),
}


def _dates(tree: Any, dates: frozenset[str]) -> frozenset[str]:
    """Return the names of dates: of columns known to be, and of what the query makes of them."""
    known = set(dates)
    while True:
        found = {
            alias.alias.lower() for alias in tree.find_all(exp.Alias) if _is_date(alias.this, known)
        }
        if found <= known:
            return frozenset(known)
        known |= found


def _are_dates(difference: Any, known: frozenset[str]) -> bool:
    left, right = difference.left, difference.right
    is_period = isinstance(right, (exp.Interval, exp.Literal))
    return not is_period and (_is_date(left, known) or _is_date(right, known))


def _is_date(node: Any, known: frozenset[str] | set[str]) -> bool:
    node = node.unnest()
    if isinstance(node, exp.Column):
        return node.name.lower() in known
    if isinstance(node, exp.Cast):
        return bool(node.to.is_type("date"))
    if isinstance(node, exp.If):
        return _is_date(node.args["true"], known)
    if isinstance(node, exp.Case):
        return _is_date(node.args["ifs"][0].args["true"], known)
    if isinstance(node, _KEEPING):
        return _is_date(node.this, known)
    return isinstance(node, exp.CurrentDate)


_KEEPING = (
    exp.AnyValue,
    exp.ArgMax,
    exp.ArgMin,
    exp.Coalesce,
    exp.Filter,
    exp.FirstValue,
    exp.Greatest,
    exp.IgnoreNulls,
    exp.Lag,
    exp.LastValue,
    exp.Lead,
    exp.Least,
    exp.Max,
    exp.Min,
    exp.Window,
)
