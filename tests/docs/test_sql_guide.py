"""The questions of docs/guides/sql.md, asked by another client of the registry of the demo."""

import re
import time
from pathlib import Path

import duckdb
import pytest
from support import ROOT

GUIDE = (ROOT / "docs" / "guides" / "sql.md").read_text(encoding="utf-8")
QUESTIONS = re.findall(r"\n([^\n]+\?)\n\n```sql\n(.*?)```", GUIDE, re.DOTALL)
# A second on a machine that does nothing else.
MOST_SECONDS = 5


@pytest.mark.slow
@pytest.mark.parametrize(("question", "query"), QUESTIONS)
def test_a_plain_client_answers(question: str, query: str, demo_registry: Path) -> None:
    with duckdb.connect(str(demo_registry), read_only=True) as client:
        began = time.monotonic()
        rows = client.execute(query).fetchall()
        assert time.monotonic() - began < MOST_SECONDS, question
    assert rows
    assert all(row[0] is not None for row in rows)


def test_there_are_five_questions() -> None:
    assert len(QUESTIONS) == 5


def test_the_tables_and_views_to_know_are_asked_or_linked() -> None:
    section = GUIDE.partition("{#views}")[2].partition("## Five questions")[0]
    lines = re.findall(r"^\| `(.*?)` \|", section, re.MULTILINE)
    assert len(lines) == 12
    asked = {*re.findall(r"\w+", " ".join(query for _, query in QUESTIONS))}
    named = {name for line in lines for name in line.split("`, `")}
    assert named - asked == {"prediction", "prediction_card", "tier_hit_rate", "verdict"}
