"""A slate: its canonical bytes, their hash, the chain, how it is stored and verified.

The canonical bytes are one header line of JSON and one line per prediction (the view
prediction_line), sorted by identifiers. content_sha256 is their SHA-256; previous_sha256 links
each slate frozen here to the one recorded before it.
"""

import json
import uuid
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker import schema, temp_tables
from tracker.errors import LATEST_SLATE, InputRefused, did_you_mean
from tracker.rows import Rows, rows_from
from tracker.slates import plans
from tracker.store import statements
from tracker.store.state import scope

# The rows of a slate to be inserted into the table prediction, with its columns.
frozen_row = temp_tables.define_like("frozen_row", schema.prediction)

# The fields of the header line, covered by every stored hash. This is format 1: a further field
# makes a new format, named in the header, and leaves the lines of this one unchanged.
HEADER_FIELDS = (
    "slate_id",
    "created_at",
    "frozen_on",
    "description",
    "model_version",
    "parameters",
    "fingerprint",
    "n_predictions",
    "plan",
    "is_replay",
    "candidate_sha256",
    "label_sha256",
    "alias_sha256",
    "previous_sha256",
)

_COUNT = text("select count(*) from prediction where slate_id = :slate_id")
_FROZEN_BY_NOW = text(
    "select slate_id from slate cross join report_instant where created_at <= as_of"
)
# Without instants, for which DuckDB imports pytz: that takes longer than to read them.
_NUMBERED = text(
    "select slate_number, slate_id, frozen_on, origin, is_replay, n_predictions, model_version, "
    "description, content_sha256 "
    "from slate left join slate_number using (slate_id) order by recorded_at, slate_id"
).columns(slate_id=sa.Uuid)


