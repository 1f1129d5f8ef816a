"""The ledger of outcomes and the releases they came from."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "release",
        sa.Column("release_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("released_on", sa.Date(), nullable=False),
        sa.Column("ingested_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("n_rows", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("release_id"),
        comment="A dated release of an outside source of evidence",
    )
    outcome_type = op.create_table(
        "outcome_type",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("signal", sa.String(), nullable=False),
        sa.CheckConstraint("signal in ('high', 'low')", name="outcome_type_signal"),
        sa.PrimaryKeyConstraint("name"),
        comment="The kinds of outcome; high-signal ones make a hit",
    )
    op.create_table(
        "outcome",
        sa.Column("outcome_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("slate_id", sa.Uuid(), nullable=False),
        sa.Column("disease_id", sa.Integer(), nullable=False),
        sa.Column("drug_id", sa.Integer(), nullable=False),
        sa.Column("outcome_type", sa.String(), nullable=False),
        sa.Column("event_date", sa.Date(), nullable=True),
        sa.Column("first_public_on", sa.Date(), nullable=True),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=True),
        sa.Column("detail", sa.JSON(), nullable=True),
        sa.Column("observed_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["disease_id"],
            ["disease.disease_id"],
        ),
        sa.ForeignKeyConstraint(
            ["drug_id"],
            ["drug.drug_id"],
        ),
        sa.ForeignKeyConstraint(
            ["outcome_type"],
            ["outcome_type.name"],
        ),
        sa.ForeignKeyConstraint(
            ["release_id"],
            ["release.release_id"],
        ),
        sa.ForeignKeyConstraint(
            ["slate_id"],
            ["slate.slate_id"],
        ),
        sa.PrimaryKeyConstraint("outcome_id"),
        comment="The ledger: real-world events of a slate's pairs, appended and never changed",
    )
    op.bulk_insert(
        outcome_type,
        [
            {"name": "first_trial_seen", "signal": "high"},
            {"name": "phase_advanced", "signal": "high"},
            {"name": "fda_approved", "signal": "high"},
            {"name": "status_transition", "signal": "low"},
        ],
    )


def downgrade() -> None:
    op.drop_table("outcome")
    op.drop_table("outcome_type")
    op.drop_table("release")
