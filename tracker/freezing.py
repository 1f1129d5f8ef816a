"""Freezes a slate from a candidate set: top candidates, tiers, what was known, the fingerprint."""

import subprocess
import sys
import uuid
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

import tracker
from tracker import clock, entities, plans, schema, slates
from tracker.entities import DISEASE, DRUG
from tracker.errors import InputRefused
from tracker.loads import Progress, silent
from tracker.slates import Frozen, Slate

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
    knew of each, its analysis plan and its place in the hash chain are stored; the plan says where
    tiers end. Raises InputRefused for an unknown set or disease, a plan with problems, a replay in
    the future, or a slate without predictions.
    """
    held_to = plans.read(plan) if plan is not None else None
    tiers = (held_to or plans.default()).tiers
    candidate_set = _find_set(connection, schema.candidate_set, candidates)
    label_set = _find_set(connection, schema.label_set, labels) if labels is not None else None
    disease_ids = _find_diseases(connection, diseases)
    created_at = clock.now(connection)
    recorded_at = clock.in_order(connection, created_at)
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
        "tiers": tiers,
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
        plan=held_to.document if held_to else None,
        is_replay=replay_as_of is not None,
        candidate_sha256=candidate_set.sha256,
        label_sha256=label_set.sha256 if label_set else None,
        alias_sha256=slates.alias_sha256(connection, recorded_at),
        previous_sha256=_latest_sha256(connection),
    )
    build_frozen_rows(connection, tiers)
    progress(f"freezing {n_predictions:,} predictions")
    return slates.record(
        connection,
        slate,
        origin="frozen",
        recorded_at=recorded_at,
        candidate_set_id=candidate_set.candidate_set_id,
        label_set_id=label_set.label_set_id if label_set else None,
    )


def build_frozen_rows(connection: Connection, tier_cutoffs: dict[str, int]) -> None:
    """Turn the temporary table prediction_row into frozen_row: tiers, identifiers, criteria."""
    for entity in (DISEASE, DRUG):
        entities.register_identifiers(connection, entity)
    slates.create_frozen_rows(connection)
    connection.execute(_FROZEN_ROW, tier_cutoffs)


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
    rows = slates.all_slates(connection)
    return rows[-1].content_sha256 if rows else None


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
