"""Freezes a slate from a candidate set: top candidates, tiers, known labels, fingerprint."""

import contextlib
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any, NamedTuple

import duckdb
import sqlalchemy as sa
from sqlalchemy import Connection, Row, text

from tracker import clock, entities, schema, slates, temp_tables
from tracker.entities.kinds import DISEASE, DRUG
from tracker.errors import InputRefused
from tracker.progress import Progress, silent
from tracker.slates import known_pairs, loads, plans
from tracker.slates.frozen import Frozen, Slate
from tracker.store import connections, sealed_sets, statements
from tracker.store.state import engines, narrowing
from tracker.version import VERSION


def freeze(
    connection: Connection,
    *,
    candidates: str,
    labels: str | None,
    diseases: Sequence[str] = (),
    top_k: int = 50,
    min_score: float | None = None,
    description: str = "",
    plan: plans.Plan | None = None,
    replay_as_of: date | None = None,
    embargo_until: date | None = None,
    novel_only: bool = False,
    progress: Progress = silent,
) -> Frozen:
    """Freeze the best `top_k` candidates of each disease, of those that score at least `min_score`.

    Equal scores are ranked by a hash of the names of disease and drug. The slate, its predictions,
    the label set's knowledge of each, its analysis plan and its place in the hash chain are stored;
    the plan sets where tiers end. Until `embargo_until` published sites withhold the slate. With
    `novel_only`, pairs that are known, by labels or by evidence, are left out first. Raises
    InputRefused for an unknown set or disease, a replay in the future, an embargo that is over, or
    a slate without predictions, and CheckFailed if a file of the candidate set is not as it was
    sealed.
    """
    tiers = (plan or plans.default()).tiers
    hint = "load one with 'tracker load {}'"
    candidate_set = loads.find_set(
        connection, schema.candidate_set, candidates, hint.format("candidates")
    )
    label_set = None
    if labels is not None:
        label_set = loads.find_set(connection, schema.label_set, labels, hint.format("labels"))
    disease_ids = entities.keys_of(connection, DISEASE, diseases)
    created_at = clock.now(connection)
    # Unlike created_at, never before the store's latest row: it sets which aliases count.
    recorded_at = clock.in_order(connection, created_at)
    today = created_at.date()
    if replay_as_of is not None and replay_as_of > today:
        raise InputRefused(f"--replay-as-of {replay_as_of} is in the future")
    if embargo_until is not None and embargo_until <= today:
        raise InputRefused(f"--embargo-until {embargo_until} is not later than the freeze, {today}")
    sealed_sets.require_unaltered(connection, candidate_set.candidate_set_id)
    parameters = {
        "candidates": candidates,
        "labels": labels,
        "top_k": top_k,
        "min_score": min_score,
        "diseases": list(diseases),
        "tiers": tiers,
        # Only where there is one: the headers of other slates stay as they are.
        **({"novel_only": True} if novel_only else {}),
        **({} if embargo_until is None else {"embargo_until": embargo_until.isoformat()}),
    }
    earlier = slates.all_slates(connection)
    slate = Slate(
        slate_id=uuid.uuid4(),
        created_at=created_at,
        frozen_on=replay_as_of or today,
        description=description,
        model_version=candidate_set.model_version,
        parameters=parameters,
        fingerprint=_fingerprint(candidate_set, label_set),
        n_predictions=0,
        plan=plan.document if plan else None,
        is_replay=replay_as_of is not None,
        candidate_sha256=candidate_set.sha256,
        label_sha256=label_set.sha256 if label_set else None,
        alias_sha256=slates.alias_sha256(connection, recorded_at),
        previous_sha256=earlier[-1].content_sha256 if earlier else None,
    )
    set_ids = {
        "candidate_set_id": candidate_set.candidate_set_id,
        "label_set_id": label_set.label_set_id if label_set else None,
    }
    frozen = record_ranked(
        connection,
        slate,
        origin="frozen",
        recorded_at=recorded_at,
        set_ids=set_ids,
        disease_ids=disease_ids,
        progress=progress,
    )
    statements.run(
        connection, "append_merged_note", {"slate_id": str(frozen.slate.slate_id), **set_ids}
    )
    return frozen


