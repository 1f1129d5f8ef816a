"""Freezes slates: ranks, tiers, what was known, canonical bytes, the hash chain, verification.

The canonical bytes are one header line of JSON and one line per prediction (the view
prediction_line), sorted by identifiers. content_sha256 is their SHA-256; previous_sha256 links
each slate frozen here to the one recorded before it.
"""

import json
import subprocess
import sys
import tomllib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

import tracker
from tracker import catalog, entities, schema, store
from tracker.entities import DISEASE, DRUG
from tracker.errors import InputRefused
from tracker.loads import Progress, silent

TIER_CUTOFFS = {"high": 10, "moderate": 50}

# The rows of a slate on their way into the table prediction, whose columns it has.
frozen_row = sa.Table(
    "frozen_row",
    sa.MetaData(),
    *[sa.Column(column.name, column.type) for column in schema.prediction.c],
    prefixes=["TEMPORARY"],
)

# Needs prediction_row: the pairs with score, rank and what was known of them.
_FROZEN_ROW = text(
    """
insert into frozen_row by name
with pair_phase as (
    select
        *,
        case
            when rank <= :high then 'high'
            when rank <= :moderate then 'moderate'
            else 'exploratory'
        end as tier,
        greatest(coalesce(known_label, 0), coalesce(known_max_phase, 0)) as known_phase
    from prediction_row
)

select
    pair_phase.disease_id,
    pair_phase.drug_id,
    disease_identifier.identifier as disease_identifier,
    drug_identifier.identifier as drug_identifier,
    pair_phase.score,
    pair_phase.rank,
    pair_phase.tier,
    pair_phase.known_label,
    pair_phase.known_max_phase,
    pair_phase.first_approval_year,
    case
        when known_phase >= 4 then 'monitor'
        when known_phase > 0 then 'exceed_phase'
        when tier = 'exploratory' then 'any_activity'
        else 'reach_phase'
    end as criterion,
    cast(case
        when known_phase >= 4 then null
        when known_phase > 0 then known_phase
        when tier = 'high' then 2
        when tier = 'moderate' then 1
    end as double) as criterion_min_phase,
    case
        when known_phase >= 4 then null
        when known_phase > 0 or tier = 'high' then 3
        else 5
    end as criterion_horizon_years
from pair_phase
inner join disease_identifier using (disease_id)
inner join drug_identifier using (drug_id)
"""
)

# The lowest score that can reach the top k of each disease is found first: the engine keeps k
# scores per disease, and only what lies above has to be ranked.
_TOP_K = text(
    """
create or replace temp table prediction_row as
with lowest as (
    select
        disease_id,
        list_min(max(score, :top_k)) as lowest_score
    from candidate
    where candidate_set_id = :candidate_set_id and score >= :min_score
        and (:every_disease or disease_id in (select unnest(cast(:diseases as integer[]))))
    group by disease_id
),

contender as (
    select
        candidate.disease_id,
        candidate.drug_id,
        candidate.score
    from candidate
    inner join lowest using (disease_id)
    where candidate.candidate_set_id = :candidate_set_id
        and candidate.score >= lowest.lowest_score
),

ranked_pair as (
    select
        disease_id,
        drug_id,
        score,
        row_number() over (partition by disease_id order by score desc, drug_id) as rank
    from contender
)

select
    ranked_pair.disease_id,
    ranked_pair.drug_id,
    ranked_pair.score,
    ranked_pair.rank,
    labeled_pair.label as known_label,
    coalesce(
        labeled_pair.max_phase, if(labeled_pair.label > 0, labeled_pair.label, null)
    ) as known_max_phase,
    labeled_pair.approval_year as first_approval_year
from ranked_pair
left join labeled_pair
    on ranked_pair.disease_id = labeled_pair.disease_id
    and ranked_pair.drug_id = labeled_pair.drug_id
    and labeled_pair.label_set_id = :label_set_id
where ranked_pair.rank <= :top_k
"""
)

