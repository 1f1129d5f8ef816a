"""Benchmarks, their truth, and the submissions frozen for them."""

from typing import Literal, get_args

import sqlalchemy as sa

from tracker.schema.base import instant, metadata, one_of

BenchmarkKind = Literal["regression", "binary", "ordinal", "multilabel"]
BENCHMARK_KINDS: tuple[BenchmarkKind, ...] = get_args(BenchmarkKind)
Track = Literal["cv", "heldout", "public", "test"]
TRACKS: tuple[Track, ...] = get_args(Track)
SUBMISSION_NOTE_KINDS = ("leakage", "partial", "truncated", "unlisted_labels")

benchmark = sa.Table(
    "benchmark",
    metadata,
    sa.Column("benchmark_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String, nullable=False, unique=True),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("preset", sa.String),
    sa.Column("item_column", sa.String, nullable=False),
    sa.Column("fold_column", sa.String),
    sa.Column("n_classes", sa.SmallInteger),
    sa.Column("n_items", sa.BigInteger, nullable=False),
    sa.Column("definition", sa.JSON, nullable=False),
    instant("created_at"),
    one_of("kind", BENCHMARK_KINDS, "benchmark_kind"),
    sa.CheckConstraint("n_classes >= 2", name="benchmark_n_classes"),
    sa.CheckConstraint("n_items >= 1", name="benchmark_n_items"),
    comment="What submissions are scored on: items, targets and, once loaded, truth",
)

benchmark_column = sa.Table(
    "benchmark_column",
    metadata,
    sa.Column("benchmark_id", sa.ForeignKey("benchmark.benchmark_id"), primary_key=True),
    sa.Column("name", sa.String, primary_key=True),
    comment="A further column of the benchmark's own table; submissions may carry it, unread",
)

benchmark_target = sa.Table(
    "benchmark_target",
    metadata,
    sa.Column("target_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("benchmark_id", sa.ForeignKey("benchmark.benchmark_id"), nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("is_lower_better", sa.Boolean, nullable=False),
    sa.UniqueConstraint("benchmark_id", "name"),
    comment="What is predicted of each item: an assay, a task, a severity",
)

# Items, truth and predicted values come in tens of millions. As for candidate, no key and no
# foreign key: the gate and sql/checks ensure uniqueness and references instead.
benchmark_item = sa.Table(
    "benchmark_item",
    metadata,
    sa.Column("benchmark_id", sa.Integer, nullable=False),
    sa.Column("item_id", sa.BigInteger, nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("fold", sa.String),
    sa.CheckConstraint("fold not in ('aggregated', 'average')", name="benchmark_item_fold"),
    sa.CheckConstraint("name <> ''", name="benchmark_item_name"),
    comment="An item of a benchmark, or an instance of a multi-label one, with its fold if any",
)

truth_set = sa.Table(
    "truth_set",
    metadata,
    sa.Column("benchmark_id", sa.ForeignKey("benchmark.benchmark_id"), primary_key=True),
    sa.Column("sha256", sa.String, nullable=False),
    sa.Column("origin", sa.String, nullable=False),
    sa.Column("n_values", sa.BigInteger, nullable=False),
    instant("loaded_at"),
    comment="The truth file of a benchmark, loaded once and never changed",
)

truth = sa.Table(
    "truth",
    metadata,
    sa.Column("target_id", sa.Integer, nullable=False),
    sa.Column("item_id", sa.BigInteger, nullable=False),
    sa.Column("value", sa.Double, nullable=False),
    sa.CheckConstraint("isfinite(value)", name="truth_value"),
    comment="The true value of an item: measured, 0 or 1, or the index of its class",
)

benchmark_label = sa.Table(
    "benchmark_label",
    metadata,
    sa.Column("label_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("benchmark_id", sa.ForeignKey("benchmark.benchmark_id"), nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("frequency", sa.BigInteger),
    sa.Column("decile", sa.SmallInteger),
    sa.UniqueConstraint("benchmark_id", "name"),
    sa.CheckConstraint("frequency >= 0", name="benchmark_label_frequency"),
    sa.CheckConstraint("decile between 1 and 10", name="benchmark_label_decile"),
    comment="A label; decile 10 holds the most frequent, NULL is a label outside the mapping",
)

truth_label = sa.Table(
    "truth_label",
    metadata,
    sa.Column("benchmark_id", sa.Integer, nullable=False),
    sa.Column("item_id", sa.BigInteger, nullable=False),
    sa.Column("label_id", sa.Integer, nullable=False),
    comment="A true label of an instance",
)

submission = sa.Table(
    "submission",
    metadata,
    sa.Column("submission_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("benchmark_id", sa.ForeignKey("benchmark.benchmark_id"), nullable=False),
    instant("submitted_at"),
    sa.Column("submitter", sa.String, nullable=False),
    sa.Column("track", sa.String, nullable=False),
    sa.Column("code_revision", sa.String),
    sa.Column("origin", sa.String, nullable=False),
    sa.Column("file_sha256", sa.String, nullable=False),
    sa.Column("truth_sha256", sa.String),
    sa.Column("is_partial", sa.Boolean, nullable=False),
    sa.Column("n_values", sa.BigInteger, nullable=False),
    sa.Column("content_sha256", sa.String, nullable=False),
    sa.Column("previous_sha256", sa.String),
    one_of("track", TRACKS, "submission_track"),
    sa.CheckConstraint("n_values >= 1", name="submission_n_values"),
    sa.CheckConstraint("submitter <> ''", name="submission_submitter"),
    comment="A frozen file of predictions; truth_sha256 is NULL where it came before the truth",
)

submission_target = sa.Table(
    "submission_target",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submission.submission_id"), primary_key=True),
    sa.Column("target_id", sa.ForeignKey("benchmark_target.target_id"), primary_key=True),
    comment="A target for which the submission has values",
)

submission_note = sa.Table(
    "submission_note",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submission.submission_id"), primary_key=True),
    sa.Column("note_number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("detail", sa.String, nullable=False),
    one_of("kind", SUBMISSION_NOTE_KINDS, "submission_note_kind"),
    comment="What the gate found worth saying of an accepted submission",
)

submission_model = sa.Table(
    "submission_model",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submission.submission_id"), primary_key=True),
    sa.Column("model", sa.String, nullable=False),
    sa.Column("model_version", sa.String),
    sa.Column("link", sa.String),
    sa.Column("license", sa.String),
    sa.Column("trained_until", sa.Date),
    sa.CheckConstraint("model <> ''", name="submission_model_model"),
    comment="What the submitter states of the model; part of the submission's hash",
)

submission_value = sa.Table(
    "submission_value",
    metadata,
    sa.Column("submission_id", sa.Integer, nullable=False),
    sa.Column("target_id", sa.Integer, nullable=False),
    sa.Column("item_id", sa.BigInteger, nullable=False),
    sa.Column("value", sa.Double, nullable=False),
    sa.Column("line_checksum", sa.BigInteger, nullable=False),
    sa.CheckConstraint("isfinite(value)", name="submission_value_value"),
    comment="A predicted value or score of an item",
)

ranked_prediction = sa.Table(
    "ranked_prediction",
    metadata,
    sa.Column("submission_id", sa.Integer, nullable=False),
    sa.Column("item_id", sa.BigInteger, nullable=False),
    sa.Column("position", sa.SmallInteger, nullable=False),
    sa.Column("label_id", sa.Integer, nullable=False),
    sa.Column("score", sa.Double),
    sa.Column("line_checksum", sa.BigInteger, nullable=False),
    sa.CheckConstraint("position between 1 and 500", name="ranked_prediction_position"),
    sa.CheckConstraint("isfinite(score)", name="ranked_prediction_score"),
    comment="A predicted label of an instance, position 1 first",
)

submission_original = sa.Table(
    "submission_original",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submission.submission_id"), primary_key=True),
    sa.Column("original_id", sa.Integer, nullable=False),
    instant("original_submitted_at"),
    sa.Column("original_sha256", sa.String, nullable=False),
    comment="Where an imported submission was frozen first, as its export claims",
)
