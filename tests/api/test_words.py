"""Arguments that take one of a few words say which in their types, and refuse any other."""

import inspect
import re
import typing
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

import tracker
from tracker.cli.benchmark import define
from tracker.errors import InputRefused
from tracker.extras.benchmarks.options import OPTIONS
from tracker.extras.benchmarks.presets import PRESETS, PresetName


def _words(annotation: object) -> tuple[str, ...]:
    """Return the words of a Literal, which may be optional; none of any other type."""
    if typing.get_origin(annotation) is typing.Literal:
        return typing.get_args(annotation)
    return tuple(word for one in typing.get_args(annotation) for word in _words(one))


def _taking_words(*owners: object) -> Iterator[tuple[Callable[..., Any], str, tuple[str, ...]]]:
    """Yield each public method, its parameter, and the words that its type allows."""
    for owner in owners:
        for name, method in inspect.getmembers(type(owner), inspect.isfunction):
            if not name.startswith("_"):
                for parameter in inspect.signature(method).parameters.values():
                    if words := _words(parameter.annotation):
                        yield partial(method, owner), parameter.name, words


def _refusal(method: Callable[..., Any], name: str) -> str:
    """Call a method with a word that it does not know; return what it says."""
    given: list[str] = []
    named = {name: "nonsense"}
    for parameter in inspect.signature(method).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            given += ["x", "x"]
        elif parameter.default is parameter.empty and parameter.name != name:
            named[parameter.name] = "x"
    with pytest.raises(InputRefused) as refused:
        method(*given, **named)
    return str(refused.value)


def _refused_by_name() -> set[str]:
    """Return the arguments that the interface compares with a list of words."""
    modules = Path(tracker.__path__[0], "api").glob("*.py")
    source = "".join(path.read_text(encoding="utf-8") for path in modules)
    choices = {name: hint.__metadata__[-1] for name, hint in OPTIONS.items()}
    options = {name for name, one in choices.items() if not isinstance(one, str | range)}
    return options | set(re.findall(r'require_one_of\("(\w+)"', source))


def test_the_types_have_the_words_that_are_accepted() -> None:
    """A wrong word is refused before anything is read: nothing is there."""
    store = tracker.Store(Path("absent.duckdb"))
    content: Any = SimpleNamespace(kind=SimpleNamespace(page="page"))
    owners = (store, tracker.Slate(store, UUID(int=1)), tracker.Report(content, ""))
    cases = [*_taking_words(*owners, store.load, store.benchmark)]
    frames = inspect.signature(tracker.open).parameters["frames"]
    cases.append((partial(tracker.open, store.path), "frames", _words(frames.annotation)))
    found = set()
    for method, name, words in cases:
        said = _refusal(method, name)
        assert said.startswith(f"{name}: there is no 'nonsense'; choose one of "), said
        listed = re.sub(r";.*", "", said.split("choose one of ")[1]).split(", ")
        assert {*listed} == {*words}
        found.add(name)
    # The metrics are those of the registry, which types cannot follow.
    assert found == _refused_by_name() - {"metrics"}


def test_the_presets_are_those_of_their_type() -> None:
    assert {*typing.get_args(PresetName)} == {*PRESETS}


def test_a_benchmark_is_defined_with_the_options_of_the_command() -> None:
    method = tracker.Store(Path("absent.duckdb")).benchmark.define
    assert [*inspect.signature(method).parameters] == [one.name for one in define.params]
    flags = "kind preset truth items targets labels item-column fold-column classes"
    assert [one.opts for one in define.params[1:]] == [[f"--{flag}"] for flag in flags.split()]
    unknown: Any = {"item_colum": "x"}
    with pytest.raises(TypeError, match="unexpected keyword argument 'item_colum'"):
        method("b", **unknown)
    by_position: Any = ("b", "binary")
    with pytest.raises(TypeError, match="positional arguments"):
        method(*by_position)
