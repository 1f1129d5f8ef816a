"""The log of what was written. The first command that writes afterwards seals the store whole."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "log_entry",
        sa.Column("entry_id", sa.BigInteger(), nullable=False),
        sa.Column("table_name", sa.String(), nullable=False),
        sa.Column("first_row", sa.BigInteger(), nullable=False),
        sa.Column("n_rows", sa.BigInteger(), nullable=False),
        sa.Column("leaf_sha256", sa.String(), nullable=False),
        comment="Rows of a table that were sealed together, counted from 0, and their hash: a leaf "
        "of the Merkle tree",
    )
    op.create_table(
        "log_head",
        sa.Column("head_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("log_id", sa.Uuid(), nullable=False),
        sa.Column("n_entries", sa.BigInteger(), nullable=False),
        sa.Column("root_sha256", sa.String(), nullable=False),
        sa.Column("peaks", sa.JSON(), nullable=False),
        sa.Column("sealed_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("tracker_version", sa.String(), nullable=False),
        sa.Column("head_sha256", sa.String(), nullable=False),
        sa.CheckConstraint(
            "reason in ('created', 'upgraded', 'written', 'clock_accepted')",
            name="log_head_reason",
        ),
        sa.CheckConstraint("n_entries >= 1", name="log_head_n_entries"),
        sa.PrimaryKeyConstraint("head_id"),
        comment="The root of the tree over all entries so far, after each command that wrote",
    )


def downgrade() -> None:
    op.drop_table("log_head")
    op.drop_table("log_entry")
