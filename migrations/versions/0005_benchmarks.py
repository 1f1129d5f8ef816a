"""Benchmarks: items, truth, frozen submissions."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "benchmark",
        sa.Column("benchmark_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("preset", sa.String(), nullable=True),
        sa.Column("item_column", sa.String(), nullable=False),
        sa.Column("fold_column", sa.String(), nullable=True),
        sa.Column("n_classes", sa.SmallInteger(), nullable=True),
        sa.Column("n_items", sa.BigInteger(), nullable=False),
        sa.Column("definition", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind in ('regression', 'binary', 'ordinal', 'multilabel')",
            name="benchmark_kind",
        ),
        sa.CheckConstraint("n_classes >= 2", name="benchmark_n_classes"),
        sa.CheckConstraint("n_items >= 1", name="benchmark_n_items"),
        sa.PrimaryKeyConstraint("benchmark_id"),
        sa.UniqueConstraint("name"),
        comment="What submissions are scored on: items, targets and, once loaded, truth",
    )
    op.create_table(
        "benchmark_column",
        sa.Column("benchmark_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["benchmark_id"], ["benchmark.benchmark_id"]),
        sa.PrimaryKeyConstraint("benchmark_id", "name"),
        comment="A further column of the benchmark's own table; submissions may carry it, unread",
    )
    op.create_table(
        "benchmark_target",
        sa.Column("target_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("benchmark_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("is_lower_better", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["benchmark_id"], ["benchmark.benchmark_id"]),
        sa.PrimaryKeyConstraint("target_id"),
        sa.UniqueConstraint("benchmark_id", "name"),
        comment="What is predicted of each item: an assay, a task, a severity",
    )
    op.create_table(
        "benchmark_item",
        sa.Column("benchmark_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("fold", sa.String(), nullable=True),
        sa.CheckConstraint("fold not in ('aggregated', 'average')", name="benchmark_item_fold"),
        sa.CheckConstraint("name <> ''", name="benchmark_item_name"),
        comment="An item of a benchmark, or an instance of a multi-label one, with its fold if any",
    )
    op.create_table(
        "truth_set",
        sa.Column("benchmark_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("n_values", sa.BigInteger(), nullable=False),
        sa.Column("loaded_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["benchmark_id"], ["benchmark.benchmark_id"]),
        sa.PrimaryKeyConstraint("benchmark_id"),
        comment="The truth file of a benchmark, loaded once and never changed",
    )
    op.create_table(
        "truth",
        sa.Column("target_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.CheckConstraint("isfinite(value)", name="truth_value"),
        comment="The true value of an item: measured, 0 or 1, or the index of its class",
    )
    op.create_table(
        "benchmark_label",
        sa.Column("label_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("benchmark_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("frequency", sa.BigInteger(), nullable=True),
        sa.Column("decile", sa.SmallInteger(), nullable=True),
        sa.CheckConstraint("decile between 1 and 10", name="benchmark_label_decile"),
        sa.CheckConstraint("frequency >= 0", name="benchmark_label_frequency"),
        sa.ForeignKeyConstraint(["benchmark_id"], ["benchmark.benchmark_id"]),
        sa.PrimaryKeyConstraint("label_id"),
        sa.UniqueConstraint("benchmark_id", "name"),
        comment="A label; decile 10 holds the most frequent, NULL is a label outside the mapping",
    )
    op.create_table(
        "truth_label",
        sa.Column("benchmark_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.BigInteger(), nullable=False),
        sa.Column("label_id", sa.Integer(), nullable=False),
        comment="A true label of an instance",
    )
    op.create_table(
        "submission",
        sa.Column("submission_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("benchmark_id", sa.Integer(), nullable=False),
        sa.Column("submitted_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("submitter", sa.String(), nullable=False),
        sa.Column("track", sa.String(), nullable=False),
        sa.Column("code_revision", sa.String(), nullable=True),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("file_sha256", sa.String(), nullable=False),
        sa.Column("truth_sha256", sa.String(), nullable=True),
        sa.Column("is_partial", sa.Boolean(), nullable=False),
        sa.Column("n_values", sa.BigInteger(), nullable=False),
        sa.Column("content_sha256", sa.String(), nullable=False),
        sa.Column("previous_sha256", sa.String(), nullable=True),
        sa.CheckConstraint("n_values >= 1", name="submission_n_values"),
        sa.CheckConstraint("submitter <> ''", name="submission_submitter"),
        sa.CheckConstraint("track in ('cv', 'heldout', 'public', 'test')", name="submission_track"),
        sa.ForeignKeyConstraint(["benchmark_id"], ["benchmark.benchmark_id"]),
        sa.PrimaryKeyConstraint("submission_id"),
        comment="A frozen file of predictions; truth_sha256 is NULL where it came before the truth",
    )
    op.create_table(
        "submission_target",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("target_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submission.submission_id"]),
        sa.ForeignKeyConstraint(["target_id"], ["benchmark_target.target_id"]),
        sa.PrimaryKeyConstraint("submission_id", "target_id"),
        comment="A target for which the submission has values",
    )
    op.create_table(
        "submission_note",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("note_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("detail", sa.String(), nullable=False),
        sa.CheckConstraint(
            "kind in ('leakage', 'partial', 'truncated', 'unlisted_labels')",
            name="submission_note_kind",
        ),
        sa.ForeignKeyConstraint(["submission_id"], ["submission.submission_id"]),
        sa.PrimaryKeyConstraint("submission_id", "note_number"),
        comment="What the gate found worth saying of an accepted submission",
    )
    op.create_table(
        "submission_value",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("target_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("line_checksum", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("isfinite(value)", name="submission_value_value"),
        comment="A predicted value or score of an item",
    )
    op.create_table(
        "ranked_prediction",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.SmallInteger(), nullable=False),
        sa.Column("label_id", sa.Integer(), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("line_checksum", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("position between 1 and 500", name="ranked_prediction_position"),
        sa.CheckConstraint("isfinite(score)", name="ranked_prediction_score"),
        comment="A predicted label of an instance, position 1 first",
    )


def downgrade() -> None:
    op.drop_table("ranked_prediction")
    op.drop_table("submission_value")
    op.drop_table("submission_note")
    op.drop_table("submission_target")
    op.drop_table("submission")
    op.drop_table("truth_label")
    op.drop_table("benchmark_label")
    op.drop_table("truth")
    op.drop_table("truth_set")
    op.drop_table("benchmark_item")
    op.drop_table("benchmark_target")
    op.drop_table("benchmark_column")
    op.drop_table("benchmark")
