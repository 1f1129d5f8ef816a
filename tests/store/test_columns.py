"""The dictionary of columns: every column is in it once, and means one thing wherever it is."""

import shutil
from collections import defaultdict
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from tracker import resources, store
from tracker.errors import InputRefused
from tracker.store import catalog, dictionary

_NUMBERS = {"BIGINT", "INTEGER", "SMALLINT", "DOUBLE", "HUGEINT", "DECIMAL"}
# Names of tables that were written before there was a dictionary, or that stand for 'all' as well.
_OF_TWO_TYPES = {
    "approval_year": "'pooled' in temporal_auc",
    "decile": "'all' in benchmarks, which number deciles in benchmark_label",
    "detail": "text for people in submission_note and outcome_card",
    "label": "the name of a term in vocabulary_term",
    "line_checksum": "text for predictions of slates",
    "phase": "text of the registry in trial",
    "value": "text in aliases and keys",
}


@pytest.fixture(scope="module")
def columns(empty_store: Path) -> list[tuple[str, str, str, str, str | None]]:
    """Schema, table or view, column, type and comment of every column but those of kept rows."""
    with store.reader(empty_store) as connection:
        return _columns(connection)


def _columns(connection: Connection) -> list[tuple[str, str, str, str, str | None]]:
    found = connection.execute(
        text(
            "select schema_name, table_name, column_name, data_type, comment "
            "from duckdb_columns() where not internal and schema_name <> 'state' order by all"
        )
    )
    return [tuple(row) for row in found]


def test_every_column_is_explained_and_nothing_else_is(
    columns: list[tuple[str, str, str, str, str | None]],
) -> None:
    assert {name for _, _, name, *_ in columns} == dictionary.columns().keys()


def test_a_store_says_it_of_each_column(
    columns: list[tuple[str, str, str, str, str | None]],
) -> None:
    expected = {name: str(meaning) for name, meaning in dictionary.columns().items()}
    assert [one for one in columns if one[4] != expected[one[2]]] == []


def test_a_name_has_one_meaning(columns: list[tuple[str, str, str, str, str | None]]) -> None:
    """A name whose values are of two kinds has two meanings."""
    kinds: defaultdict[str, set[str]] = defaultdict(set)
    for _, _, name, kind, _ in columns:
        bare = kind.partition("(")[0]
        kinds[name].add("number" if bare in _NUMBERS else bare)
    assert {name for name, found in kinds.items() if len(found) > 1} == _OF_TWO_TYPES.keys()
    lines = (resources.directory("sql") / dictionary.FILE).read_text("utf-8").splitlines()
    names = [line.partition(",")[0] for line in lines[1:]]
    assert names == sorted(set(names))


def test_a_meaning_is_a_short_phrase() -> None:
    for name, column in dictionary.columns().items():
        assert 0 < len(column.meaning) <= 160, name
        assert column.meaning.rstrip(".") == column.meaning.strip() != name, name
        assert column.unit, name


def test_results_are_a_schema_of_their_own(
    columns: list[tuple[str, str, str, str, str | None]],
) -> None:
    results = {view.name for view in catalog.listed()} | {*catalog.REFERRED_TO}
    assert {table for place, table, *_ in columns if place == "results"} == results
    of = {
        place: [one[1:] for one in columns if one[0] == place and one[1] in results]
        for place in ("main", "results")
    }
    assert of["main"] == of["results"]


def test_a_store_with_other_meanings_is_of_another_version(
    empty_store: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(empty_store, tmp_path / "store.duckdb"))
    with store.writer(path) as connection:
        connection.execute(
            text("update view_build set sha256 = 'another' where name = 'columns.csv'")
        )
        connection.execute(text("comment on column slate.slate_id is 'another'"))
        connection.execute(
            text("comment on table state.made_from is 'built by tracker 9.9 with DuckDB 9.1'")
        )
    said = r"another version \(built by tracker 9\.9 with DuckDB 9\.1\); bring it up to date"
    with pytest.raises(InputRefused, match=said), store.reader(path):
        pass
    with store.writer(path):
        pass
    with store.reader(path) as connection:
        comments = {comment for *_, name, _, comment in _columns(connection) if name == "slate_id"}
    assert comments == {str(dictionary.columns()["slate_id"])}
