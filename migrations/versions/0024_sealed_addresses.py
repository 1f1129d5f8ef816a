"""Sealed candidate sets in object storage: the address of each."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sealed_address",
        sa.Column("candidate_set_id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["candidate_set_id"], ["sealed_set.candidate_set_id"]),
        sa.PrimaryKeyConstraint("candidate_set_id"),
        comment="Where in object storage the files of a sealed set are; others are in a folder",
    )


def downgrade() -> None:
    op.drop_table("sealed_address")
