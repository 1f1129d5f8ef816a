"""A name that nothing has is answered with the names it resembles."""

import shlex
from pathlib import Path

import pytest
from support import WORLD, Tracker, exited

from tracker.errors import did_you_mean


@pytest.mark.parametrize(
    ("words", "code", "answer"),
    [
        ("view tier_hit_rte", 3, "no view is named 'tier_hit_rte'; did you mean 'tier_hit_rate'"),
        ("view zzz", 3, "no view is named 'zzz'; see 'tracker view'"),
        ("report 5c9e4", 3, "no slate begins with '5c9e4'; did you mean '5c9f4'?"),
        ("report 'spring slate'", 3, "did you mean '5c9f4a52', The spring slate of a fictional"),
        ("report zzzz", 3, "no slate begins with 'zzzz'; see 'tracker slate list'"),
        ("slate freeze --candidates wrold", 3, "'wrold'; did you mean 'world'?"),
        ("slate freeze --candidates xyz", 3, "no candidate set is named 'xyz'; known: world"),
        ("slate freeze --candidates world --labels KNOWM", 3, "did you mean 'known'?"),
        (
            "slate freeze --candidates world -d 'marlow syndrom'",
            3,
            "unknown disease 'marlow syndrom'; did you mean 'marlow syndrome'?",
        ),
        ("slate freeze --candidates world -d Atlantis", 3, "unknown disease 'Atlantis'\n"),
        (
            "slate freeze --candidates world --labels known --ranker popularty",
            3,
            "no ranker is named 'popularty'; did you mean 'popularity'?",
        ),
        ("benchmark leaderboard orinal", 3, "'orinal'; did you mean 'ordinal'?"),
        ("slaet list", 2, "Did you mean 'slate'?"),
        ("slate list --fromat csv", 2, "--format"),
    ],
)
def test_a_wrong_name(words: str, code: int, answer: str, on_demo: Tracker) -> None:
    if words.startswith("benchmark"):
        truth = WORLD.parent / "benchmarks" / "ordinal" / "truth.csv"
        on_demo("benchmark", "define", "ordinal", "--kind", "ordinal", "--truth", truth)
    done = on_demo(*shlex.split(words))
    assert done.exit_code == code
    assert answer in done.output


def test_a_wrong_drug_in_a_file(on_demo: Tracker, tmp_path: Path) -> None:
    path = tmp_path / "synonyms.csv"
    path.write_text("entity,name,kind,value\ndrug,belantrin,synonym,Bel\ndrug,zz,synonym,Z\n")
    done = exited(3, on_demo("load", "aliases", path))
    assert "unknown drug 'belantrin'; did you mean 'belantrine'" in done.output
    assert "unknown drug 'zz'\n" in done.output


def test_at_most_two_names_are_offered() -> None:
    names = ["tier_hit_rate", "tier_hit_rates", "tier_hit_ratio", "tier_hits"]
    assert did_you_mean("tier_hit_rat", names).count("'") == 4
    assert did_you_mean("Ostrava FEVER", ["Ostrava fever"]) == "did you mean 'Ostrava fever'?"
    assert did_you_mean("x" * 10_000_000, names) == ""


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("freeze", "Did you mean 'tracker slate freeze' or 'tracker spark freeze'?"),
        ("submit", "Did you mean 'tracker benchmark submit'?"),
        ("asess", "Did you mean 'assess'?"),
    ],
)
def test_a_word_that_is_a_subcommand_is_answered_with_its_group(
    word: str, meant: str, tracker: Tracker
) -> None:
    done = tracker(word)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"No such command '{word}'. {meant}" in done.stderr
