"""What a change reaches: the tests that tests/reach.py selects, and the mutants that are made."""

from pathlib import Path

import mutants
import pytest
import reach

from tracker.store import catalog

CASES = "tests/golden/test_golden.py::test_view_returns_the_expected_rows"


def selected(*files: str) -> dict[str, int]:
    return reach.selected(reach.reached(files))


@pytest.mark.slow
def test_a_view_reaches_its_cases_and_those_of_its_readers() -> None:
    tests = selected("sql/prospective/comparison_hit.sql")
    readers = {view for view, names in catalog.reads().items() if "comparison_hit" in names}
    assert readers
    assert reach.distance_of(f"{CASES}[comparison_hit/either_slate]", tests) == min(tests.values())
    for reader in readers:
        assert reach.distance_of(f"{CASES}[{reader}/any]", tests) == 1
    assert reach.distance_of(f"{CASES}[discount/any]", tests) is None
    assert reach.distance_of("tests/log/test_merkle.py::test_x", tests) is None


@pytest.mark.slow
def test_a_statement_reaches_its_cases_and_the_modules_that_run_it() -> None:
    tests = selected("sql/statements/freeze/alias_sha256.sql")
    name = "tests/golden/test_statements.py::test_statement_selects_the_expected_rows"
    own = reach.distance_of(f"{name}[alias_sha256/mixed]", tests)
    assert own == min(tests.values())
    assert reach.distance_of(f"{name}[entity_name/mixed]", tests) != own
    assert reach.distance_of("tests/slates/test_slates.py::test_x", tests) is not None


def test_tests_that_name_a_module_or_lie_in_its_folder_are_near() -> None:
    tests = selected("tracker/store/definitions.py")
    assert reach.distance_of("tests/robustness/test_trust.py::test_x", tests) == 0
    assert reach.distance_of("tests/store/test_sealed_sets.py::test_x", tests) == 1


def test_tests_that_quote_a_module_are_the_nearest() -> None:
    tests = selected("tracker/log/sealing.py")
    quoting = "test_a_command_does_not_seal_what_another_program_added_or_removed"
    nearest = reach.distance_of(f"tests/log/test_log.py::{quoting}", tests)
    assert nearest is not None
    assert nearest < 0
    assert reach.distance_of("tests/log/test_log.py::test_x", tests) == 0


@pytest.mark.parametrize(
    ("file", "near"),
    [
        ("tracker/reports/leak_alarm.py", "tests/reports/test_leak_alarm.py"),
        ("tracker/log/merkle.py", "tests/log/test_merkle.py"),
        ("tracker/reports/pages/templates/report.html.j2", "tests/reports/pages/test_pages.py"),
        ("tracker/extras/site/assets/verify.js", "tests/extras/site/test_site_verification.py"),
        ("tests/support/servers.py", "tests/extras/refresh/fetching/test_fetch.py"),
        ("tests/log/test_log.py", "tests/log/test_log.py"),
        ("docs/tutorial.md", "tests/docs/test_readme.py"),
    ],
)
def test_a_file_reaches_the_tests_of_what_uses_it(file: str, near: str) -> None:
    assert reach.distance_of(f"{near}::test_x", selected(file)) is not None


def test_the_cases_of_a_changed_view_are_nearest_whatever_else_changed() -> None:
    tests = selected("sql/prospective/tier_hit_rate.sql", "tracker/reports/slate_warnings.py")
    cases = "tests/golden/test_golden.py::test_view_returns_the_expected_rows[{}/x]"
    own = reach.distance_of(cases.format("tier_hit_rate"), tests)
    reads_it = reach.distance_of(cases.format("precision_proxy"), tests)
    assert own is not None
    others = [name for name in tests if not name.startswith(("tests/golden/", "tests/properties/"))]
    assert own < min(tests[name] for name in others)
    assert reads_it is None or reads_it > own


def test_a_lower_module_is_nearer_to_its_own_tests_than_to_commands() -> None:
    tests = selected("tracker/reports/leak_alarm.py")
    own = reach.distance_of("tests/reports/test_leak_alarm.py::test_x", tests)
    command = reach.distance_of("tests/reports/pages/test_pages.py::test_x", tests)
    assert own == reach._OWN
    assert command is not None
    assert own < command


def test_the_nearest_are_kept_until_the_time_is_over() -> None:
    names = [f"tests/golden/test_golden.py::test_x[view/{number}]" for number in range(100)]
    far = "tests/cli/test_cli.py::test_y"
    tests = {"tests/cli/test_cli.py": 2, "tests/golden/test_golden.py": 0}
    costs = {far: (3.0, 0.5), **dict.fromkeys(names, (0.5, 0.2))}
    kept, n_left = reach.kept(costs, tests, seconds=10.0)
    # The first takes 0.7 s, 46 more 0.2 s each.
    assert kept == names[:47]
    assert n_left == 54
    kept, n_left = reach.kept(costs, tests, seconds=float("inf"))
    assert (kept, n_left) == ([far, *names], 0)


def test_of_equally_near_tests_modules_take_turns_each_with_its_slow_ones_last() -> None:
    one, other = ([f"tests/pages/test_{name}.py::test_{n}" for n in range(50)] for name in "ab")
    tests = {"tests/pages/test_a.py": 1, "tests/pages/test_b.py": 1}
    costs = dict.fromkeys([*one, *other], (1.0, 1.0))
    kept, _ = reach.kept(costs, tests, 10.0, slow={one[0], other[1]})
    assert kept == [*one[1:5], other[0], *other[2:5]]


def test_what_takes_too_long_is_left_out_and_no_more() -> None:
    names = [f"tests/pages/test_{name}.py::test_x" for name in "abc"]
    costs = dict(zip(names, [(1.0, 1.0), (60.0, 1.0), (1.0, 1.0)], strict=True))
    tests = {"tests/pages/": 0}
    assert reach.kept(costs, tests, 10.0) == ([names[0], names[2]], 1)


def altered(text: str, suffix: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The texts of all mutants of a file."""
    monkeypatch.setattr(mutants, "ROOT", folder.resolve())
    path = folder / f"file{suffix}"
    path.write_text(text)
    return {mutant.text(text) for mutant in mutants.mutants(path)}


def test_each_mutant_of_sql_differs_in_one_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "-- a >= 1\nselect 'x > 1' as y\nfrom a\nleft join b on a.k = b.k\nwhere a.n >= 10\n"
    assert altered(text, ".sql", tmp_path, monkeypatch) == {
        text.replace("left join", "inner join"),
        text.replace("a.k = b.k", "a.k <> b.k"),
        text.replace("a.n >= 10", "a.n > 10"),
        text.replace("10", "11"),
    }


def test_each_mutant_of_python_differs_in_one_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'def f(n, é):\n    """n < 1."""\n    return é < n + 2 and n\n'
    assert altered(text, ".py", tmp_path, monkeypatch) == {
        text.replace("é < n", "é <= n"),
        text.replace("n + 2", "n - 2"),
        text.replace("+ 2", "+ 3"),
        text.replace("and n", "or n"),
    }
