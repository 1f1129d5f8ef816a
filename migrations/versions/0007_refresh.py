"""The refreshes: which releases and slates each covered, and what it found."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "refresh",
        sa.Column("refresh_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("refreshed_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("state_sha256", sa.String(), nullable=False),
        sa.Column("n_releases", sa.BigInteger(), nullable=False),
        sa.Column("n_slates", sa.BigInteger(), nullable=False),
        sa.Column("n_outcomes", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("n_outcomes >= 0", name="refresh_n_outcomes"),
        sa.PrimaryKeyConstraint("refresh_id"),
        comment="A refresh that found something to do; state_sha256 is of the releases and slates "
        "it covered",
    )


def downgrade() -> None:
    op.drop_table("refresh")
