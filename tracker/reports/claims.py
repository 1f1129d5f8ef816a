"""A slate's verdict as an in-toto statement that anyone can check.

Its subjects are the slate's canonical bytes (slate.txt of an export) and, for an entry of a round,
the file that the team deposited. The tokens prove by when both existed. The verdict is the store's
word; the head of its log commits to what the store then contained.
"""

import json
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from tracker import slates
from tracker.log import sealing, timestamps, tree_proofs
from tracker.reports import overview
from tracker.slates import plans
from tracker.slates.readers import CONTENT
from tracker.store.state import scope

STATEMENT = "https://in-toto.io/Statement/v1"
# docs/guides/rounds.md#claim describes the content.
PREDICATE = "urn:slate-tracker:claim:v1"

_ROUND = sa.text(
    "select name, question_sha256, sha256, team, model from round_entry "
    "inner join round using (round_id) left join round_deposit using (deposit_id) "
    "where slate_id = :slate_id"
)
_TOKENS = sa.text("select token_id from slate_proof where slate_id = :slate_id")


def of_slate(
    connection: Connection, slate: Row[Any], as_of: datetime | None = None
) -> dict[str, Any]:
    """Return the claim of a slate: its hash, header, plan, tokens and verdict.

    The connection must have been opened with `as_of`; InputRefused if the slate did not exist then.
    """
    key = {"slate_id": str(slate.slate_id)}
    entered = connection.execute(_ROUND, key).first()
    proving = {*connection.execute(_TOKENS, key).scalars()}
    with scope.of_slates(connection, slate):
        judged = overview.judged(connection, slate, as_of)
    subjects = [_subject(CONTENT, slate.content_sha256)]
    if entered is not None and entered.sha256 is not None:
        subjects.append(_subject("predictions", entered.sha256))
    value, low, high = judged.endpoint
    return {
        "_type": STATEMENT,
        "subject": subjects,
        "predicateType": PREDICATE,
        "predicate": {
            "slate": slates.from_row(slate).header,
            "plan": plans.of_slate(slate).plan.document,
            "round": None if entered is None else dict(entered._mapping),
            "tokens": [
                {
                    "sha256": token.sha256,
                    "authority": token.authority,
                    "generatedAt": token.generated_at.astimezone(UTC).isoformat(),
                    "reply": token.reply,
                }
                for token in timestamps.stored(connection)
                if token.token_id in proving
            ],
            "verdict": {
                "word": judged.facts["overall"],
                "sentence": judged.sentence,
                "primaryEndpoint": judged.facts["primary_endpoint"],
                "value": value,
                "low": low,
                "high": high,
                "countedFrom": str(judged.facts["counted_from"]),
                "asOf": judged.facts["as_of"],
            },
            "logHead": json.loads(sealing.head_line(tree_proofs.latest_head(connection))),
        },
    }


def _subject(name: str, sha256: str) -> dict[str, Any]:
    return {"name": name, "digest": {"sha256": sha256}}
