"""Backtests: the recipe, what became of each list, and what the lists have in common."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "backtest",
        sa.Column("backtest_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("recipe", sa.JSON(), nullable=False),
        sa.Column("recipe_sha256", sa.String(), nullable=False),
        sa.Column("followed_until", sa.Date(), nullable=False),
        sa.Column("created_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("backtest_id"),
        sa.UniqueConstraint("recipe_sha256"),
        comment="Rankers replayed at past origins, each fitted on what was known on that day",
    )
    op.create_table(
        "backtest_run",
        sa.Column("backtest_id", sa.Integer(), nullable=False),
        sa.Column("ranker", sa.String(), nullable=False),
        sa.Column("is_shuffled", sa.Boolean(), nullable=False),
        sa.Column("horizon_months", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("origin_on", sa.Date(), nullable=False),
        sa.Column("n_known", sa.BigInteger(), nullable=False),
        sa.Column("n_diseases", sa.BigInteger(), nullable=False),
        sa.Column("n_candidates", sa.BigInteger(), nullable=False),
        sa.Column("n_predictions", sa.BigInteger(), nullable=False),
        sa.Column("n_hits", sa.BigInteger(), nullable=False),
        sa.Column("hit_rate_low", sa.Double(), nullable=True),
        sa.Column("hit_rate_high", sa.Double(), nullable=True),
        sa.Column("expected_hits", sa.Double(), nullable=True),
        sa.Column("enrichment", sa.Double(), nullable=True),
        sa.Column("enrichment_low", sa.Double(), nullable=True),
        sa.Column("enrichment_high", sa.Double(), nullable=True),
        sa.Column("p_value", sa.Double(), nullable=True),
        sa.Column("log_variance", sa.Double(), nullable=True),
        sa.Column("df", sa.Double(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("months_needed", sa.Double(), nullable=True),
        sa.Column("computed_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.CheckConstraint("horizon_months >= 1", name="backtest_run_horizon_months"),
        sa.CheckConstraint("n_hits between 0 and n_predictions", name="backtest_run_n_hits"),
        sa.CheckConstraint(
            "isfinite(expected_hits) and expected_hits >= 0", name="backtest_run_expected_hits"
        ),
        sa.CheckConstraint("isfinite(enrichment)", name="backtest_run_enrichment"),
        sa.CheckConstraint("isfinite(log_variance)", name="backtest_run_log_variance"),
        sa.CheckConstraint("isfinite(df)", name="backtest_run_df"),
        sa.ForeignKeyConstraint(["backtest_id"], ["backtest.backtest_id"]),
        sa.PrimaryKeyConstraint(
            "backtest_id", "ranker", "is_shuffled", "horizon_months", "origin_on"
        ),
        comment="What became, within a horizon, of the list of a ranker fitted at an origin; df is "
        "NULL where it is infinite",
    )
    op.create_table(
        "backtest_influence",
        sa.Column("backtest_id", sa.Integer(), nullable=False),
        sa.Column("ranker", sa.String(), nullable=False),
        sa.Column("is_shuffled", sa.Boolean(), nullable=False),
        sa.Column("horizon_months", sa.SmallInteger(), nullable=False),
        sa.Column("origin_on", sa.Date(), nullable=False),
        sa.Column("disease_id", sa.Integer(), nullable=True),
        sa.Column("drug_id", sa.Integer(), nullable=True),
        sa.Column("influence", sa.Double(), nullable=False),
        sa.Column("stake", sa.Double(), nullable=True),
        sa.CheckConstraint(
            "disease_id is not null or drug_id is not null", name="backtest_influence_unit"
        ),
        sa.CheckConstraint("isfinite(influence)", name="backtest_influence_influence"),
        comment="What a drug, a disease, or a hit (with both) adds to the logarithm of the "
        "enrichment of a backtest_run; runs that share them are not independent",
    )


def downgrade() -> None:
    op.drop_table("backtest_influence")
    op.drop_table("backtest_run")
    op.drop_table("backtest")
