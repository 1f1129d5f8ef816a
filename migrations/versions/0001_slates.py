"""Drugs, diseases, labeled pairs, candidates and frozen slates."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "drug",
        sa.Column("drug_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("chembl_id", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("drug_id"),
        comment="A drug; chembl_id or else the folded name identifies it outside the store",
    )
    op.create_table(
        "drug_alias",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("drug_id", sa.Integer(), nullable=False),
        sa.Column("added_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind in ('chembl_id', 'parent_chembl_id', 'name', 'synonym')", name="drug_alias_kind"
        ),
        sa.ForeignKeyConstraint(
            ["drug_id"],
            ["drug.drug_id"],
        ),
        sa.PrimaryKeyConstraint("kind", "value", "drug_id"),
        comment="A folded name or an identifier by which evidence and files may call a drug",
    )
    op.create_table(
        "disease",
        sa.Column("disease_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("ontology_id", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("disease_id"),
        comment="A disease; ontology_id or else the folded name identifies it outside the store",
    )
    op.create_table(
        "disease_alias",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("disease_id", sa.Integer(), nullable=False),
        sa.Column("added_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind in ('efo_id', 'mondo_id', 'mesh_id', 'name', 'synonym')",
            name="disease_alias_kind",
        ),
        sa.ForeignKeyConstraint(
            ["disease_id"],
            ["disease.disease_id"],
        ),
        sa.PrimaryKeyConstraint("kind", "value", "disease_id"),
        comment="A folded name or an identifier by which evidence and files may call a disease",
    )
    op.create_table(
        "label_set",
        sa.Column("label_set_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("n_pairs", sa.BigInteger(), nullable=False),
        sa.Column("loaded_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("label_set_id"),
        sa.UniqueConstraint("name"),
        comment="One labels file, loaded once and never changed",
    )
    op.create_table(
        "labeled_pair",
        sa.Column("label_set_id", sa.Integer(), nullable=False),
        sa.Column("disease_id", sa.Integer(), nullable=False),
        sa.Column("drug_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.SmallInteger(), nullable=False),
        sa.Column("max_phase", sa.Double(), nullable=True),
        sa.Column("approval_year", sa.SmallInteger(), nullable=True),
        sa.CheckConstraint(
            "approval_year between 1800 and 2200", name="labeled_pair_approval_year"
        ),
        sa.CheckConstraint("label between 0 and 4", name="labeled_pair_label"),
        sa.CheckConstraint("max_phase between -1 and 4", name="labeled_pair_max_phase"),
        sa.ForeignKeyConstraint(
            ["disease_id"],
            ["disease.disease_id"],
        ),
        sa.ForeignKeyConstraint(
            ["drug_id"],
            ["drug.drug_id"],
        ),
        sa.ForeignKeyConstraint(
            ["label_set_id"],
            ["label_set.label_set_id"],
        ),
        sa.PrimaryKeyConstraint("label_set_id", "disease_id", "drug_id"),
        comment="A known pair: label 0 negative, 1 to 3 highest clinical phase, 4 approved",
    )
    op.create_table(
        "candidate_set",
        sa.Column("candidate_set_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("model_version", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("n_pairs", sa.BigInteger(), nullable=False),
        sa.Column("loaded_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("candidate_set_id"),
        sa.UniqueConstraint("name"),
        comment="One candidates file: every pair a model scored, loaded once and never changed",
    )
    op.create_table(
        "candidate",
        sa.Column("candidate_set_id", sa.Integer(), nullable=False),
        sa.Column("disease_id", sa.Integer(), nullable=False),
        sa.Column("drug_id", sa.Integer(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.CheckConstraint("isfinite(score)", name="candidate_score"),
        comment="A scored pair of a candidate set",
    )
    op.create_table(
        "slate",
        sa.Column("slate_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("frozen_on", sa.Date(), nullable=False),
        sa.Column("recorded_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("model_version", sa.String(), nullable=False),
        sa.Column("candidate_set_id", sa.Integer(), nullable=True),
        sa.Column("label_set_id", sa.Integer(), nullable=True),
        sa.Column("candidate_sha256", sa.String(), nullable=True),
        sa.Column("label_sha256", sa.String(), nullable=True),
        sa.Column("alias_sha256", sa.String(), nullable=True),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("plan", sa.JSON(), nullable=True),
        sa.Column("fingerprint", sa.JSON(), nullable=False),
        sa.Column("is_replay", sa.Boolean(), nullable=False),
        sa.Column("n_predictions", sa.BigInteger(), nullable=False),
        sa.Column("content_sha256", sa.String(), nullable=False),
        sa.Column("previous_sha256", sa.String(), nullable=True),
        sa.CheckConstraint("origin in ('frozen', 'imported', 'published')", name="slate_origin"),
        sa.CheckConstraint("n_predictions >= 1", name="slate_n_predictions"),
        sa.ForeignKeyConstraint(
            ["candidate_set_id"],
            ["candidate_set.candidate_set_id"],
        ),
        sa.ForeignKeyConstraint(
            ["label_set_id"],
            ["label_set.label_set_id"],
        ),
        sa.PrimaryKeyConstraint("slate_id"),
        comment="A frozen set of predictions; outcomes are timed against frozen_on",
    )
    op.create_table(
        "prediction",
        sa.Column("slate_id", sa.Uuid(), nullable=False),
        sa.Column("disease_id", sa.Integer(), nullable=False),
        sa.Column("drug_id", sa.Integer(), nullable=False),
        sa.Column("disease_identifier", sa.String(), nullable=False),
        sa.Column("drug_identifier", sa.String(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("tier", sa.String(), nullable=False),
        sa.Column("known_label", sa.SmallInteger(), nullable=True),
        sa.Column("known_max_phase", sa.Double(), nullable=True),
        sa.Column("first_approval_year", sa.SmallInteger(), nullable=True),
        sa.Column("criterion", sa.String(), nullable=False),
        sa.Column("criterion_min_phase", sa.Double(), nullable=True),
        sa.Column("criterion_horizon_years", sa.SmallInteger(), nullable=True),
        sa.Column("line_checksum", sa.String(), nullable=False),
        sa.CheckConstraint(
            "criterion in ('reach_phase', 'any_activity', 'exceed_phase', 'monitor')",
            name="prediction_criterion",
        ),
        sa.CheckConstraint("tier in ('high', 'moderate', 'exploratory')", name="prediction_tier"),
        sa.CheckConstraint("isfinite(score)", name="prediction_score"),
        sa.CheckConstraint("known_label between 0 and 4", name="prediction_known_label"),
        sa.CheckConstraint("known_max_phase between -1 and 4", name="prediction_known_max_phase"),
        sa.CheckConstraint("rank >= 1", name="prediction_rank"),
        sa.ForeignKeyConstraint(
            ["disease_id"],
            ["disease.disease_id"],
        ),
        sa.ForeignKeyConstraint(
            ["drug_id"],
            ["drug.drug_id"],
        ),
        sa.ForeignKeyConstraint(
            ["slate_id"],
            ["slate.slate_id"],
        ),
        sa.PrimaryKeyConstraint("slate_id", "disease_id", "drug_id"),
        comment="A predicted pair of a slate, with what was known of it at freeze",
    )
    op.create_table(
        "slate_note",
        sa.Column("slate_id", sa.Uuid(), nullable=False),
        sa.Column("note_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("disease_name", sa.String(), nullable=True),
        sa.Column("drug_name", sa.String(), nullable=True),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["slate_id"],
            ["slate.slate_id"],
        ),
        sa.PrimaryKeyConstraint("slate_id", "note_number"),
        comment="What an import set aside or changed, row by row; part of every report",
    )
    op.create_table(
        "view_build",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
        comment="The text each stored view was built from, to notice views of another version",
    )


def downgrade() -> None:
    op.drop_table("view_build")
    op.drop_table("slate_note")
    op.drop_table("prediction")
    op.drop_table("slate")
    op.drop_table("candidate")
    op.drop_table("candidate_set")
    op.drop_table("labeled_pair")
    op.drop_table("label_set")
    op.drop_table("disease_alias")
    op.drop_table("disease")
    op.drop_table("drug_alias")
    op.drop_table("drug")
