"""The section of the primary endpoint works its largest stratum out, on the demo's registry."""

import re
from pathlib import Path

import pytest
from support import ok, tracker_on


def notes_of(registry: Path, slate: str) -> str:
    done = ok(tracker_on(registry)("report", slate, "--section", "enrichment_vs_matched"))
    return " ".join(" ".join(done.output.partition("\n- ")[2].split()).split(" - "))


@pytest.mark.slow
def test_the_arithmetic_is_that_of_the_ratio(demo_registry: Path) -> None:
    told = notes_of(demo_registry, "4be1d0c2")
    N, n, h, a = (  # noqa: N806 - as in docs/metrics.md
        int(value)
        for found in re.findall(
            r": (\d+) candidates, (\d+) of them predicted; (\d+) came true, (\d+) of these", told
        )
        for value in found
    )
    assert f"adds {a} x {N - n} / {N} = {a * (N - n) / N:.3f} to" in told
    assert f"and {h - a} x {n} / {N} = {(h - a) * n / N:.3f} to" in told
    r, s, ratio = re.findall(r"sums are ([\d.]+) and ([\d.]+): the ratio is ([\d.]+)", told)[0]
    assert float(ratio) == pytest.approx(float(r) / float(s), abs=0.005)
    # As in the table above the notes.
    assert ratio == "2.58"


@pytest.mark.slow
def test_a_slate_that_is_its_own_baseline_has_sums_and_no_ratio(demo_registry: Path) -> None:
    told = notes_of(demo_registry, "d58f3a16")
    assert re.search(r"sums are [\d.]+ and [\d.]+: no ratio: no fair comparison", told)
