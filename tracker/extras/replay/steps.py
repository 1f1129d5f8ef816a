"""The steps that a store took, as far as its ledger rests on them, in their order."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from tracker.extras.replay import stored
from tracker.store import statements

# What a detection leaves behind, and what is taken from the store before the next step anyway.
_DETECTION = ("matching", "events", "refresh")
_TAKEN = "aliases"


@dataclass(frozen=True)
class Step:
    """An ingestion of the release `release_id`, a detection, or claims of a file.

    `at` is when it happened: of a detection, when its events were recorded, and `matched_at` when
    its texts were matched. `until` is when the next step began.
    """

    kind: str
    at: datetime
    until: datetime
    release_id: int | None = None
    matched_at: datetime | None = None


def read(connection: Connection) -> list[Step]:
    """Return the steps of the attached store."""
    with stored.first(connection):
        rows = statements.run(connection, "replay_step").all()
    groups = [
        (kind, list(group))
        for kind, group in itertools.groupby(
            rows, lambda row: "detection" if row.step in _DETECTION else row.step
        )
    ]
    steps: list[Step] = []
    last = datetime.max.replace(tzinfo=rows[0].taken_at.tzinfo) if rows else None
    for number, (kind, group) in enumerate(groups):
        if kind == _TAKEN or last is None:
            continue
        later = [one for name, (one, *_) in groups[number + 1 :] if name != _TAKEN]
        until = later[0].taken_at if later else last
        if kind == "detection":
            steps.append(_detection(group, until))
            continue
        ends = [*(row.taken_at for row in group[1:]), until]
        steps += [
            Step(kind, row.taken_at, end, row.release_id)
            for row, end in zip(group, ends, strict=True)
        ]
    return steps


def _detection(group: Sequence[Row[Any]], until: datetime) -> Step:
    """Return the detection that left these rows: of the instant that most of its events bear."""
    events = [row for row in group if row.step == "events"]
    matchings = [row for row in group if row.step == "matching"]
    at = max(events, key=lambda row: row.n_events).taken_at if events else group[-1].taken_at
    return Step("detection", at, until, matched_at=matchings[0].taken_at if matchings else at)


def is_detected(steps: Sequence[Step]) -> bool:
    """Whether a detection came after the last ingestion."""
    kinds = [step.kind for step in steps if step.kind in ("detection", "release")]
    return not kinds or kinds[-1] == "detection"