@dataclass(frozen=True)
class Slate:
    """The frozen facts of a slate except its predictions; fields are in schema.slate."""

    slate_id: uuid.UUID
    created_at: datetime
    frozen_on: date
    description: str
    model_version: str
    parameters: dict[str, Any]
    fingerprint: dict[str, Any]
    n_predictions: int
    plan: dict[str, Any] | None = None
    is_replay: bool = False
    candidate_sha256: str | None = None
    label_sha256: str | None = None
    alias_sha256: str | None = None
    previous_sha256: str | None = None

    @property
    def header(self) -> dict[str, Any]:
        """The first line of the canonical bytes as a mapping."""
        return {
            **{name: getattr(self, name) for name in HEADER_FIELDS},
            "slate_id": str(self.slate_id),
            "created_at": self.created_at.astimezone(UTC).isoformat(),
            "frozen_on": self.frozen_on.isoformat(),
        }

    @property
    def header_line(self) -> str:
        """The first line of the canonical bytes, with its line end."""
        line = json.dumps(self.header, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return line + "\n"


@dataclass(frozen=True)
class Frozen:
    """A stored slate with its hash."""

    slate: Slate
    content_sha256: str


@dataclass(frozen=True)
class VerifiedSlate:
    """The verification of one slate; `problem` is None if it is as frozen.

    `proof` says by when it existed, on which authority's word, or that its date is claimed.
    """

    slate_id: uuid.UUID
    content_sha256: str
    problem: str | None
    proof: str


def record(
    connection: Connection,
    slate: Slate,
    *,
    origin: str,
    recorded_at: datetime,
    candidate_set_id: int | None = None,
    label_set_id: int | None = None,
) -> Frozen:
    """Append a slate and the predictions in the temporary table frozen_row; return its hash.

    Raises InputRefused if its plan declares probabilities and a score is not one.
    """
    if plans.are_probabilities(slate.plan):
        _refuse_other_than_probabilities(connection)
    digest = incoming_sha256(connection, slate)
    connection.execute(
        schema.slate.insert(),
        {
            **{one.name: getattr(slate, one.name) for one in fields(slate)},
            "recorded_at": recorded_at,
            "origin": origin,
            "candidate_set_id": candidate_set_id,
            "label_set_id": label_set_id,
            "content_sha256": digest,
        },
    )
    statements.run(connection, "append_prediction", {"slate_id": str(slate.slate_id)})
    return Frozen(slate, digest)


def _refuse_other_than_probabilities(connection: Connection) -> None:
    found = statements.run(connection, "improbable_prediction").all()
    if found:
        first = found[0]
        more = f", and {len(found) - 1:,} more" if len(found) > 1 else ""
        score = str(first.score).removesuffix(".0")
        raise InputRefused(
            "the plan declares that scores are probabilities, but the score of drug "
            f"'{first.drug_name}' for disease '{first.disease_name}' is {score}, not "
            f"between 0 and 1{more}"
        )


def incoming_sha256(connection: Connection, slate: Slate) -> str:
    """Return the SHA-256 of the canonical bytes of `slate` with the predictions in frozen_row."""
    scope.store_variant(
        connection,
        "prediction_line",
        name="incoming_line",
        table="prediction",
        stand_in="frozen_row",
    )
    return str(
        statements.run(connection, "incoming_sha256", {"header": slate.header_line}).scalar_one()
    )


def stored_sha256(connection: Connection, slate: Slate) -> str:
    """Return the SHA-256 of the canonical bytes of `slate` as stored."""
    parameters = {"header": slate.header_line, "slate_id": str(slate.slate_id)}
    return str(statements.run(connection, "stored_sha256", parameters).scalar_one())


def alias_sha256(connection: Connection, until: datetime) -> str:
    """Return the SHA-256 of the aliases in the store at an instant."""
    return str(statements.run(connection, "alias_sha256", {"until": until}).scalar_one())


def all_slates(connection: Connection) -> list[Row[Any]]:
    """Return the rows of the table slate in the order they were recorded."""
    slate = schema.slate
    query = sa.select(slate).order_by(slate.c.recorded_at, slate.c.slate_id)
    return list(connection.execute(query))


def all_slate_ids(connection: Connection) -> list[uuid.UUID]:
    """Return the UUIDs of all slates in the order they were recorded."""
    return [row.slate_id for row in all_slates(connection)]


def listed(connection: Connection) -> Rows:
    """Return a row per slate with its number, in the order in which they were recorded."""
    return rows_from(connection.execute(_NUMBERED))


def predictions(connection: Connection, slate: Row[Any]) -> Rows:
    """Return a slate's predictions as they were frozen, disease by disease in order of rank."""
    prediction, disease, drug = schema.prediction, schema.disease, schema.drug
    names = ["score", "tier", "known_label", "known_max_phase", "first_approval_year"]
    names += ["criterion", "criterion_min_phase", "criterion_horizon_years"]
    return rows_from(
        connection.execute(
            sa.select(
                disease.c.name.label("disease_name"),
                prediction.c.rank,
                drug.c.name.label("drug_name"),
                *[prediction.c[name] for name in names],
            )
            .join(disease, disease.c.disease_id == prediction.c.disease_id)
            .join(drug, drug.c.drug_id == prediction.c.drug_id)
            .where(prediction.c.slate_id == slate.slate_id)
            .order_by(disease.c.name, disease.c.disease_id, prediction.c.rank)
        )
    )


def find(connection: Connection, slate: str) -> Row[Any]:
    """Return the slate whose UUID is or begins with `slate`; InputRefused if not exactly one.

    The name of a model names its slate, if it has one. `@3` is the third that was recorded, and
    `@latest` the last of those frozen by the as-of instant.
    """
    prefix = slate.strip().lower()
    known = all_slates(connection)
    if prefix.startswith("@"):
        return _numbered(connection, known, prefix)
    model = slate.strip().casefold()
    # A whole UUID names its slate, whatever a model of another is called.
    found = [row for row in known if str(row.slate_id) == prefix] or [
        row
        for row in known
        if str(row.slate_id).startswith(prefix) or row.model_version.casefold() == model
    ]
    if not prefix or not found:
        raise InputRefused(f"no slate begins with '{slate}'; {_resembling(known, prefix)}")
    if len(found) > 1:
        shown = [str(row.slate_id)[:8] for row in found]
        if len({*shown}) < len(shown):
            shown = [str(row.slate_id) for row in found]
        named = ", ".join(
            f"{one} of {row.frozen_on}" for one, row in zip(shown[:5], found, strict=False)
        )
        raise InputRefused(f"'{slate}' is ambiguous: give one of {named}")
    return found[0]


def _numbered(connection: Connection, known: list[Row[Any]], word: str) -> Row[Any]:
    """Return the slate that a word such as `@latest` or `@3` names."""
    if not known:
        raise InputRefused(f"there is no slate '{word}': the store has none")
    if word == LATEST_SLATE:
        existing = set(connection.execute(_FROZEN_BY_NOW).scalars())
        # Without any, callers refuse the first: it did not exist yet.
        return [known[0], *(row for row in known if row.slate_id in existing)][-1]
    number = int(word[1:]) if word[1:].isdecimal() and len(word) < 10 else 0
    if not 1 <= number <= len(known):
        raise InputRefused(
            f"there is no slate '{word}': give {LATEST_SLATE}, @1 to @{len(known)}, or the "
            "beginning of a UUID"
        )
    return known[number - 1]


def _resembling(known: list[Row[Any]], prefix: str) -> str:
    """Return the slates whose UUID or description resembles a text, or where slates are listed."""
    for row in known:
        if prefix and prefix in row.description.casefold():
            return f"did you mean '{str(row.slate_id)[:8]}', {row.description}?"
    beginnings = {str(row.slate_id)[: len(prefix)] for row in known}
    return did_you_mean(prefix, sorted(beginnings)) or "see 'tracker slate list'"


def from_row(row: Row[Any]) -> Slate:
    """Return the frozen facts of a stored slate."""
    return Slate(**{field.name: getattr(row, field.name) for field in fields(Slate)})


def verify(connection: Connection, slate: str | None = None) -> list[VerifiedSlate]:
    """Recompute the hash and place in the chain of one slate, or of all; verify its tokens again.

    Raises CheckFailed if the store's own roots were altered.
    """
    from tracker.log import timestamp_proofs

    rows = all_slates(connection)
    wanted = None if slate is None else find(connection, slate).slate_id
    trusted = timestamp_proofs.roots(connection)
    found = []
    for previous, row in zip([None, *rows], rows, strict=False):
        if wanted in (None, row.slate_id):
            problem = _problem(connection, row, previous)
            proof = timestamp_proofs.of_slate(connection, row, trusted)
            problem = problem or next(iter(proof.problems), None)
            found.append(VerifiedSlate(row.slate_id, row.content_sha256, problem, proof.words))
    return found


def problems(connection: Connection) -> list[str]:
    """Return what a verification of all slates and tokens finds altered, a line each."""
    from tracker.log import timestamp_proofs

    found = [f"slate {one.slate_id}: {one.problem}" for one in verify(connection) if one.problem]
    return [*found, *timestamp_proofs.of_other_hashes(connection)]


def _problem(connection: Connection, row: Row[Any], previous: Row[Any] | None) -> str | None:
    """Return the first way in which a slate is not as frozen, None if it is."""
    key = {"slate_id": str(row.slate_id)}
    altered = statements.run(connection, "altered_prediction", key).first()
    if altered is not None:
        return (
            f"the prediction of drug {altered.drug_identifier} for disease "
            f"{altered.disease_identifier} (rank {altered.rank}) {altered.reason}"
        )
    n_stored = connection.execute(_COUNT, key).scalar_one()
    if n_stored != row.n_predictions:
        return f"{row.n_predictions} predictions were frozen, {n_stored} are stored"
    if stored_sha256(connection, from_row(row)) != row.content_sha256:
        return (
            "the slate's own fields, or a prediction together with its checksum, were altered: "
            "the content no longer has the frozen SHA-256"
        )
    for name, table in (("candidate", schema.candidate_set), ("label", schema.label_set)):
        set_id = getattr(row, f"{name}_set_id")
        stored = sa.select(table.c.sha256).where(table.c[f"{name}_set_id"] == set_id)
        if set_id is not None and connection.execute(stored).scalar() != getattr(
            row, f"{name}_sha256"
        ):
            return f"its {name} set is not the one it was frozen with"
    if row.origin == "frozen":
        if row.alias_sha256 != alias_sha256(connection, row.recorded_at):
            return "the aliases present at the freeze were altered"
        if row.previous_sha256 != (previous.content_sha256 if previous else None):
            return "the chain is broken: it does not follow the slate recorded before it"
    return None
