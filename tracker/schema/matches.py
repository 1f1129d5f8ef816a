"""What the texts of the registry mean: the drugs and diseases they match, and since when."""

import sqlalchemy as sa

from tracker.schema.base import instant, metadata, one_of

WITHDRAWN = "withdrawn"
MATCH_KINDS = (
    "identifier",
    "name",
    "exact_synonym",
    "exact_cross_reference",
    "registry_mesh",
    "normalised_name",
    "combination_member",
    "whole_word_mention",
    "descendant",
)
ENTITY_KINDS = ("drug", "disease")

matching = sa.Table(
    "matching",
    metadata,
    sa.Column("matching_id", sa.Integer, primary_key=True, autoincrement=False),
    instant("matched_at"),
    sa.Column("knowledge_sha256", sa.String, nullable=False),
    sa.Column("last_trial_id", sa.Integer, nullable=False),
    # NULL in runs from before there were medicines.
    sa.Column("last_medicine_id", sa.Integer),
    sa.Column("is_whole", sa.Boolean, nullable=False),
    sa.Column("n_texts", sa.BigInteger, nullable=False),
    sa.Column("n_matches", sa.BigInteger, nullable=False),
    sa.CheckConstraint("last_trial_id >= 0", name="matching_last_trial_id"),
    sa.CheckConstraint("last_medicine_id >= 0", name="matching_last_medicine_id"),
    sa.CheckConstraint("n_texts >= 0", name="matching_n_texts"),
    sa.CheckConstraint("n_matches >= 0", name="matching_n_matches"),
    comment="A run of the matching: what was known, and the studies and medicines whose "
    "texts it covered",
)


def _match(entity: str) -> sa.Table:
    # Like the texts they explain, without an index; sql/checks ensures what keys would.
    return sa.Table(
        f"{entity}_match",
        metadata,
        sa.Column("matching_id", sa.Integer, nullable=False),
        sa.Column("folded_text", sa.String, nullable=False),
        sa.Column("is_mesh_term", sa.Boolean, nullable=False),
        sa.Column("mesh_id", sa.String),
        sa.Column(f"{entity}_id", sa.Integer, nullable=False),
        sa.Column("match_kind", sa.String, nullable=False),
        sa.Column("matched_part", sa.String),
        sa.Column("alias_value", sa.String),
        sa.Column("via", sa.String),
        instant("known_since"),
        one_of("match_kind", (*MATCH_KINDS, WITHDRAWN), f"{entity}_match_match_kind"),
        sa.CheckConstraint("is_mesh_term or mesh_id is null", name=f"{entity}_match_mesh_id"),
        comment=f"A text of the registry that means a {entity}, how, and since when that was "
        "known; 'withdrawn' from when it no longer did",
    )


disease_match = _match("disease")
drug_match = _match("drug")

shared_name = sa.Table(
    "shared_name",
    metadata,
    sa.Column("matching_id", sa.Integer, nullable=False),
    sa.Column("entity_kind", sa.String, nullable=False),
    sa.Column("claim_kind", sa.String, nullable=False),
    sa.Column("value", sa.String, nullable=False),
    sa.Column("claimant", sa.String, nullable=False),
    sa.Column("entity_id", sa.Integer),
    one_of("entity_kind", ENTITY_KINDS, "shared_name_entity_kind"),
    comment="A name that two drugs or diseases claim equally, so that it matches neither",
)