def record_ranked(
    connection: Connection,
    slate: Slate,
    *,
    origin: str,
    recorded_at: datetime,
    set_ids: Mapping[str, int | None],
    disease_ids: Sequence[int] = (),
    scored_in: str | None = None,
    progress: Progress = silent,
) -> Frozen:
    """Rank the pairs of a slate by its parameters, and store it with its predictions.

    The pairs are those of its candidate set, or of the temporary table `scored_in`, whose columns
    are candidate_set_id, disease_id, drug_id and score. Raises InputRefused if there are none.
    """
    parameters = slate.parameters
    min_score, novel_only = parameters["min_score"], bool(parameters.get("novel_only"))
    stand_in = {} if scored_in is None else {"candidate": f"from temp.{scored_in}"}
    progress("looking up what is known")
    row = {**vars(slate), **set_ids, "origin": origin, "recorded_at": recorded_at}
    with known_pairs.at_freeze(connection, row), narrowing.replaced(connection, stand_in):
        progress(f"ranking the candidates of '{parameters['candidates']}'")
        # Creates the temporary table prediction_row, the source of the slate's rows.
        engines.create(
            connection,
            "prediction_row",
            {
                **set_ids,
                "every_disease": not parameters["diseases"],
                "diseases": disease_ids,
                "top_k": parameters["top_k"],
                "min_score": min_score,
                "novel_only": novel_only,
            },
        )
    n_predictions = connection.execute(text("select count(*) from prediction_row")).scalar_one()
    if n_predictions == 0:
        unknown = " that was not known" if novel_only else ""
        raise InputRefused(
            f"no candidate of '{parameters['candidates']}' for these diseases{unknown}"
            + ("" if min_score is None else f" scores at least {min_score:.15g}")
        )
    slate = replace(slate, n_predictions=n_predictions)
    build_frozen_rows(connection, parameters["tiers"])
    progress(f"freezing {n_predictions:,} predictions")
    return slates.record(connection, slate, origin=origin, recorded_at=recorded_at, **set_ids)


class LeftOut(NamedTuple):
    """How many candidates the diseases of a slate have, and how many it did not take, by reason.

    `n_known` were known, if the slate leaves these out. Of the others, `n_low` were among the
    `top_k` best but scored below `min_score`, in `n_diseases` all of them; `n_beyond` came after
    the `top_k` best of a disease.
    """

    n_low: int
    n_diseases: int
    n_beyond: int
    n_candidates: int
    n_known: int


def left_out(connection: Connection, slate: Row[Any]) -> LeftOut:
    """Return what a freeze left out: all zero for a slate that was not frozen here."""
    if slate.origin != "frozen":
        return LeftOut(0, 0, 0, 0, 0)
    with _chosen_from(connection, slate) as chosen_from:
        found = statements.run(
            connection,
            "left_out_prediction",
            {
                **chosen_from,
                "every_disease": not slate.parameters["diseases"],
                "diseases": entities.keys_of(connection, DISEASE, slate.parameters["diseases"]),
                "top_k": slate.parameters["top_k"],
                "min_score": slate.parameters["min_score"],
            },
        ).one()
    return LeftOut(
        found.n_left_out, found.n_diseases, found.n_beyond, found.n_candidates, found.n_known
    )


def list_sizes(connection: Connection, slate_id: uuid.UUID) -> list[int]:
    """Return the number of predictions of each disease of a slate, ascending."""
    table = schema.prediction
    n = sa.func.count().label("n")
    query = sa.select(n).where(table.c.slate_id == slate_id).group_by(table.c.disease_id)
    return [int(one) for one in connection.execute(query.order_by(n)).scalars()]


def unlabeled(connection: Connection, slate: Row[Any]) -> list[str]:
    """Return the predictions that evidence knows and labels do not, by rank: drug and disease."""
    found = statements.run(
        connection, "unlabeled_prediction", {"slate_id": str(slate.slate_id)}
    ).all()
    return [f"{row.drug_name} in {row.disease_name}" for row in found]


def ties(connection: Connection, slate: Row[Any]) -> Row[Any] | None:
    """Return what ties decide of a slate, the row of the statement slate_tie.

    None for a slate that was not frozen here: what it was chosen from is not known.
    """
    if slate.origin != "frozen":
        return None
    with _chosen_from(connection, slate) as chosen_from:
        return statements.run(connection, "slate_tie", chosen_from).one()


@contextlib.contextmanager
def _chosen_from(connection: Connection, slate: Row[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the parameters that say which candidates a freeze here chose from.

    Where it left out what was known, so does pair_known_phase, of then.
    """
    novel_only = bool(slate.parameters.get("novel_only"))
    given = {
        "slate_id": str(slate.slate_id),
        "candidate_set_id": slate.candidate_set_id,
        "novel_only": novel_only,
    }
    with contextlib.ExitStack() as stack:
        if novel_only:
            stack.enter_context(known_pairs.at_freeze(connection, dict(slate._mapping)))
        yield given


def build_frozen_rows(connection: Connection, tier_cutoffs: dict[str, int]) -> None:
    """Turn the temporary table prediction_row into frozen_row: tiers, identifiers, criteria."""
    for entity in (DISEASE, DRUG):
        entities.register_identifiers(connection, entity)
    temp_tables.recreate(connection, slates.frozen_row)
    statements.run(connection, "append_frozen_row", tier_cutoffs)
    connections.commit(connection)


def _fingerprint(candidate_set: Row[Any], label_set: Row[Any] | None) -> dict[str, Any]:
    """Return the slate's provenance: code revision, files, versions."""
    return {
        "git_sha": _git_sha(),
        "tracker": VERSION,
        "duckdb": duckdb.__version__,
        "python": ".".join(str(part) for part in sys.version_info[:3]),
        "files": {row.origin: row.sha256 for row in (candidate_set, label_set) if row is not None},
    }


def _git_sha() -> str | None:
    """Return the revision checked out in the current folder, None outside a git checkout."""
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
