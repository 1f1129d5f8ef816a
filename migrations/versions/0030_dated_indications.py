"""Years of first approval, by which approvals in ChEMBL are dated, and who approved.

Revision ID: 0030
Revises: 0029
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Of releases ingested until now the year was not read.
    op.add_column("indication", sa.Column("first_approved_in", sa.SmallInteger(), nullable=True))
    op.execute("insert into outcome_type by name select 'approved' as name, 'high' as signal")


def downgrade() -> None:
    op.execute("delete from outcome_type where name = 'approved'")
    op.drop_column("indication", "first_approved_in")
