"""Verdicts, as they were when an update of the scoreboard was published.

Revision ID: 0031
Revises: 0030
"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "recorded_verdict",
        sa.Column("slate_id", sa.UUID(), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("sentence", sa.String(), nullable=False),
        sa.Column("reasons", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["slate_id"], ["slate.slate_id"]),
        sa.PrimaryKeyConstraint("slate_id", "recorded_at"),
        comment="The verdict on a slate when an update of the scoreboard was published; appended, "
        "never changed",
    )


def downgrade() -> None:
    op.drop_table("recorded_verdict")
