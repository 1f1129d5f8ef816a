"""Outcomes from files that are taken back: a row each, with the reason.

Revision ID: 0033
Revises: 0032
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "annulment",
        sa.Column("event_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("annulled_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["event.event_id"]),
        sa.PrimaryKeyConstraint("event_id"),
        sa.CheckConstraint("trim(reason) <> ''", name="annulment_reason"),
        comment="An outcome from a file that was taken back, and why; it counts until annulled_at",
    )


def downgrade() -> None:
    op.drop_table("annulment")
