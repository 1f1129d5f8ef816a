"""Sealed candidate sets. The table candidate is renamed: a view of this name has all pairs."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


_COMMENT = "A scored pair of a candidate set that is kept in the store; the view candidate has all"
_EARLIER_COMMENT = "A scored pair of a candidate set"


def upgrade() -> None:
    # Keeps the rows in their order, by which the log knows them.
    op.rename_table("candidate", "stored_candidate")
    op.create_table_comment("stored_candidate", _COMMENT)
    op.create_table(
        "sealed_set",
        sa.Column("candidate_set_id", sa.Integer(), nullable=False),
        sa.Column("n_parts", sa.Integer(), nullable=False),
        sa.Column("manifest_sha256", sa.String(), nullable=False),
        sa.Column("sealed_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.CheckConstraint("n_parts >= 1", name="sealed_set_n_parts"),
        sa.ForeignKeyConstraint(["candidate_set_id"], ["candidate_set.candidate_set_id"]),
        sa.PrimaryKeyConstraint("candidate_set_id"),
        comment="A candidate set whose pairs are in Parquet files beside the store, and the hash "
        "of the manifest that lists them",
    )
    op.create_table(
        "sealed_part",
        sa.Column("candidate_set_id", sa.Integer(), nullable=False),
        sa.Column("part_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("n_rows", sa.BigInteger(), nullable=False),
        sa.Column("n_bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.CheckConstraint("part_number >= 1", name="sealed_part_number"),
        sa.CheckConstraint("n_rows >= 1", name="sealed_part_n_rows"),
        sa.CheckConstraint("n_bytes >= 1", name="sealed_part_n_bytes"),
        sa.ForeignKeyConstraint(["candidate_set_id"], ["sealed_set.candidate_set_id"]),
        sa.PrimaryKeyConstraint("candidate_set_id", "part_number"),
        comment="A Parquet file of a sealed set: its rows, its length and its hash",
    )
    op.create_table(
        "moved_entry",
        sa.Column("entry_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("candidate_set_id", sa.Integer(), nullable=False),
        sa.Column("n_rows", sa.BigInteger(), nullable=False),
        sa.Column("leaf_sha256", sa.String(), nullable=True),
        sa.CheckConstraint("n_rows >= 0", name="moved_entry_n_rows"),
        sa.CheckConstraint("(n_rows = 0) = (leaf_sha256 is null)", name="moved_entry_leaf_sha256"),
        sa.ForeignKeyConstraint(["candidate_set_id"], ["sealed_set.candidate_set_id"]),
        sa.PrimaryKeyConstraint("entry_id", "candidate_set_id"),
        comment="An entry of the log some of whose rows were moved into files of a sealed set: "
        "how many rows are left, and their hash",
    )


def downgrade() -> None:
    op.drop_table("moved_entry")
    op.drop_table("sealed_part")
    op.drop_table("sealed_set")
    op.execute("drop view if exists candidate")
    op.rename_table("stored_candidate", "candidate")
    op.create_table_comment("candidate", _EARLIER_COMMENT)
