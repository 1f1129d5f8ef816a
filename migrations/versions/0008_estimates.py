"""Estimates with their intervals, and the scoreboard of what each refresh published."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "estimate",
        sa.Column("estimate_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("computed_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("slate_id", sa.Uuid(), nullable=True),
        sa.Column("evaluation_id", sa.Integer(), nullable=True),
        sa.Column("submission_id", sa.Integer(), nullable=True),
        sa.Column("view_name", sa.String(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("evidence_window", sa.String(), nullable=True),
        sa.Column("population", sa.String(), nullable=True),
        sa.Column("tier", sa.String(), nullable=True),
        sa.Column("row_key", sa.JSON(), nullable=False),
        sa.Column("n", sa.BigInteger(), nullable=True),
        sa.Column("n_units", sa.BigInteger(), nullable=True),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("low", sa.Double(), nullable=True),
        sa.Column("high", sa.Double(), nullable=True),
        sa.Column("level", sa.Double(), nullable=False),
        sa.Column("method", sa.String(), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("p_value", sa.Double(), nullable=True),
        sa.Column("p_adjusted", sa.Double(), nullable=True),
        sa.Column("test", sa.String(), nullable=True),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("n_replicates", sa.BigInteger(), nullable=True),
        sa.Column("n_events_needed", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.CheckConstraint(
            "if(slate_id is null, 0, 1) + if(evaluation_id is null, 0, 1) "
            "+ if(submission_id is null, 0, 1) = 1",
            name="estimate_subject",
        ),
        sa.CheckConstraint("isfinite(high) and low <= high", name="estimate_high"),
        sa.CheckConstraint("isfinite(low)", name="estimate_low"),
        sa.CheckConstraint("isfinite(value)", name="estimate_value"),
        sa.CheckConstraint("level > 0 and level < 1", name="estimate_level"),
        sa.CheckConstraint("p_adjusted >= p_value and p_adjusted <= 1", name="estimate_p_adjusted"),
        sa.CheckConstraint("p_value > 0 and p_value <= 1", name="estimate_p_value"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluation.evaluation_id"],
        ),
        sa.ForeignKeyConstraint(
            ["slate_id"],
            ["slate.slate_id"],
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["submission.submission_id"],
        ),
        sa.PrimaryKeyConstraint("estimate_id"),
        comment="A figure with its interval and test, as computed at an instant; appended, never "
        "changed",
    )
    op.create_table(
        "scoreboard",
        sa.Column("scoreboard_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("recorded_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("slate_id", sa.Uuid(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("evidence_window", sa.String(), nullable=False),
        sa.Column("population", sa.String(), nullable=False),
        sa.Column("tier", sa.String(), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("low", sa.Double(), nullable=True),
        sa.Column("high", sa.Double(), nullable=True),
        sa.Column("level", sa.Double(), nullable=True),
        sa.Column("method", sa.String(), nullable=True),
        sa.Column("n", sa.BigInteger(), nullable=False),
        sa.Column("refresh_digest", sa.String(), nullable=True),
        sa.Column("previous_sha256", sa.String(), nullable=False),
        sa.Column("row_sha256", sa.String(), nullable=False),
        sa.CheckConstraint("isfinite(high) and low <= high", name="scoreboard_high"),
        sa.CheckConstraint("isfinite(low)", name="scoreboard_low"),
        sa.CheckConstraint("isfinite(value)", name="scoreboard_value"),
        sa.ForeignKeyConstraint(
            ["slate_id"],
            ["slate.slate_id"],
        ),
        sa.PrimaryKeyConstraint("scoreboard_id"),
        sa.UniqueConstraint(
            "slate_id", "recorded_at", "metric", "evidence_window", "population", "tier"
        ),
        comment="What each refresh published of a slate; appended, never changed",
    )


def downgrade() -> None:
    op.drop_table("scoreboard")
    op.drop_table("estimate")
