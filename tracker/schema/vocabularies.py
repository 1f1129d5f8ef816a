"""Vocabularies: releases of terms, their names, parents and mappings."""

import sqlalchemy as sa

from tracker.schema.base import metadata, one_of

NAME_SCOPES = ("label", "exact", "broad", "narrow", "related")

# A vocabulary is no evidence: its date says nothing about how far outcomes are known.
vocabulary_release = sa.Table(
    "vocabulary_release",
    metadata,
    sa.Column("release_id", sa.ForeignKey("release.release_id"), primary_key=True),
    sa.Column("n_terms", sa.BigInteger, nullable=False),
    sa.Column("n_names", sa.BigInteger, nullable=False),
    sa.Column("n_parents", sa.BigInteger, nullable=False),
    sa.Column("n_mappings", sa.BigInteger, nullable=False),
    sa.CheckConstraint("n_terms >= 1", name="vocabulary_release_n_terms"),
    comment="A release that is a vocabulary, kept whole, and how many rows it has of each kind",
)

# Like the names of molecules, without an index; sql/checks ensures what keys would.
vocabulary_term = sa.Table(
    "vocabulary_term",
    metadata,
    sa.Column("release_id", sa.Integer, nullable=False),
    sa.Column("term_id", sa.String, nullable=False),
    sa.Column("label", sa.String),
    sa.Column("folded_label", sa.String),
    sa.Column("is_obsolete", sa.Boolean, nullable=False),
    sa.Column("replaced_by", sa.String),
    sa.CheckConstraint(
        "(label is null) = (folded_label is null)", name="vocabulary_term_folded_label"
    ),
    comment="A term of a release of a vocabulary; replaced_by only where one term replaces it",
)

vocabulary_name = sa.Table(
    "vocabulary_name",
    metadata,
    sa.Column("release_id", sa.Integer, nullable=False),
    sa.Column("term_id", sa.String, nullable=False),
    sa.Column("scope", sa.String, nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("folded_name", sa.String, nullable=False),
    one_of("scope", NAME_SCOPES, "vocabulary_name_scope"),
    comment="A name of a term: its label, or a synonym and how its meaning compares",
)

vocabulary_parent = sa.Table(
    "vocabulary_parent",
    metadata,
    sa.Column("release_id", sa.Integer, nullable=False),
    sa.Column("term_id", sa.String, nullable=False),
    sa.Column("parent_term_id", sa.String, nullable=False),
    comment="A more general term directly above a term; a slim may lack the parent itself",
)

vocabulary_mapping = sa.Table(
    "vocabulary_mapping",
    metadata,
    sa.Column("release_id", sa.Integer, nullable=False),
    sa.Column("term_id", sa.String, nullable=False),
    sa.Column("predicate", sa.String, nullable=False),
    sa.Column("object_id", sa.String, nullable=False),
    comment="Another identifier of a term, or a term elsewhere, related as the predicate says",
)
