"""Which texts of the registry mean which drugs and diseases, and since when that was known."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_KINDS = (
    "match_kind in ('identifier', 'name', 'exact_synonym', 'exact_cross_reference', "
    "'registry_mesh', 'normalised_name', 'combination_member', 'whole_word_mention', "
    "'descendant', 'withdrawn')"
)
_WITHOUT_MESH = "An intervention of a study, or another name registered for one"
_WITH_MESH = (
    "An intervention of a study, another name registered for one, or a MeSH term the registry "
    "derived"
)


def upgrade() -> None:
    op.create_table(
        "matching",
        sa.Column("matching_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("matched_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("knowledge_sha256", sa.String(), nullable=False),
        sa.Column("last_trial_id", sa.Integer(), nullable=False),
        sa.Column("is_whole", sa.Boolean(), nullable=False),
        sa.Column("n_texts", sa.BigInteger(), nullable=False),
        sa.Column("n_matches", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("last_trial_id >= 0", name="matching_last_trial_id"),
        sa.CheckConstraint("n_texts >= 0", name="matching_n_texts"),
        sa.CheckConstraint("n_matches >= 0", name="matching_n_matches"),
        sa.PrimaryKeyConstraint("matching_id"),
        comment="A run of the matching: what was known, and the studies whose texts it covered",
    )
    for entity in ("disease", "drug"):
        op.create_table(
            f"{entity}_match",
            sa.Column("matching_id", sa.Integer(), nullable=False),
            sa.Column("folded_text", sa.String(), nullable=False),
            sa.Column("is_mesh_term", sa.Boolean(), nullable=False),
            sa.Column("mesh_id", sa.String(), nullable=True),
            sa.Column(f"{entity}_id", sa.Integer(), nullable=False),
            sa.Column("match_kind", sa.String(), nullable=False),
            sa.Column("matched_part", sa.String(), nullable=True),
            sa.Column("alias_value", sa.String(), nullable=True),
            sa.Column("via", sa.String(), nullable=True),
            sa.Column("known_since", sa.TIMESTAMP(timezone=True), nullable=False),
            sa.CheckConstraint(_KINDS, name=f"{entity}_match_match_kind"),
            sa.CheckConstraint("is_mesh_term or mesh_id is null", name=f"{entity}_match_mesh_id"),
            comment=f"A text of the registry that means a {entity}, how, and since when that was "
            "known; 'withdrawn' from when it no longer did",
        )
    op.create_table(
        "shared_name",
        sa.Column("matching_id", sa.Integer(), nullable=False),
        sa.Column("entity_kind", sa.String(), nullable=False),
        sa.Column("claim_kind", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("claimant", sa.String(), nullable=False),
        sa.Column("entity_id", sa.Integer(), nullable=True),
        sa.CheckConstraint("entity_kind in ('drug', 'disease')", name="shared_name_entity_kind"),
        comment="A name that two drugs or diseases claim equally, so that it matches neither",
    )
    # Studies stored so far have no MeSH terms of interventions.
    op.execute("alter table trial_intervention add column is_mesh_term boolean default false")
    op.execute("alter table trial_intervention alter column is_mesh_term set not null")
    op.execute("alter table trial_intervention alter column is_mesh_term drop default")
    op.execute("alter table trial_intervention add column mesh_id varchar")
    op.create_table_comment("trial_intervention", _WITH_MESH)
    op.execute("alter table event add column match_kind varchar")


def downgrade() -> None:
    op.execute("alter table event drop column match_kind")
    op.execute("delete from trial_intervention where is_mesh_term")
    op.create_table_comment("trial_intervention", _WITHOUT_MESH)
    op.execute("alter table trial_intervention drop column mesh_id")
    op.execute("alter table trial_intervention drop column is_mesh_term")
    for table in ("shared_name", "drug_match", "disease_match", "matching"):
        op.drop_table(table)
