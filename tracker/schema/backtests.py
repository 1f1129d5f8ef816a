"""Backtests: rankers replayed at past origins; not their slates, only what became of them."""

import sqlalchemy as sa

from tracker.schema.base import instant, metadata

# recipe_sha256 covers the recipe and the evidence it was run on: the same command continues an
# interrupted backtest, and after a new release it begins another one.
backtest = sa.Table(
    "backtest",
    metadata,
    sa.Column("backtest_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("recipe", sa.JSON, nullable=False),
    sa.Column("recipe_sha256", sa.String, nullable=False, unique=True),
    sa.Column("followed_until", sa.Date, nullable=False),
    instant("created_at"),
    comment="Rankers replayed at past origins, each fitted on what was known on that day",
)

backtest_run = sa.Table(
    "backtest_run",
    metadata,
    sa.Column("backtest_id", sa.ForeignKey("backtest.backtest_id"), primary_key=True),
    sa.Column("ranker", sa.String, primary_key=True),
    sa.Column("is_shuffled", sa.Boolean, primary_key=True),
    sa.Column("horizon_months", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("origin_on", sa.Date, primary_key=True),
    sa.Column("n_known", sa.BigInteger, nullable=False),
    sa.Column("n_diseases", sa.BigInteger, nullable=False),
    sa.Column("n_candidates", sa.BigInteger, nullable=False),
    sa.Column("n_predictions", sa.BigInteger, nullable=False),
    sa.Column("n_hits", sa.BigInteger, nullable=False),
    sa.Column("hit_rate_low", sa.Double),
    sa.Column("hit_rate_high", sa.Double),
    sa.Column("expected_hits", sa.Double),
    sa.Column("enrichment", sa.Double),
    sa.Column("enrichment_low", sa.Double),
    sa.Column("enrichment_high", sa.Double),
    sa.Column("p_value", sa.Double),
    sa.Column("log_variance", sa.Double),
    sa.Column("df", sa.Double),
    sa.Column("reason", sa.String),
    sa.Column("months_needed", sa.Double),
    instant("computed_at"),
    # NULL where the list is its own baseline, and in runs of revisions before 0031.
    sa.Column("r", sa.Double),
    sa.Column("s", sa.Double),
    sa.CheckConstraint("horizon_months >= 1", name="backtest_run_horizon_months"),
    sa.CheckConstraint("n_hits between 0 and n_predictions", name="backtest_run_n_hits"),
    sa.CheckConstraint(
        "isfinite(expected_hits) and expected_hits >= 0", name="backtest_run_expected_hits"
    ),
    sa.CheckConstraint("isfinite(enrichment)", name="backtest_run_enrichment"),
    sa.CheckConstraint("isfinite(log_variance)", name="backtest_run_log_variance"),
    sa.CheckConstraint("isfinite(df)", name="backtest_run_df"),
    comment="What became, within a horizon, of the list of a ranker fitted at an origin; df is "
    "NULL where it is infinite",
)

# No key: an index would cost more than the rest of an append.
backtest_influence = sa.Table(
    "backtest_influence",
    metadata,
    sa.Column("backtest_id", sa.Integer, nullable=False),
    sa.Column("ranker", sa.String, nullable=False),
    sa.Column("is_shuffled", sa.Boolean, nullable=False),
    sa.Column("horizon_months", sa.SmallInteger, nullable=False),
    sa.Column("origin_on", sa.Date, nullable=False),
    sa.Column("disease_id", sa.Integer),
    sa.Column("drug_id", sa.Integer),
    sa.Column("influence", sa.Double, nullable=False),
    sa.Column("stake", sa.Double),
    sa.Column("record", sa.String),
    sa.CheckConstraint(
        "disease_id is not null or drug_id is not null", name="backtest_influence_unit"
    ),
    sa.CheckConstraint("isfinite(influence)", name="backtest_influence_influence"),
    comment="What a drug, a disease, or a hit (with both) adds to the logarithm of the enrichment "
    "of a backtest_run, and the record that made the hit; runs that share them are not "
    "independent",
)
