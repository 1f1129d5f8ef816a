"""The certainty of figures: estimates, the scoreboard of past figures, and past verdicts."""

import sqlalchemy as sa

from tracker.schema.base import instant, metadata

# A row is about one figure of one subject. The columns of the view's row that are
# not columns here (k, ranker, target ...) are stored in row_key as JSON.
estimate = sa.Table(
    "estimate",
    metadata,
    sa.Column("estimate_id", sa.BigInteger, primary_key=True, autoincrement=False),
    instant("computed_at"),
    sa.Column("slate_id", sa.ForeignKey("slate.slate_id")),
    sa.Column("evaluation_id", sa.ForeignKey("evaluation.evaluation_id")),
    sa.Column("submission_id", sa.ForeignKey("submission.submission_id")),
    sa.Column("view_name", sa.String, nullable=False),
    sa.Column("metric", sa.String, nullable=False),
    sa.Column("evidence_window", sa.String),
    sa.Column("population", sa.String),
    sa.Column("tier", sa.String),
    sa.Column("row_key", sa.JSON, nullable=False),
    sa.Column("n", sa.BigInteger),
    sa.Column("n_units", sa.BigInteger),
    sa.Column("value", sa.Double),
    sa.Column("low", sa.Double),
    sa.Column("high", sa.Double),
    sa.Column("level", sa.Double, nullable=False),
    sa.Column("method", sa.String, nullable=False),
    sa.Column("unit", sa.String, nullable=False),
    sa.Column("p_value", sa.Double),
    sa.Column("p_adjusted", sa.Double),
    sa.Column("test", sa.String),
    sa.Column("seed", sa.BigInteger),
    sa.Column("n_replicates", sa.BigInteger),
    sa.Column("n_events_needed", sa.BigInteger),
    sa.Column("reason", sa.String),
    sa.CheckConstraint(
        "if(slate_id is null, 0, 1) + if(evaluation_id is null, 0, 1) "
        "+ if(submission_id is null, 0, 1) = 1",
        name="estimate_subject",
    ),
    sa.CheckConstraint("isfinite(value)", name="estimate_value"),
    sa.CheckConstraint("isfinite(low)", name="estimate_low"),
    sa.CheckConstraint("isfinite(high) and low <= high", name="estimate_high"),
    sa.CheckConstraint("level > 0 and level < 1", name="estimate_level"),
    sa.CheckConstraint("p_value > 0 and p_value <= 1", name="estimate_p_value"),
    sa.CheckConstraint("p_adjusted >= p_value and p_adjusted <= 1", name="estimate_p_adjusted"),
    comment="A figure with its interval and test, as computed at an instant; appended, never "
    "changed",
)

# row_sha256 is the SHA-256 of previous_sha256 and the row's line (view scoreboard_line), so that
# no row can be edited or taken out of the middle unseen.
scoreboard = sa.Table(
    "scoreboard",
    metadata,
    sa.Column("scoreboard_id", sa.BigInteger, primary_key=True, autoincrement=False),
    instant("recorded_at"),
    sa.Column("slate_id", sa.ForeignKey("slate.slate_id"), nullable=False),
    sa.Column("metric", sa.String, nullable=False),
    sa.Column("evidence_window", sa.String, nullable=False),
    sa.Column("population", sa.String, nullable=False),
    sa.Column("tier", sa.String, nullable=False),
    sa.Column("value", sa.Double),
    sa.Column("low", sa.Double),
    sa.Column("high", sa.Double),
    sa.Column("level", sa.Double),
    sa.Column("method", sa.String),
    sa.Column("n", sa.BigInteger, nullable=False),
    sa.Column("refresh_digest", sa.String),
    sa.Column("previous_sha256", sa.String, nullable=False),
    sa.Column("row_sha256", sa.String, nullable=False),
    sa.UniqueConstraint(
        "slate_id", "recorded_at", "metric", "evidence_window", "population", "tier"
    ),
    sa.CheckConstraint("isfinite(value)", name="scoreboard_value"),
    sa.CheckConstraint("isfinite(low)", name="scoreboard_low"),
    sa.CheckConstraint("isfinite(high) and low <= high", name="scoreboard_high"),
    comment="What each refresh published of a slate; appended, never changed",
)

recorded_verdict = sa.Table(
    "recorded_verdict",
    metadata,
    sa.Column("slate_id", sa.ForeignKey("slate.slate_id"), primary_key=True),
    sa.Column("recorded_at", sa.TIMESTAMP(timezone=True), primary_key=True),
    sa.Column("verdict", sa.String, nullable=False),
    sa.Column("sentence", sa.String, nullable=False),
    sa.Column("reasons", sa.JSON, nullable=False),
    comment="The verdict on a slate when an update of the scoreboard was published; appended, "
    "never changed",
)
