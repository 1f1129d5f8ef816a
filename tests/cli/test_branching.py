"""Commands that have subcommands beside an argument of their own: the first word decides."""

import pytest
from support import Tracker, as_json

SLATE = "5c9f4a52"


def test_the_help_has_both(on_demo: Tracker) -> None:
    shown = on_demo("report", "--help").output
    assert shown.startswith(
        "Usage: main report [OPTIONS] [SLATE]\n       main report COMMAND [ARGS]...\n"
    )
    for part in ("--window", "\nCommands:\n  estimate  Compute", "Example: tracker report"):
        assert part in shown
    assert max(map(len, shown.splitlines())) <= 80
    below = on_demo("report", "estimate", "--help").output
    assert below.startswith("Usage: main report estimate [OPTIONS] [SLATE]\n")
    assert on_demo("refresh", "--help").output.startswith(
        "Usage: main refresh [OPTIONS]\n       main refresh COMMAND [ARGS]...\n"
    )


@pytest.mark.slow
def test_a_slate_is_reported_and_estimated(on_demo: Tracker) -> None:
    latest = as_json(on_demo, "report")
    second = as_json(on_demo, "report", "@2")
    assert latest["slate"]["slate_id"] != second["slate"]["slate_id"]
    assert on_demo("report", SLATE[:4]).output == on_demo("report", SLATE).output
    for words in ([SLATE], ["--slate", SLATE]):
        done = on_demo("report", "estimate", *words)
        assert (done.exit_code, done.output.count("stored ")) == (0, 1), done.output


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("report", "estimat"), 3, "no slate begins with 'estimat'"),
        (("report", "--", "estimate"), 3, "no slate begins with 'estimate'"),
        (("report", SLATE, "estimate"), 2, "unexpected extra argument (estimate)"),
        (("report", "estimate", SLATE, "--slate", SLATE), 2, "give the slate once"),
        (("report", "estimate", "--all", "--slate", SLATE), 2, "--all goes without a slate"),
        (("refresh", "detct"), 2, "unexpected extra argument (detct)"),
        (("refresh", "detect", "--offline"), 2, "No such option"),
    ],
)
def test_other_words_are_its_own(
    words: tuple[str, ...], code: int, message: str, on_demo: Tracker
) -> None:
    done = on_demo(*words)
    assert (done.exit_code, message in done.stderr) == (code, True), done.output
