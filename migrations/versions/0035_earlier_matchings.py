"""Runs of the matching from before there were medicines, which the log sealed without any.

Revision ID: 0035
Revises: 0034
"""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.alter_column("matching", "last_medicine_id", existing_type=sa.Integer(), nullable=True)


def downgrade() -> None:
    """Leave it as it is: an earlier version writes the column in every row."""
