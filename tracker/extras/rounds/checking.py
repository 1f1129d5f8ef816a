"""Checks a submission against the folder of a question, as a reveal would, without the store."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text

from tracker import schema, scratch, store
from tracker.extras.rounds import questions, reveals
from tracker.files import sha256_of
from tracker.slates import loads

# The probe's known pairs, each with the share of the orders of equal scores in which it is among
# the first of its disease.
_FOUND = text(
    "with placed as (select disease_id, drug_id, "
    "rank() over (partition by disease_id order by score desc) as first_place, "
    "count(*) over (partition by disease_id, score) as n_tied from submission_row), "
    "listed as (select least(1, greatest(0, (:top_k + 1 - placed.first_place) / placed.n_tied)) "
    "as share from labeled_pair left join placed on placed.disease_id = labeled_pair.disease_id "
    "and placed.drug_id = labeled_pair.drug_id where label_set_id = :probe) "
    "select count(*) as n_known, coalesce(sum(share order by share), 0) as n_found from listed"
)


@dataclass(frozen=True)
class Checked:
    """A submission that a round would take; `n_found` of the probe's known pairs are in it.

    `n_found` is the mean over all orders of equal scores.
    """

    sha256: str
    n_left_out: int
    n_known: int
    n_found: float


def check(folder: Path, submission: Path) -> Checked:
    """Check a file of predictions against the question in a folder.

    Raises InputRefused if the folder was altered, and ProblemsFound with file, row and column for
    what a reveal would refuse.
    """
    question = questions.read(folder)
    with scratch.folder() as place, store.writer(place / "round.duckdb") as connection:
        loads.load_candidates(
            connection, folder / "candidates.csv", "candidates", "none", sealed=False
        )
        loads.load_labels(connection, folder / "labels.csv", "known")
        loads.load_labels(connection, folder / "probe.csv", "probe")
        own = loads.find_set(connection, schema.candidate_set, "candidates").candidate_set_id
        known, probe = (
            loads.find_set(connection, schema.label_set, name).label_set_id
            for name in ("known", "probe")
        )
        survey = reveals.read(connection, own, submission)
        given = {"top_k": question["top_k"], "probe": probe}
        n_known, n_found = connection.execute(_FOUND, given).one()
        n_left_out = reveals.keep_novel(connection, survey, question["top_k"], own, known)
    return Checked(sha256_of(submission), n_left_out, n_known, n_found)