_ALIAS_SHA256 = text(
    """
select sha256(coalesce(string_agg(line || chr(10), '' order by line), ''))
from (
    select concat_ws(chr(9), 'drug', kind, value, drug_id) as line
    from drug_alias
    where added_at <= :until
    union all
    select concat_ws(chr(9), 'disease', kind, value, disease_id) as line
    from disease_alias
    where added_at <= :until
)
"""
)


_INCOMING_SHA256 = text(
    """
select sha256(
    :header || string_agg(line || chr(10), '' order by disease_identifier, drug_identifier)
)
from incoming_line
"""
)

_STORED_SHA256 = text(
    """
select sha256(
    :header || string_agg(line || chr(10), '' order by disease_identifier, drug_identifier)
)
from prediction_line
where slate_id = :slate_id
"""
)

_APPEND_PREDICTIONS = text(
    """
insert into prediction by name
select
    cast(:slate_id as uuid) as slate_id,
    frozen_row.disease_id,
    frozen_row.drug_id,
    frozen_row.disease_identifier,
    frozen_row.drug_identifier,
    frozen_row.score,
    frozen_row.rank,
    frozen_row.tier,
    frozen_row.known_label,
    frozen_row.known_max_phase,
    frozen_row.first_approval_year,
    frozen_row.criterion,
    frozen_row.criterion_min_phase,
    frozen_row.criterion_horizon_years,
    left(sha256(incoming_line.line), 16) as line_checksum
from frozen_row
inner join incoming_line using (disease_id, drug_id)
"""
)

_COUNT = text("select count(*) from prediction where slate_id = :slate_id")

_ALTERED = text(
    """
with judged as (
    select
        prediction.disease_identifier,
        prediction.drug_identifier,
        prediction.rank,
        case
            when left(sha256(prediction_line.line), 16) <> prediction.line_checksum
                then 'is not as it was frozen'
            when prediction.disease_identifier not in (
                select value from disease_alias where disease_id = prediction.disease_id
            ) then 'now points to another disease'
            when prediction.drug_identifier not in (
                select value from drug_alias where drug_id = prediction.drug_id
            ) then 'now points to another drug'
        end as reason
    from prediction
    inner join prediction_line using (slate_id, disease_id, drug_id)
    where slate_id = :slate_id
)

from judged
where reason is not null
order by disease_identifier, drug_identifier
limit 1
"""
)


@dataclass(frozen=True)
class Slate:
    """What is frozen of a slate beside its predictions; see schema.slate for each field."""

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
            **self.__dict__,
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
    """A slate as stored, with its hash."""

    slate: Slate
    content_sha256: str


@dataclass(frozen=True)
class Verdict:
    """What verification found of one slate; `problem` is None if it is as frozen."""

    slate_id: uuid.UUID
    content_sha256: str
    problem: str | None


def freeze(
    connection: Connection,
    *,
    candidates: str,
    labels: str | None,
    diseases: Sequence[str] = (),
    top_k: int = 50,
    min_score: float = 0.3,
    description: str = "",
    plan: Path | None = None,
    replay_as_of: date | None = None,
    progress: Progress = silent,
) -> Frozen:
    """Freeze the best `top_k` candidates of each disease that score at least `min_score`.

    Ties in score are ranked by drug_id. Afterwards the slate, its predictions, what the label set
    knew of each and its place in the hash chain are stored. Raises InputRefused for an unknown
    set or disease, a replay in the future, or a slate without predictions.
    """
    candidate_set = _find_set(connection, schema.candidate_set, candidates)
    label_set = _find_set(connection, schema.label_set, labels) if labels else None
    disease_ids = _find_diseases(connection, diseases)
    created_at = store.now(connection)
    today = created_at.date()
    if replay_as_of is not None and replay_as_of > today:
        raise InputRefused(f"--replay-as-of {replay_as_of} lies in the future")
    progress(f"ranking the candidates of '{candidates}'")
    connection.execute(
        _TOP_K,
        {
            "candidate_set_id": candidate_set.candidate_set_id,
            "label_set_id": label_set.label_set_id if label_set else None,
            "every_disease": not diseases,
            "diseases": disease_ids,
            "top_k": top_k,
            "min_score": min_score,
        },
    )
    n_predictions = connection.execute(text("select count(*) from prediction_row")).scalar_one()
    if n_predictions == 0:
        raise InputRefused(
            f"no candidate of '{candidates}' for these diseases scores at least {min_score:g}"
        )
    parameters = {
        "candidates": candidates,
        "labels": labels,
        "top_k": top_k,
        "min_score": min_score,
        "diseases": list(diseases),
        "tiers": TIER_CUTOFFS,
    }
    slate = Slate(
        slate_id=uuid.uuid4(),
        created_at=created_at,
        frozen_on=replay_as_of or today,
        description=description,
        model_version=candidate_set.model_version,
        parameters=parameters,
        fingerprint=_fingerprint(candidate_set, label_set),
        n_predictions=n_predictions,
        plan=_read_plan(plan),
        is_replay=replay_as_of is not None,
        candidate_sha256=candidate_set.sha256,
        label_sha256=label_set.sha256 if label_set else None,
        alias_sha256=alias_sha256(connection, created_at),
        previous_sha256=_latest_sha256(connection),
    )
    build_frozen_rows(connection, TIER_CUTOFFS)
    progress(f"freezing {n_predictions:,} predictions")
    return record(
        connection,
        slate,
        origin="frozen",
        recorded_at=created_at,
        candidate_set_id=candidate_set.candidate_set_id,
        label_set_id=label_set.label_set_id if label_set else None,
    )


