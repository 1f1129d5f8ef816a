"""What another program defines in a store, or takes out of it unsealed, is named by the check."""

import shutil
from pathlib import Path

import duckdb
import pytest
from support import exited, tracker_on

_REFUSED = (
    "kind varchar not null, origin varchar not null, problem varchar not null, "
    "refused_at timestamptz not null"
)
ALTERED = {
    "a collation": (
        f"drop table refused_file; create table refused_file "
        f"(refusal_sha256 varchar collate nocase primary key, {_REFUSED})",
        "the columns of the table refused_file are not as tracker made them",
    ),
    "a constraint that is missing": (
        "create table other (k integer primary key); insert into other from cutoff; "
        "drop table cutoff; alter table other rename to cutoff",
        "the constraints of the table cutoff are not as tracker made them",
    ),
    "an index": (
        "create index planted on event (event_type)",
        "the columns of the table event are not as tracker made them",
    ),
    "a view that is listed as built": (
        "create view planted as select 1 as one; insert into view_build values ('planted', '00')",
        "the view planted is not tracker's",
    ),
    "a cut-off that is missing": (
        "delete from cutoff where k = 10",
        "cutoff_shipped: {'k': 10, 'reason': 'the cut-off was removed'}",
    ),
    "a recall target that is missing": (
        "delete from recall_target where recall = 0.5",
        "recall_target_shipped: {",
    ),
    "a refusal": (
        "insert into refused_file values (repeat('0', 64), 'fda', 'a.zip', 'is empty', now())",
        "refused_file has 1 rows, 0 were sealed",
    ),
}


@pytest.mark.parametrize("kind", ALTERED)
def test_a_check_names_what_another_program_altered(
    followed_store: Path, tmp_path: Path, kind: str
) -> None:
    change, named = ALTERED[kind]
    path = Path(shutil.copy(followed_store, tmp_path / "store.duckdb"))
    with duckdb.connect(str(path)) as other:
        other.execute(change)
    done = exited(4, tracker_on(path)("check"))
    assert named in done.stderr
