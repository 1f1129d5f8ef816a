"""The blocks of the documentation that quote the demo's registry have what its commands print.

python tests/docs/test_demo_blocks.py [DEMO]     writes them anew, from a demo that is in a
                                                 folder already, or one that it makes
"""

import re
import sys
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import ROOT, ok, tracker_on

from tracker.cli import main

PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if "<!-- demo: " in page.read_text(encoding="utf-8")
]
BLOCK = re.compile(r"(?<= -->\n```text\n)\$ tracker ([^\n]+)\n(.*?)(?=```)", re.DOTALL)


def with_blocks(page: Path, registry: Path) -> str:
    """Return a page with what the command of each block prints now."""

    def printed(block: re.Match[str]) -> str:
        done = ok(tracker_on(registry)(*block[1].split()))
        return f"$ tracker {block[1]}\n{done.stdout}"

    written, n_blocks = BLOCK.subn(printed, page.read_text(encoding="utf-8"))
    assert n_blocks == written.count("<!-- demo: "), page
    return written


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_have_what_the_demo_prints(page: Path, demo_registry: Path) -> None:
    assert page.read_text(encoding="utf-8") == with_blocks(page, demo_registry), (
        "run: PYTHONPATH=tests/support python tests/docs/test_demo_blocks.py"
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        folder = sys.argv[1] if len(sys.argv) > 1 else f"{made}/demo"
        if len(sys.argv) == 1:
            ok(CliRunner().invoke(main, ["demo", "-o", folder]))
        for page in PAGES:
            page.write_text(with_blocks(page, Path(folder) / "registry.duckdb"), encoding="utf-8")
