"""Sets in whose files several names were one drug or disease, and those names."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


_NOTE_COMMENT = (
    "What an import set aside, and names that were merged in its files; part of every report"
)
_EARLIER_NOTE_COMMENT = "What an import set aside or changed, row by row; part of every report"


def upgrade() -> None:
    op.create_table_comment("slate_note", _NOTE_COMMENT)
    op.create_table(
        "merged_set",
        sa.Column("merged_set_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("candidate_set_id", sa.Integer(), nullable=True),
        sa.Column("label_set_id", sa.Integer(), nullable=True),
        sa.Column("n_merged_rows", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "(candidate_set_id is null) <> (label_set_id is null)", name="merged_set_subject"
        ),
        sa.CheckConstraint("n_merged_rows >= 1", name="merged_set_n_merged_rows"),
        sa.ForeignKeyConstraint(["candidate_set_id"], ["candidate_set.candidate_set_id"]),
        sa.ForeignKeyConstraint(["label_set_id"], ["label_set.label_set_id"]),
        sa.PrimaryKeyConstraint("merged_set_id"),
        comment="A set in whose file names of one drug or disease were merged, and how many rows "
        "gave way",
    )
    op.create_table(
        "merged_name",
        sa.Column("merged_set_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("disease_id", sa.Integer(), nullable=True),
        sa.Column("drug_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.CheckConstraint("(disease_id is null) <> (drug_id is null)", name="merged_name_entity"),
        sa.ForeignKeyConstraint(["disease_id"], ["disease.disease_id"]),
        sa.ForeignKeyConstraint(["drug_id"], ["drug.drug_id"]),
        sa.ForeignKeyConstraint(["merged_set_id"], ["merged_set.merged_set_id"]),
        sa.PrimaryKeyConstraint("merged_set_id", "position"),
        comment="A name in the file of a merged set that was one of several of its drug or disease",
    )


def downgrade() -> None:
    op.create_table_comment("slate_note", _EARLIER_NOTE_COMMENT)
    op.drop_table("merged_name")
    op.drop_table("merged_set")
