"""A release that repeats an older content is a release; the same one twice adds nothing."""

import json
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from evidence import chembl, drugs_at_fda, ema, medicine, openfda, study, write_json
from support import Tracker, ok

from tracker import evidence
from tracker import open as open_store
from tracker.api.stores import Store
from tracker.errors import InputRefused

PLAN = {"fda_drug_level": True}


@pytest.fixture
def opened(db: Path) -> Iterator[Store]:
    with open_store(db, write=True) as found:
        found.load.candidates(
            pd.DataFrame(
                {"disease_name": "Asthma", "drug_name": ["Aspirin", "Zinc"], "score": [0.9, 0.8]}
            ),
            "c",
            "m",
        )
        yield found


def _dates(opened: Store, source: str) -> list[str]:
    found = opened.releases
    return [str(one)[:10] for one in found[found["source"] == source]["released_on"]]


@pytest.mark.slow
def test_what_vanished_comes_back_with_the_content_that_had_it(
    opened: Store, tmp_path: Path
) -> None:
    first = [study("NCT00000001"), study("NCT00000002", phases=("PHASE3",))]
    whole = write_json(tmp_path / "whole.json", first)
    part = write_json(tmp_path / "part.json", [study("NCT00000001", status="COMPLETED")])

    def ingest(path: Path, day: str) -> evidence.Ingested:
        return opened.ingest.trials(path, released_on=day, is_complete=True)

    assert ingest(whole, "2026-01-01").n_versions == 2
    slate = opened.freeze(candidates="c", replay_as_of="2025-06-01")
    gone = ingest(part, "2026-02-01")
    assert (gone.n_versions, gone.n_vanished, gone.n_returned) == (1, 1, 0)
    again = ingest(whole, "2026-03-01")
    assert (again.is_new, again.n_versions, again.n_vanished, again.n_returned) == (True, 1, 0, 1)
    # The same release twice, by its date or without one.
    assert not ingest(whole, "2026-03-01").is_new
    assert not opened.ingest.trials(whole).is_new
    assert _dates(opened, "ctgov") == ["2026-01-01", "2026-02-01", "2026-03-01"]
    corrections = opened.sql(
        "select kind, record from evidence_correction inner join release using (release_id) "
        "order by released_on, kind"
    )
    assert corrections.to_numpy().tolist() == [
        ["trial vanished", "NCT00000002"],
        ["status reversed", "NCT00000001"],
    ]
    shown = opened.sql(
        "select nct_id, until_position from trial_state where from_position = 3 order by all"
    )
    assert list(shown["nct_id"]) == ["NCT00000001", "NCT00000002"]
    assert shown["until_position"].isna().all()
    followed = opened.sql(
        f"select followed_until from slate_follow_up where slate_id = '{slate}'"  # noqa: S608 - its id
    )
    assert str(followed["followed_until"].iloc[0])[:10] == "2026-03-01"
    with pytest.raises(InputRefused, match="older than"):
        ingest(whole, "2026-02-15")


@pytest.mark.slow
def test_the_date_in_a_name_is_one_that_is_stated(opened: Store, tmp_path: Path) -> None:
    old = write_json(tmp_path / "trials-2026-01-01.json", [study()])
    new = Path(shutil.copy(old, tmp_path / "trials-2026-02-01.json"))
    assert opened.ingest.trials(old).is_new
    found = opened.ingest.trials(new)
    assert (found.is_new, found.n_versions, found.released_on) == (True, 0, date(2026, 2, 1))
    assert not opened.ingest.trials(old).is_new


@pytest.mark.slow
@pytest.mark.parametrize("source", ["fda", "ema"])
def test_a_date_that_is_given_makes_a_table_a_later_release(
    opened: Store, tmp_path: Path, source: str
) -> None:
    def ingest(path: Path, **options: Any) -> Any:
        found = getattr(opened.ingest, source)(path, **options)
        return found[0] if source == "ema" else found

    path = (
        drugs_at_fda(tmp_path / "table.zip")
        if source == "fda"
        else ema(tmp_path / "table.xlsx", [medicine()])
    )
    first = ingest(path)
    assert first.is_new
    assert not ingest(path).is_new
    later = ingest(path, released_on="2025-05-01")
    assert (later.is_new, later.n_versions, later.n_rows) == (True, 0, first.n_rows)
    assert not ingest(path, released_on="2025-05-01").is_new
    assert _dates(opened, source) == [str(first.released_on), "2025-05-01"]