def build_frozen_rows(connection: Connection, tier_cutoffs: dict[str, int]) -> None:
    """Turn the temporary table prediction_row into frozen_row: tiers, identifiers, criteria."""
    for entity in (DISEASE, DRUG):
        entities.register_identifiers(connection, entity)
    create_frozen_rows(connection)
    connection.execute(_FROZEN_ROW, tier_cutoffs)


def create_frozen_rows(connection: Connection) -> None:
    """Make the temporary table frozen_row anew, empty."""
    frozen_row.drop(connection, checkfirst=True)
    frozen_row.create(connection)


def record(
    connection: Connection,
    slate: Slate,
    *,
    origin: str,
    recorded_at: datetime,
    candidate_set_id: int | None = None,
    label_set_id: int | None = None,
) -> Frozen:
    """Append a slate and the predictions in the temporary table frozen_row; return its hash."""
    digest = incoming_sha256(connection, slate)
    connection.execute(
        schema.slate.insert(),
        {
            **slate.__dict__,
            "recorded_at": recorded_at,
            "origin": origin,
            "candidate_set_id": candidate_set_id,
            "label_set_id": label_set_id,
            "content_sha256": digest,
        },
    )
    connection.execute(_APPEND_PREDICTIONS, {"slate_id": str(slate.slate_id)})
    return Frozen(slate, digest)


def incoming_sha256(connection: Connection, slate: Slate) -> str:
    """Return the SHA-256 of the canonical bytes of `slate` with the predictions in frozen_row."""
    view = next(view for view in catalog.read_views() if view.name == "prediction_line")
    catalog.create_variant(
        connection, view, name="incoming_line", table="prediction", stand_in="frozen_row"
    )
    return str(connection.execute(_INCOMING_SHA256, {"header": slate.header_line}).scalar_one())


def stored_sha256(connection: Connection, slate: Slate) -> str:
    """Return the SHA-256 of the canonical bytes of `slate` as the store holds it."""
    parameters = {"header": slate.header_line, "slate_id": str(slate.slate_id)}
    return str(connection.execute(_STORED_SHA256, parameters).scalar_one())


def alias_sha256(connection: Connection, until: datetime) -> str:
    """Return the SHA-256 of the aliases that stood in the store at an instant."""
    return str(connection.execute(_ALIAS_SHA256, {"until": until}).scalar_one())


def all_slates(connection: Connection) -> list[Row[Any]]:
    """Return the rows of the table slate in the order in which they were recorded."""
    return list(connection.execute(sa.select(schema.slate).order_by(schema.slate.c.recorded_at)))


