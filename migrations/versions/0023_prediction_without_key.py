"""Predictions without a key and references, whose indexes took most of a freeze.

The checks prediction_unique and prediction_reference find what the constraints refused.
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _make_anew()


def downgrade() -> None:
    _make_anew(
        sa.ForeignKeyConstraint(["disease_id"], ["disease.disease_id"]),
        sa.ForeignKeyConstraint(["drug_id"], ["drug.drug_id"]),
        sa.ForeignKeyConstraint(["slate_id"], ["slate.slate_id"]),
        sa.PrimaryKeyConstraint("slate_id", "disease_id", "drug_id"),
    )


def _make_anew(*constraints: sa.Constraint) -> None:
    """Copy the rows in their order, by which the log counts them, into a table of that name."""
    op.execute("create temp table earlier_prediction as from prediction order by rowid")
    op.drop_table("prediction")
    op.create_table(
        "prediction",
        sa.Column("slate_id", sa.Uuid(), nullable=False),
        sa.Column("disease_id", sa.Integer(), nullable=False),
        sa.Column("drug_id", sa.Integer(), nullable=False),
        sa.Column("disease_identifier", sa.String(), nullable=False),
        sa.Column("drug_identifier", sa.String(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("tier", sa.String(), nullable=False),
        sa.Column("known_label", sa.SmallInteger(), nullable=True),
        sa.Column("known_max_phase", sa.Double(), nullable=True),
        sa.Column("first_approval_year", sa.SmallInteger(), nullable=True),
        sa.Column("criterion", sa.String(), nullable=False),
        sa.Column("criterion_min_phase", sa.Double(), nullable=True),
        sa.Column("criterion_horizon_years", sa.SmallInteger(), nullable=True),
        sa.Column("line_checksum", sa.String(), nullable=False),
        sa.CheckConstraint("isfinite(score)", name="prediction_score"),
        sa.CheckConstraint("rank >= 1", name="prediction_rank"),
        sa.CheckConstraint("tier in ('high', 'moderate', 'exploratory')", name="prediction_tier"),
        sa.CheckConstraint("known_label between 0 and 4", name="prediction_known_label"),
        sa.CheckConstraint("known_max_phase between -1 and 4", name="prediction_known_max_phase"),
        sa.CheckConstraint(
            "criterion in ('reach_phase', 'any_activity', 'exceed_phase', 'monitor')",
            name="prediction_criterion",
        ),
        *constraints,
        comment="A predicted pair of a slate, with what was known of it at freeze",
    )
    op.execute("insert into prediction by name from earlier_prediction")
    op.execute("drop table earlier_prediction")
