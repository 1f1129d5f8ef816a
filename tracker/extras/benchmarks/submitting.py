"""Passes files of predictions through the gate and freezes them as submissions."""

from dataclasses import replace
from pathlib import Path

from sqlalchemy import Connection

from tracker import files, store
from tracker.errors import InputRefused
from tracker.extras.benchmarks import (
    definitions,
    distance,
    freezing,
    models,
    similarity,
    staging,
    submission_file,
)
from tracker.extras.benchmarks.freezing import SubmissionFacts, Submitted
from tracker.extras.benchmarks.models import Model
from tracker.progress import Progress, silent


def submit(
    connection: Connection,
    name: str,
    path: Path,
    *,
    submitter: str,
    track: str,
    code_revision: str | None = None,
    is_partial: bool = False,
    model: Model | None = None,
    progress: Progress = silent,
) -> Submitted:
    """Pass a file through the gate and freeze it as a submission to benchmark `name`.

    The same file by the same submitter on the same track adds nothing. Raises InputRefused if the
    model is not the one then frozen with it, and ProblemsFound with file, row and column of every
    problem.
    """
    benchmark = definitions.find(connection, name)
    if not submitter.strip():
        raise InputRefused("the submitter cannot be empty")
    if not path.is_file():
        raise InputRefused(f"{path}: no such file")
    if model is not None:
        models.check(model, store.now(connection).date())
    sha256 = files.sha256_of(path)
    entry = SubmissionFacts(submitter, track, path.name, sha256, code_revision, is_partial, model)
    stored = freezing.find_same(connection, benchmark, entry)
    if stored is not None:
        if model is not None and model != models.find(connection, stored.submission_id):
            raise InputRefused(
                f"this file is already submission {stored.submission_id} of this submitter, frozen "
                "with other facts on its model, which never change"
            )
        return freezing.described(connection, benchmark, stored.submission_id, is_new=False)
    progress("checking every row")
    given = files.open_table(connection, path)
    entry = replace(entry, file_sha256=given.sha256)
    read = submission_file.read_values
    if benchmark.kind == "multilabel":
        read = submission_file.read_labels
    read(connection, benchmark, given, track, is_partial).refuse()
    progress("freezing the predictions")
    number = freezing.freeze(connection, benchmark, entry)
    submitted = freezing.described(connection, benchmark, number, is_new=True)
    if benchmark.kind != "regression":
        return submitted
    is_long = staging.is_long(given.names, definitions.target_names(connection, benchmark))
    warnings = distance.of_file(connection, number, given, is_long=is_long)
    warnings += similarity.of_submission(connection, number)
    return replace(submitted, warnings=warnings)