def find(connection: Connection, slate: str) -> Row[Any]:
    """Return the slate whose UUID is or begins with `slate`; InputRefused if not exactly one."""
    prefix = slate.strip().lower()
    found = [row for row in all_slates(connection) if str(row.slate_id).startswith(prefix)]
    if not prefix or not found:
        raise InputRefused(f"no slate begins with '{slate}'; see 'tracker slate list'")
    if len(found) > 1:
        shown = ", ".join(str(row.slate_id) for row in found[:5])
        raise InputRefused(f"'{slate}' is ambiguous: {shown}")
    return found[0]


def from_row(row: Row[Any]) -> Slate:
    """Return what was frozen of a stored slate."""
    return Slate(**{field.name: getattr(row, field.name) for field in fields(Slate)})


def verify(connection: Connection, slate: str | None = None) -> list[Verdict]:
    """Recompute the hash of one slate, or of all, and its place in the chain."""
    rows = all_slates(connection)
    wanted = None if slate is None else find(connection, slate).slate_id
    verdicts = []
    previous: Row[Any] | None = None
    for row in rows:
        if wanted is None or row.slate_id == wanted:
            verdicts.append(
                Verdict(row.slate_id, row.content_sha256, _problem(connection, row, previous))
            )
        previous = row
    return verdicts


def _problem(connection: Connection, row: Row[Any], previous: Row[Any] | None) -> str | None:
    """The first way in which a slate is not as frozen, None if it is."""
    key = {"slate_id": str(row.slate_id)}
    altered = connection.execute(_ALTERED, key).first()
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
        held = sa.select(table.c.sha256).where(table.c[f"{name}_set_id"] == set_id)
        if set_id is not None and connection.execute(held).scalar() != getattr(
            row, f"{name}_sha256"
        ):
            return f"its {name} set is not the one it was frozen with"
    if row.origin == "frozen":
        if row.alias_sha256 != alias_sha256(connection, row.recorded_at):
            return "the aliases that stood at the freeze were altered"
        if row.previous_sha256 != (previous.content_sha256 if previous else None):
            return "the chain is broken: it does not follow the slate recorded before it"
    return None


def _find_set(connection: Connection, table: sa.Table, name: str) -> Row[Any]:
    row = connection.execute(sa.select(table).where(table.c.name == name)).first()
    if row is not None:
        return row
    names = connection.execute(sa.select(table.c.name).order_by(table.c.name)).scalars().all()
    kind = table.name.replace("_", " ")
    known = (
        f"known are {', '.join(names)}" if names else f"load one with 'tracker load {kind[:-4]}s'"
    )
    raise InputRefused(f"no {kind} is named '{name}'; {known}")


def _find_diseases(connection: Connection, diseases: Sequence[str]) -> list[int]:
    """The keys of diseases given by name or by identifier."""
    mentions = pd.DataFrame(
        {
            "name": diseases,
            "identifier": [
                name if entities.is_known_identifier(connection, DISEASE, name) else None
                for name in diseases
            ],
        }
    )
    resolution = entities.resolve(connection, DISEASE, mentions)
    if resolution.problems:
        raise InputRefused("; ".join(problem.message for problem in resolution.problems))
    return [int(key) for key in resolution.matches[DISEASE.key]]


def _latest_sha256(connection: Connection) -> str | None:
    rows = all_slates(connection)
    return rows[-1].content_sha256 if rows else None


def _read_plan(path: Path | None) -> dict[str, Any] | None:
    if path is None:
        return None
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputRefused(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputRefused(f"{path.name}: is not TOML: {error}") from error


def _fingerprint(candidate_set: Row[Any], label_set: Row[Any] | None) -> dict[str, Any]:
    """What the slate was made with: code revision, files, versions."""
    return {
        "git_sha": _git_sha(),
        "tracker": tracker.__version__,
        "duckdb": duckdb.__version__,
        "python": ".".join(str(part) for part in sys.version_info[:3]),
        "files": {row.origin: row.sha256 for row in (candidate_set, label_set) if row is not None},
    }


def _git_sha() -> str | None:
    """The revision checked out in the current folder, None outside a git checkout."""
    try:
        answer = subprocess.run(
            ["git", "rev-parse", "HEAD"],  # noqa: S607 - git is found on the user's own PATH
            capture_output=True,
            check=True,
            text=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()
