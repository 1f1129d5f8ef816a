"""The gate: malformed submissions of every kind are refused by row and column, nothing stored."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pytest
from support import sampled

from tracker import schema, store
from tracker.errors import InputRefused, ProblemsFound
from tracker.extras.benchmarks import definitions, submitting, verification
from tracker.extras.benchmarks.options import Definition

REGRESSION_TRUTH = """item,fold,HIC,Tm2,source,vh_protein_sequence
a,0,1.0,70,x,QVQ
b,0,2.0,71,x,QVQ
c,1,3.0,72,x,QVQ
d,1,4.0,73,x,QVQ
"""
BINARY_TRUTH = "item,tox,leak\na,0,1\nb,1,0\nc,1,\nd,0,1\n"
ORDINAL_TRUTH = "item,severity\na,0\nb,1\nc,2\nd,0\n"
MULTILABEL_TRUTH = "instance,label\ni,x\ni,y\nj,z\nk,\n"

GOOD_REGRESSION = "item,fold,HIC,Tm2\na,0,1,70\nb,0,2,71\nc,1,3,72\nd,1,4,73\n"
GOOD_LONG = (
    "item,fold,target,value\na,0,HIC,1\nb,0,HIC,2\nc,1,HIC,3\nd,1,HIC,4\n"
    "a,0,Tm2,70\nb,0,Tm2,71\nc,1,Tm2,72\nd,1,Tm2,73\n"
)
GOOD_BINARY = "item,tox,leak\na,0.1,0.5\nb,0.9,0.5\nc,0.8,0.5\nd,0.2,0.5\n"
GOOD_ORDINAL = "item,severity\na,0.1\nb,0.9\nc,0.8\nd,0.2\n"
GOOD_RANKED = "instance,label,rank\ni,x,1\ni,y,2\nj,z,1\n"
GOOD_SCORED = "instance,label,score\ni,x,0.9\ni,y,0.2\nj,z,0.1\n"


REMOTE = "is more than a thousand times the truth's range outside it"


@dataclass(frozen=True)
class Case:
    """A file that is sent, and what is said of it."""

    benchmark: str
    track: str
    content: str
    expected: tuple[str, ...] = ()
    suffix: str = ".csv"

    def edited(self, old: str, new: str, *expected: str) -> "Case":
        """Change the content in one place."""
        assert self.content.count(old) == 1
        return replace(self, content=self.content.replace(old, new), expected=expected)

    def followed_by(self, row: str, *expected: str) -> "Case":
        """Add a last row."""
        return replace(self, content=f"{self.content}{row}\n", expected=expected)

    def holding(self, content: str, *expected: str) -> "Case":
        """Replace the content."""
        return replace(self, content=content, expected=expected)


WIDE = Case("regression", "cv", GOOD_REGRESSION)
HELD_OUT = Case("regression", "heldout", GOOD_REGRESSION)
LONG = Case("regression", "cv", GOOD_LONG)
TABS = Case("regression", "cv", GOOD_REGRESSION.replace(",", "\t"), suffix=".tsv")
LINES = Case(
    "regression",
    "heldout",
    "".join(f'{{"item":"{item}","HIC":{n}}}\n' for n, item in enumerate("abcd", start=1)),
    suffix=".jsonl",
)
BINARY = Case("binary", "test", GOOD_BINARY)
RANKED = Case("multilabel", "test", GOOD_RANKED)
SCORED = Case("multilabel", "test", GOOD_SCORED)

MALFORMED = [
    WIDE.edited("b,0,2,71", "b,0,high,71", "row 3, column HIC: 'high' is not a number"),
    WIDE.edited("c,1,3,72", "c,1,3,NaN", "row 4, column Tm2: 'NaN' is not a finite number"),
    WIDE.edited("d,1,4,73", "d,1,-inf,73", "row 5, column HIC: '-inf' is not a finite number"),
    WIDE.edited("d,1,4,73", "d,1,1e999,73", "row 5, column HIC: '1e999' is not a finite number"),
    WIDE.holding(
        "item,fold,HIC,Tm2\na,0,3004.5,70\nb,0,2,-1e308\nc,1,-2999,72\nd,1,4,73\n",
        f"row 2, column HIC: '3004.5' {REMOTE} (1.0 to 4.0)",
        f"row 3, column Tm2: '-1e+308' {REMOTE} (70.0 to 73.0)",
    ),
    HELD_OUT.holding(
        "item,target,value\na,HIC,1\nb,HIC,2\nc,HIC,3\nd,HIC,9e9\n",
        f"row 5, column value: '9000000000.0' {REMOTE}",
    ),
    WIDE.edited("a,0,1,70", "a,0,,70", "row 2: HIC is empty"),
    WIDE.edited("b,0,2,71", ",0,2,71", "row 3: item is empty", "column item: 'b' is missing"),
    WIDE.followed_by("b,0,2,71", "row 6, column item: 'b' repeats row 3"),
    WIDE.edited(
        "d,1,4,73",
        "D,1,4,73",
        "row 5, column item: 'D' is not an item of 'regression'",
        "column item: 'd' is missing",
    ),
    WIDE.edited("c,1,3,72\n", "", "column item: 'c' is missing"),
    WIDE.edited(
        "item",
        "antibody",
        "the column item is missing",
        "row 1, column antibody: unknown column; the targets are HIC, Tm2",
    ),
    WIDE.holding(
        "item,fold\na,0\nb,0\nc,1\nd,1\n",
        "row 1: no column is a target; the targets are HIC, Tm2",
    ),
    WIDE.edited("Tm2", "Tm1", "row 1, column Tm1: unknown column; the targets are HIC, Tm2"),
    WIDE.edited("Tm2", "hic", "row 1: two columns are named hic"),
    WIDE.edited(
        "b,0,2,71", "b,1,2,71", "row 3, column fold: '1' is not the fold of 'b', which is '0'"
    ),
    WIDE.edited(
        "b,0,2,71", "b,,2,71", "row 3, column fold: '' is not the fold of 'b', which is '0'"
    ),
    WIDE.holding("item,HIC\na,1\nb,2\nc,3\nd,4\n", "row 1, column fold: is missing"),
    HELD_OUT.holding(GOOD_REGRESSION, "row 1, column fold: must be absent on the held-out track"),
    replace(WIDE, track="public").edited(
        "c,1,3,72", "c,0,3,72", "row 4, column fold: '0' is not the fold of 'c', which is '1'"
    ),
    WIDE.holding(
        "item,fold,HIC,Tm2,mood\na,1,x,70,good\nb,0,1e9,71,bad\nb,0,2,inf,bad\n",
        "column mood: unknown column",
        f"row 3, column HIC: '1000000000.0' {REMOTE} (1.0 to 4.0)",
        "row 2, column HIC: 'x' is not a number",
        "row 2, column fold: '1' is not the fold of 'a'",
        "row 4, column Tm2: 'inf' is not a finite number",
        "row 4, column item: 'b' repeats row 3",
        "column item: 'c' is missing",
        "column item: 'd' is missing",
    ),
    WIDE.edited("b,0,2,71", "b,0,2", "row 3: the row has too few fields"),
    WIDE.edited("b,0,2,71", "b,0,2,71,9", "row 3: the row has too many fields"),
    WIDE.holding("item,fold,HIC\n", "the file has no rows"),
    TABS.edited("b\t0\t2\t", "b\t0\t2..0\t", "row 3, column HIC: '2..0' is not a number"),
    LINES.edited('"HIC":2', '"HIC":null', "row 2: HIC is empty"),
    LINES.edited('"HIC":3', '"HIC":"three"', "row 3, column HIC: 'three' is not a number"),
    LONG.edited(
        "b,0,Tm2,71",
        "b,0,Tm3,71",
        "row 7, column target: 'Tm3' is not one of HIC, Tm2",
        "'b' has no value of 'Tm2'",
    ),
    LONG.followed_by("a,0,HIC,1", "row 10, column item: 'a', 'HIC' repeats row 2"),
    LONG.edited("c,1,Tm2,72\n", "", "column item: 'c' has no value of 'Tm2'"),
    LONG.edited(
        "a,0,HIC,1", "a,0,HIC,Infinity", "row 2, column value: 'Infinity' is not a finite number"
    ),
    LONG.edited(
        "d,1,Tm2,73", "d,0,Tm2,73", "row 9, column fold: '0' is not the fold of 'd', which is '1'"
    ),
    LONG.edited("a,0,HIC,1", "a,0,,1", "row 2: target is empty", "'a' has no value of 'HIC'"),
    # Of every kind but the last the values are read alike.
    BINARY.edited("c,0.8,0.5", "c,0.8,", "row 4: leak is empty"),
    replace(BINARY, track="cv", expected=("has no folds",)),
    RANKED.followed_by("i,x,3", "row 5, column label: 'i', 'x' repeats row 2"),
    RANKED.edited("i,y,2", "i,y,1", "row 3, column rank: 'i', '1' repeats row 2"),
    RANKED.edited("j,z,1", "j,z,0", "row 4, column rank: '0' is not between 1 and"),
    RANKED.edited("j,z,1", "j,z,1.5", "row 4, column rank: '1.5' is not a whole number"),
    RANKED.followed_by("q,x,1", "row 5, column instance: 'q' is not an item of 'multilabel'"),
    RANKED.edited("i,y,2", "i,,2", "row 3: label is empty"),
    RANKED.holding("instance,label\ni,x\n", "the column rank is missing"),
    RANKED.holding(
        "instance,label,rank,score\ni,x,1,0.5\n", "row 1, column score: give either rank or score"
    ),
    RANKED.holding("instance,label,rank,why\ni,x,1,so\n", "row 1, column why: unknown column"),
    SCORED.edited("i,y,0.2", "i,y,nan", "row 3, column score: 'nan' is not a finite number"),
    SCORED.followed_by("j,z,0.4", "row 5, column label: 'j', 'z' repeats row 4"),
    SCORED.edited("j,z,0.1", "j,z,", "row 4: score is empty"),
]
GOOD = [
    ("regression", "cv", GOOD_REGRESSION, 8),
    ("regression", "cv", GOOD_LONG, 8),
    ("regression", "heldout", "item,HIC\na,1\nb,2\nc,3\nd,4\n", 4),
    ("regression", "public", GOOD_REGRESSION, 8),
    ("regression", "heldout", "ITEM,hic,source\na,1,\nb,2,\nc,3,\nd,16.9,\n", 4),
    ("binary", "test", GOOD_BINARY, 8),
    ("ordinal", "test", GOOD_ORDINAL, 4),
    ("multilabel", "test", GOOD_RANKED, 3),
    ("multilabel", "test", GOOD_SCORED, 3),
    ("multilabel", "test", "instance,label,rank\ni,never seen,7\n", 1),
]


BEYOND = "is more than 10 standard deviations outside the truth's range"
# Accepted: the metrics use ranks alone. The truth's standard deviation is 1.29 in both targets, a
# thousand times its range 3,000: from -2,999 to 3,004 in HIC.
DISTANT = {
    "too high": (
        "cv",
        GOOD_REGRESSION.replace("d,1,4,73", "d,1,16.92,73"),
        [f"sent.csv, row 5, column HIC: '16.92' {BEYOND} 1.0 to 4.0"],
    ),
    "too low, another scale, and at the margin": (
        "cv",
        "item,fold,HIC,Tm2\na,0,3004,-70\nb,0,16.9,71\nc,1,-2999,72\nd,1,4,73\n",
        [
            f"sent.csv, row 2, column HIC: '3004.0' {BEYOND} 1.0 to 4.0",
            f"sent.csv, row 2, column Tm2: '-70.0' {BEYOND} 70.0 to 73.0",
            f"sent.csv, row 4, column HIC: '-2999.0' {BEYOND} 1.0 to 4.0",
        ],
    ),
    "long": (
        "cv",
        GOOD_LONG.replace("d,1,HIC,4", "d,1,HIC,400"),
        [f"sent.csv, row 5, column value: '400.0' {BEYOND} 1.0 to 4.0"],
    ),
    "more than are listed, of held-out truth": (
        "heldout",
        "item,HIC,Tm2\na,1e3,1e3\nb,2e3,2e3\nc,3e3,3e3\nd,3004,3073\n",
        [
            f"sent.csv, row 2, column HIC: '1000.0' {BEYOND}",
            f"sent.csv, row 2, column Tm2: '1000.0' {BEYOND}",
            f"sent.csv, row 3, column HIC: '2000.0' {BEYOND}",
            f"sent.csv, row 3, column Tm2: '2000.0' {BEYOND}",
            f"sent.csv, row 4, column HIC: '3000.0' {BEYOND}",
            "sent.csv: 3 further values are as far outside the truth's range",
        ],
    ),
}


@pytest.fixture(scope="module")
def store_path(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gate")
    path = Path(shutil.copy(empty_store, folder / "store.duckdb"))
    truths: dict[schema.BenchmarkKind, str] = {
        "regression": REGRESSION_TRUTH,
        "binary": BINARY_TRUTH,
        "ordinal": ORDINAL_TRUTH,
        "multilabel": MULTILABEL_TRUTH,
    }
    (folder / "targets.csv").write_text("target,direction\nHIC,lower\nTm2,higher\n")
    with store.writer(path) as connection:
        for kind, truth in truths.items():
            (folder / f"{kind}.csv").write_text(truth)
            definitions.define(
                connection,
                Definition(
                    kind,
                    kind=kind,
                    truth=folder / f"{kind}.csv",
                    targets=folder / "targets.csv" if kind == "regression" else None,
                    fold_column="fold" if kind == "regression" else None,
                ),
            )
    return path


def counts(path: Path) -> list[tuple[str, int]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(
            "select table_name, estimated_size from duckdb_tables() order by table_name"
        ).fetchall()


def submit(path: Path, file: Path, benchmark: str, track: str) -> int:
    with store.writer(path) as connection:
        submitted = submitting.submit(connection, benchmark, file, submitter="lab", track=track)
    return submitted.n_values


@pytest.mark.parametrize("case", sampled(MALFORMED, 4), ids=lambda case: case.expected[0])
def test_malformed_is_refused_and_nothing_stored(
    case: Case, store_path: Path, tmp_path: Path
) -> None:
    before = counts(store_path)
    file = tmp_path / f"sent{case.suffix}"
    file.write_text(case.content)
    with pytest.raises(InputRefused) as refusal:
        submit(store_path, file, case.benchmark, case.track)
    message = str(refusal.value)
    for expected in case.expected:
        assert expected in message
    assert counts(store_path) == before
    if isinstance(refusal.value, ProblemsFound):
        assert all(line.startswith(file.name) for line in refusal.value.problems)
        if len(case.expected) > 1:
            assert refusal.value.n_problems == len(case.expected)


@pytest.mark.parametrize(("benchmark", "track", "content", "n_values"), sampled(GOOD, 2))
def test_sound_is_accepted(
    benchmark: str, track: str, content: str, n_values: int, store_path: Path, tmp_path: Path
) -> None:
    file = tmp_path / "sent.csv"
    file.write_text(content)
    # A private copy, so that the refusals above always see the same store.
    path = tmp_path / "store.duckdb"
    path.write_bytes(store_path.read_bytes())
    assert submit(path, file, benchmark, track) == n_values


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(DISTANT, 4))
def test_a_value_far_outside_the_truth_is_accepted_with_a_warning(
    name: str, store_path: Path, tmp_path: Path
) -> None:
    track, content, expected = DISTANT[name]
    file = tmp_path / "sent.csv"
    file.write_text(content)
    path = tmp_path / "store.duckdb"
    path.write_bytes(store_path.read_bytes())
    with store.writer(path) as connection:
        submitted = submitting.submit(connection, "regression", file, submitter="lab", track=track)
        assert submitted.warnings == expected
    with store.reader(path) as connection:
        (verdict,) = verification.verify(connection)
        assert verdict.problem is None


def test_the_first_twenty_problems_and_their_count(store_path: Path, tmp_path: Path) -> None:
    file = tmp_path / "sent.csv"
    file.write_text("item,severity\n" + "".join(f"q{n},0\n" for n in range(100)))
    with pytest.raises(ProblemsFound) as refusal:
        submit(store_path, file, "ordinal", "test")
    assert len(refusal.value.problems) == 20
    assert refusal.value.n_problems == 104
    assert "and 84 more problems (104 in all)" in str(refusal.value)


@pytest.mark.parametrize(
    ("kind", "content", "expected"),
    [
        ("binary", "item,t\na,0\nb,2\n", "row 3, column t: '2.0' is not a class index (0 to 1)"),
        ("ordinal", "item,t\na,0\nb,1.5\n", "row 3, column t: '1.5' is not a class index"),
        ("ordinal", "item,t\na,-1\nb,1\n", "row 2, column t: '-1.0' is not a class index"),
        ("regression", "item,t\na,1\na,2\n", "row 3, column item: 'a' repeats row 2"),
        ("regression", "item,t\na,1\nb,nan\n", "row 3, column t: 'nan' is not a finite number"),
        ("multilabel", "instance,label\ni,x\ni,x\n", "row 3, column label: 'i', 'x' repeats"),
    ],
)
def test_malformed_truth_is_refused(
    kind: schema.BenchmarkKind, content: str, expected: str, store_path: Path, tmp_path: Path
) -> None:
    file = tmp_path / "truth.csv"
    file.write_text(content)
    before = counts(store_path)
    with pytest.raises(ProblemsFound) as refusal, store.writer(store_path) as connection:
        definitions.define(connection, Definition("new", kind=kind, truth=file))
    assert expected in str(refusal.value)
    assert counts(store_path) == before


def test_repeated_item_beside_target_columns_is_refused(store_path: Path, tmp_path: Path) -> None:
    file = tmp_path / "items.csv"
    file.write_text("item,t\na,1\nb,2\na,3\n")
    with pytest.raises(ProblemsFound) as refusal, store.writer(store_path) as connection:
        definitions.define(connection, Definition("new", kind="binary", items=file))
    assert refusal.value.problems == ["items.csv, row 4, column item: 'a' repeats row 2"]
