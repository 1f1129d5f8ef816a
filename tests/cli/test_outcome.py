"""The outcomes of a slate: listed with what each counts as, and shown with the reason."""

import pytest
from bench import Bench

EVENTS = """disease_name,drug_name,outcome_type,source,event_date
Asthma,Beta,fda_approved,fda,2020-01-01
Asthma,Gamma,first_trial_seen,ctgov,2020-01-01
"""


@pytest.fixture
def followed(bench: Bench) -> Bench:
    bench.accept("load", "outcomes", bench.write("e.csv", EVENTS), "--slate", bench.slate)
    return bench


@pytest.mark.slow
def test_outcomes_are_listed_with_what_they_count_as(followed: Bench) -> None:
    words = ("outcome", "list", followed.slate)
    rows = followed.read(*words)
    assert [(row["drug_name"], row["rank"], row["counts_as"]) for row in rows] == [
        ("Beta", 2, "retrospective"),
        ("Gamma", None, "not predicted"),
    ]
    assert followed.read(*words, "--hits") == []
    (one,) = followed.read(*words, "--drug", "CHEMBL2", "--disease", "asthma")
    assert one == rows[0]
    followed.refuse(*words, "--drug", "Bet", message=["unknown drug 'Bet'; did you mean 'beta'?"])


@pytest.mark.slow
def test_a_pair_is_shown_as_its_outcome_is(followed: Bench) -> None:
    (row, _) = followed.read("outcome", "list", followed.slate)
    shown = followed.accept("outcome", "show", followed.slate, "beta", "MONDO:0004979")
    prefix = followed.slate[:8]
    assert " ".join(shown.split("\n\n")[0].split()).startswith(
        f"Not a hit of slate {prefix}: the FDA approval of Beta for Asthma does not count, since "
        "it happened on 2020-01-01, before the freeze of "
    )
    # The other slates of the store predict the pair of others.
    assert shown == followed.accept("outcome", "show", row["outcome_id"])


@pytest.mark.slow
def test_a_pair_without_an_outcome_says_what_it_waits_for(followed: Bench) -> None:
    show = ("outcome", "show", followed.slate)
    followed.refuse(
        *show,
        "Beta",
        "Psoriasis",
        message=["has no outcome of 'Beta' and 'Psoriasis': predicted at rank 2, open, due on "],
    )
    followed.refuse(*show, "Low", "Asthma", message=["'Low' and 'Asthma': it is not predicted"])


@pytest.mark.parametrize("words", [("abc",), ("0",), ("9" * 5_000,), ("@1", "Beta")])
def test_what_names_no_outcome_is_refused(words: tuple[str, ...], bench: Bench) -> None:
    bench.refuse("outcome", "show", *words, message=["a slate, a drug and a disease"], code=2)
