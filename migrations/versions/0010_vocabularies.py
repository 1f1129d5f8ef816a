"""Vocabularies of diseases and drugs, release by release: terms, names, parents, mappings."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "vocabulary_release",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("n_terms", sa.BigInteger(), nullable=False),
        sa.Column("n_names", sa.BigInteger(), nullable=False),
        sa.Column("n_parents", sa.BigInteger(), nullable=False),
        sa.Column("n_mappings", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("n_terms >= 1", name="vocabulary_release_n_terms"),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("release_id"),
        comment="A release that is a vocabulary, kept whole, and how many rows it has of each kind",
    )
    op.create_table(
        "vocabulary_term",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("term_id", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=True),
        sa.Column("folded_label", sa.String(), nullable=True),
        sa.Column("is_obsolete", sa.Boolean(), nullable=False),
        sa.Column("replaced_by", sa.String(), nullable=True),
        sa.CheckConstraint(
            "(label is null) = (folded_label is null)", name="vocabulary_term_folded_label"
        ),
        comment="A term of a release of a vocabulary; replaced_by only where one term replaces it",
    )
    op.create_table(
        "vocabulary_name",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("term_id", sa.String(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("folded_name", sa.String(), nullable=False),
        sa.CheckConstraint(
            "scope in ('label', 'exact', 'broad', 'narrow', 'related')",
            name="vocabulary_name_scope",
        ),
        comment="A name of a term: its label, or a synonym and how its meaning compares",
    )
    op.create_table(
        "vocabulary_parent",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("term_id", sa.String(), nullable=False),
        sa.Column("parent_term_id", sa.String(), nullable=False),
        comment="A more general term directly above a term; a slim may lack the parent itself",
    )
    op.create_table(
        "vocabulary_mapping",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("term_id", sa.String(), nullable=False),
        sa.Column("predicate", sa.String(), nullable=False),
        sa.Column("object_id", sa.String(), nullable=False),
        comment="Another identifier of a term, or a term elsewhere, related as the predicate says",
    )


def downgrade() -> None:
    for table in ("mapping", "parent", "name", "term", "release"):
        op.drop_table(f"vocabulary_{table}")
