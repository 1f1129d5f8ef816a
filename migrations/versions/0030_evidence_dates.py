"""What dates evidence: years of first approval in ChEMBL, and how far a study had come.

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
    # Of releases ingested until now neither was read: a study has it from its next version on.
    op.add_column("trial", sa.Column("last_known_status", sa.String(), nullable=True))
    op.add_column("indication", sa.Column("first_approved_in", sa.SmallInteger(), nullable=True))
    op.execute("insert into outcome_type by name select 'approved' as name, 'high' as signal")


def downgrade() -> None:
    op.execute("delete from outcome_type where name = 'approved'")
    op.drop_column("indication", "first_approved_in")
    op.drop_column("trial", "last_known_status")
