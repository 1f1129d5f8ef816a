"""Matching against the gold triples and the 51 studies of the real data; skipped without it."""

from pathlib import Path

import pytest
import real_matching

from tracker import entities, store

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not real_matching.GOLD.is_dir(), reason="the real data is not here"),
]


def test_the_gold_is_found(db: Path, tmp_path: Path) -> None:
    with store.writer(db) as connection:
        real_matching.match_gold(connection, tmp_path)
        table = {row["match_kind"]: row for row in real_matching.gold_table(connection)}
    aliases, all_kinds = table["whole_word_mention"], table["descendant"]
    assert aliases["both_recall"] >= 0.34
    assert all_kinds["both_recall"] >= 0.72
    for row in (aliases, all_kinds):
        assert row["disease_precision"] >= 0.93
        assert row["drug_precision"] >= 0.93


def test_what_the_browse_modules_name_is_found(db: Path, tmp_path: Path) -> None:
    named = {
        (nct_id, kind, entities.fold(term)) for nct_id, kind, term in real_matching.browse_terms()
    }
    with store.writer(db) as connection:
        real_matching.match_studies(connection, tmp_path)
        found = real_matching.found_terms(connection)
    assert len(named) > 100
    assert named - found == set()
