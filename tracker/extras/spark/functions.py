"""Functions, operators and types that Spark names or defines differently."""

from collections.abc import Callable, Mapping
from typing import Any

from sqlglot import exp

from tracker.extras.spark.trees import changed, fill

# Spark has no infinite instant; this is later than any in a store.
FAR = "9999-12-31 23:59:59.999999"
_INFINITE = {"infinity": FAR, "-infinity": "0001-01-01"}
_INTEGERS = ("bigint", "int", "smallint", "tinyint")


def rewrite(tree: Any, parameters: Mapping[str, Any]) -> Any:
    """Rewrite expressions that Spark reads differently or not at all, and fill in `parameters`."""
    for bracket in tree.find_all(exp.Bracket):
        _count_from_zero(bracket)

    def one(node: Any) -> Any:
        if isinstance(node, exp.Placeholder) and node.name in parameters:
            return exp.convert(parameters[node.name])
        if isinstance(node, exp.Anonymous) and node.name.lower() in _FUNCTIONS:
            return _FUNCTIONS[node.name.lower()](*node.expressions)
        found = _NODES.get(type(node))
        return node if found is None else found(node)

    return changed(tree, one)


def _number(node: Any) -> Any:
    """Make decimal fractions doubles, and infinite instants finite ones."""
    if node.is_string and node.name.lower() in _INFINITE:
        is_number = isinstance(node.parent, exp.Cast) and node.parent.to.is_type("double")
        return node if is_number else exp.Literal.string(_INFINITE[node.name.lower()])
    if not node.is_string and ("." in node.this or "e" in node.this.lower()):
        return exp.Cast(this=exp.Literal.string(node.this), to=exp.DataType.build("double"))
    return node


def _divided(node: Any) -> Any:
    """Divide as doubles; dividing by zero gives infinity or NaN, not an error."""
    if _is_not_zero(node.right):
        return fill("cast(:a as double) / cast(:b as double)", a=node.left, b=node.right)
    return fill(
        "if(:b = 0, cast(:a as double) * cast('infinity' as double), "
        "cast(:a as double) / cast(:b as double))",
        a=exp.paren(node.left),
        b=exp.paren(node.right),
    )


def _divided_whole(node: Any) -> Any:
    """Return NULL for an integer division, or remainder, by zero."""
    if not _is_not_zero(node.expression):
        node.set("expression", fill("nullif(:b, 0)", b=node.expression))
    return node


def _is_not_zero(value: Any) -> bool:
    value = value.unnest()
    if isinstance(value, exp.Nullif):
        return True
    return isinstance(value, exp.Literal) and float(value.this) != 0


def _cast(node: Any) -> Any:
    kind, value = node.to, node.this
    if kind.is_type(*_INTEGERS) and _may_be_fraction(value):
        node.set("this", fill("bround(:value)", value=value))
    return node


def _tried(node: Any) -> Any:
    """Round a number to an integer; a text that is not a number gives NULL."""
    if node.to.is_type(*_INTEGERS):
        node.set("this", fill("bround(try_cast(:value as double))", value=node.this))
    return node


def _may_be_fraction(value: Any) -> bool:
    """Whether a value may be a fraction, which a cast rounds in DuckDB and truncates in Spark."""
    value = value.unnest()
    if isinstance(value, exp.If):
        value = value.args["true"].unnest()
    if isinstance(value, exp.Column):
        return not value.name.startswith(("is_", "has_"))
    whole = (exp.Boolean, exp.Connector, exp.Count, exp.Literal, exp.Not, exp.Predicate)
    return not isinstance(value, whole)


def _row(*values: Any) -> Any:
    places = ", ".join(f"'f{n}', :f{n}" for n in range(len(values)))
    return fill(f"named_struct({places})", **{f"f{n}": one for n, one in enumerate(values)})


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "list_position": lambda values, value: fill(
        "nullif(array_position(:list, :value), 0)", list=values, value=value
    ),
    "nextafter": lambda value, other: fill(
        "cast(reflect('java.lang.Math', 'nextAfter', :value, :other) as double)",
        value=value,
        other=other,
    ),
    "row": _row,
}


def _count_from_zero(bracket: Any) -> None:
    """Make an index of a list count from 0, as sqlglot does only for known integers."""
    (part,) = bracket.expressions
    if part.type is not None and part.is_type("unknown"):
        bracket.set("expressions", [exp.Sub(this=exp.paren(part), expression=exp.convert(1))])


def _placed(node: Any) -> Any:
    """Return NULL, not an error, for an index beyond the end of a list."""
    (place,) = node.expressions
    return fill("get(:list, cast(:place as int))", list=node.this, place=place)


_NODES: dict[type, Callable[[Any], Any]] = {
    exp.Bracket: _placed,
    exp.Cast: _cast,
    exp.Div: _divided,
    exp.IntDiv: _divided_whole,
    exp.Literal: _number,
    exp.Mod: _divided_whole,
    exp.TryCast: _tried,
}