@pytest.mark.slow
def test_a_version_of_chembl_may_repeat_an_earlier_one(opened: Store, tmp_path: Path) -> None:
    asthma = ("D001249", "Asthma", "EFO:0000270", "asthma")
    whole = chembl(tmp_path / "whole.db", [(1, 1, 3, *asthma)], version=None)
    lower = chembl(tmp_path / "lower.db", [(1, 1, 2, *asthma)], version=None)
    for path, version, day in (
        (whole, "35", "2025-01-01"),
        (lower, "36", "2025-07-01"),
        (whole, "37", "2026-01-01"),
    ):
        assert opened.ingest.chembl(path, version=version, released_on=day).is_new
        assert not opened.ingest.chembl(path, version=version, released_on=day).is_new
    assert _dates(opened, "chembl") == ["2025-01-01", "2025-07-01", "2026-01-01"]
    corrected = opened.sql("select before, after from evidence_correction")
    assert corrected.to_numpy().tolist() == [["3.0", "2.0"]]


@pytest.mark.slow
def test_a_refresh_takes_what_repeats_and_a_replay_finds_the_same(
    opened: Store, tmp_path: Path, tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.close()
    monkeypatch.chdir(tmp_path)
    Path("drop").mkdir()
    Path("tracker.toml").write_text(
        "settle_seconds = 0\n[[source]]\nkind = 'trials'\npath = 'drop/*'\ncomplete = true\n"
    )
    whole = write_json(Path("drop") / "trials-2026-01-01.json", [study(), study("NCT00000002")])
    write_json(Path("drop") / "trials-2026-02-01.json", [study()])
    shutil.copy(whole, Path("drop") / "trials-2026-03-01.json")
    # Without a date in its name it is what is there already, whenever it was changed.
    shutil.copy(whole, Path("drop") / "trials.json")

    def statuses() -> dict[str, str]:
        done = ok(tracker("refresh", "--offline", "--format", "json"))
        return {one["origin"]: one["status"] for one in json.loads(done.stdout)["sources"]}

    dated = [f"trials-2026-0{month}-01.json" for month in (1, 2, 3)]
    assert statuses() == {**dict.fromkeys(dated, "ingested"), "trials.json": "already ingested"}
    assert set(statuses().values()) == {"already ingested"}
    ok(tracker("refresh", "detect"))
    ok(tracker("replay", "--sources", "drop"))


@pytest.mark.slow
def test_an_extract_records_what_it_has_and_ends_no_follow_up(
    opened: Store, tmp_path: Path
) -> None:
    """openFDA states how many records there are; that a search found few has to be told."""
    whole = drugs_at_fda(tmp_path / "whole.zip")
    first = opened.ingest.fda(whole, released_on="2026-01-01")
    slate = opened.freeze(candidates="c", plan=PLAN, replay_as_of="2025-06-01")
    some = openfda("2026-02-01")
    some["meta"]["results"]["total"] = 28_000
    by_file = opened.ingest.fda(write_json(tmp_path / "some.json", some))
    told = opened.ingest.fda(
        write_json(tmp_path / "found.json", openfda("2026-03-01")), is_partial=True
    )
    assert [by_file.n_versions > 0, told.n_versions] == [True, 0]
    for one in (by_file, told):
        assert (one.is_new, one.n_vanished) == (True, 0)
        assert "some records of the FDA alone" in one.notes[0]
    covered = opened.releases
    assert list(covered[covered["source"] == "fda"]["is_complete"]) == [True, False, False]
    query = f"select followed_until from slate_follow_up where slate_id = '{slate}'"  # noqa: S608 - its id
    assert str(opened.sql(query)["followed_until"].iloc[0])[:10] == "2026-01-01"
    assert opened.ingest.fda(whole, released_on="2026-04-01").n_rows == first.n_rows
    assert str(opened.sql(query)["followed_until"].iloc[0])[:10] == "2026-04-01"
