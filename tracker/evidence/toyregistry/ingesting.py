"""Ingests the toy registry's CSV files: each study stored when it is new or changed."""

import csv
from datetime import date
from pathlib import Path

from sqlalchemy import Connection

from tracker.errors import InputRefused
from tracker.evidence import release_ledger, snapshots
from tracker.evidence.snapshots import LocatedFile
from tracker.evidence.trials import api
from tracker.evidence.trials import ingesting as trials
from tracker.evidence.trials import reading as clinicaltrials
from tracker.files import archives, names

SOURCE, FORM = "toyregistry", "toy registry CSV"
_COLUMNS = ["number", "title", "registered", "started", "phase", "status", "condition", "drug"]


def locate(path: Path) -> LocatedFile:
    """Return what `path` is; raises InputRefused if it is not a file of the registry."""
    found = snapshots.locate(path, lambda _: FORM)
    with path.open(encoding="utf-8", newline="") as handle:
        if next(csv.reader(handle), []) != _COLUMNS:
            raise InputRefused(f"{path.name}, row 1: has not the columns {', '.join(_COLUMNS)}")
    return found


def ingest(connection: Connection, path: Path, released_on: date | None) -> release_ledger.Ingested:
    """Store the studies of a file that are new or changed; raises InputRefused naming the row."""
    source, day = locate(path), released_on or names.date_in(path)
    stored = release_ledger.find_same(connection, SOURCE, source.sha256, released_on=released_on)
    if stored is not None:
        return stored
    if day is None:
        raise InputRefused(f"{path.name}: states no day; give it with --released")
    release_ledger.refuse_future(day)
    release_ledger.refuse_older(connection, SOURCE, path.name, day)
    clinicaltrials.prepare_staging(connection)
    batch = api.Batch()
    with path.open(encoding="utf-8", newline="") as handle:
        for number, row in enumerate(csv.DictReader(handle), start=2):
            place = f"{path.name}, row {number}"
            cells = [row[name] or None for name in _COLUMNS]
            if cells[0] is None:
                raise InputRefused(f"{place}: has no number")
            own, title, registered, started, phase, status, condition, drug = cells
            kinds = ("INTERVENTIONAL", phase, status, started, "ACTUAL", None, None)
            batch.studies.append((own, place, title, *kinds, registered, None))
            batch.details.append((place, "TREATMENT", None, None, None))
            batch.conditions.append((place, 0, condition, False, None))
            batch.interventions.append((place, 0, "DRUG", drug, False, False, None))
            batch.numbers.append((own, own))
    batch.insert(connection)
    archives.refuse_changed(source.stamps)
    trials.prepare(connection)
    return trials.store(
        connection, trials.Snapshot(SOURCE, FORM, path.name, source.sha256, day, is_complete=False)
    )
