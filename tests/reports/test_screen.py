"""The summary of a slate's report fits one screen, whatever its texts and however many."""

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tracker.reports import screen
from tracker.reports.pages.page import KeyFigure, Page, Verdict

PAGE = Page(
    title="Slate 469bb270: by hand",
    subtitle="720 predictions by m for 12 diseases, frozen on 2026-01-01.",
    question="Is it working?",
    verdict=Verdict(
        "It met its plan's success criteria", "44 hits where 16.5 were expected.", "p = 0.01."
    ),
    key_figures=[
        KeyFigure("hits", "44 of 224", "95% interval 13.1% to 28.3%"),
        KeyFigure("high tier against random", "2.67 times", "no interval: " + "reason " * 30),
        KeyFigure("high tier against equally popular drugs", "1.20 times", "95% interval 1 to 2"),
        KeyFigure("high tier against popularity", "1.20 times", "no interval: " + "reason " * 30),
        KeyFigure("predictions one by one", "6 met", "0 falsified, 68 still open"),
    ],
)
TEXTS = st.text(max_size=600) | st.sampled_from(["ab cd " * 150, "x" * 900, "\u4e2d\u6587 " * 200])


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, TEXTS, st.lists(TEXTS.filter(str.strip), max_size=9))
def test_any_texts_fit_one_screen(
    title: str, sentence: str, certainty: str, warnings: list[str]
) -> None:
    page = replace(PAGE, title=title, verdict=Verdict("Too early", sentence, certainty))
    printed = screen.render(page, warnings, ["sources see 1 of 2 drugs"], "469bb270")
    lines = printed.splitlines()
    assert len(lines) <= screen.HEIGHT
    assert max(map(cell_len, lines)) <= screen.WIDTH
    assert not {unicodedata.category(c) for line in lines for c in line} & {"Cc", "Cf", "Zl", "Zp"}


@pytest.mark.parametrize("n_warnings", [0, 1, 2, 12])
def test_every_warning_is_printed_or_counted(n_warnings: int) -> None:
    warnings = [f"warning {number} of the slate: {'word ' * 14}" for number in range(n_warnings)]
    lines = screen.render(PAGE, warnings, [], "469bb270").splitlines()
    n_printed = sum(line.startswith("! warning") for line in lines)
    rest = [line for line in lines if line.endswith("--section warnings")]
    assert len(rest) == (n_printed < n_warnings)
    if rest:
        assert f"! {n_warnings - n_printed} " in rest[0]


def test_the_verdict_the_figures_and_the_next_step_are_always_there() -> None:
    long = replace(PAGE, verdict=Verdict("It met its plan", "long " * 500, "p = 0.01."))
    for page in (PAGE, long):
        printed = screen.render(page, ["a warning " * 50] * 9, ["sources see all"], "469bb270")
        assert "It met its plan" in printed
        for figure in PAGE.key_figures:
            assert f"{figure.label} " in printed
            assert figure.value in printed
        assert "tracker report 469bb270 --full" in printed
        assert "Coverage: sources see all." in printed


def test_what_is_cut_is_marked() -> None:
    page = replace(PAGE, title="name " * 100)
    first = screen.render(page, [], [], "469bb270").splitlines()[0]
    assert first.endswith(" ...")
    assert screen.render(PAGE, [], [], "469bb270").splitlines()[0] == PAGE.title
