"""Evidence of the outside sources, release by release: indications, trials, approvals."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "release_coverage",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("form", sa.String(), nullable=False),
        sa.Column("is_complete", sa.Boolean(), nullable=False),
        sa.Column("n_records", sa.BigInteger(), nullable=False),
        sa.Column("n_versions", sa.BigInteger(), nullable=False),
        sa.Column("n_vanished", sa.BigInteger(), nullable=False),
        sa.Column("n_returned", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("n_records >= 0", name="release_coverage_n_records"),
        sa.CheckConstraint("is_complete or n_vanished = 0", name="release_coverage_n_vanished"),
        sa.CheckConstraint(
            "n_versions between 0 and n_records", name="release_coverage_n_versions"
        ),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("release_id"),
        comment="What a release held: all records of its source or some, how many new or changed",
    )
    op.create_table(
        "record_presence",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("record_key", sa.String(), nullable=False),
        sa.Column("is_present", sa.Boolean(), nullable=False),
        sa.CheckConstraint(
            "kind in ('trial', 'submission', 'product')", name="record_presence_kind"
        ),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("release_id", "kind", "record_key"),
        comment="A trial, submission or product that vanished from its source or came back",
    )
    op.create_table(
        "indication",
        sa.Column("indication_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("source_key", sa.String(), nullable=False),
        sa.Column("chembl_id", sa.String(), nullable=False),
        sa.Column("parent_chembl_id", sa.String(), nullable=True),
        sa.Column("efo_id", sa.String(), nullable=True),
        sa.Column("efo_term", sa.String(), nullable=True),
        sa.Column("folded_efo_term", sa.String(), nullable=True),
        sa.Column("mesh_id", sa.String(), nullable=True),
        sa.Column("mesh_heading", sa.String(), nullable=True),
        sa.Column("folded_mesh_heading", sa.String(), nullable=True),
        sa.Column("max_phase", sa.Double(), nullable=True),
        sa.CheckConstraint("chembl_id like 'CHEMBL%'", name="indication_chembl_id"),
        sa.CheckConstraint("max_phase between -1 and 4", name="indication_max_phase"),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("indication_id"),
        comment="A drug indication as a ChEMBL release gives it; identifiers as aliases write them",
    )
    op.create_table(
        "indication_reference",
        sa.Column("indication_id", sa.BigInteger(), nullable=False),
        sa.Column("ref_type", sa.String(), nullable=False),
        sa.Column("ref_id", sa.String(), nullable=False),
        comment="Where ChEMBL found an indication: trials, labels, approvals",
    )
    op.create_table(
        "molecule",
        sa.Column("chembl_id", sa.String(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("parent_chembl_id", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("chembl_id", "release_id"),
        comment="The parent ChEMBL gives a molecule; a row where a release changed it",
    )
    op.create_table(
        "molecule_name",
        sa.Column("chembl_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("folded_name", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.CheckConstraint("kind in ('name', 'synonym')", name="molecule_name_kind"),
        comment="A name ChEMBL gives a molecule, with the release in which it was first seen",
    )
    op.create_table(
        "trial",
        sa.Column("trial_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("nct_id", sa.String(), nullable=False),
        sa.Column("source_key", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=True),
        sa.Column("study_type", sa.String(), nullable=True),
        sa.Column("phase", sa.String(), nullable=True),
        sa.Column("reached_phase", sa.Double(), nullable=True),
        sa.Column("overall_status", sa.String(), nullable=True),
        sa.Column("start_date", sa.Date(), nullable=True),
        sa.Column("start_precision", sa.String(), nullable=True),
        sa.Column("start_type", sa.String(), nullable=True),
        sa.Column("primary_completion_date", sa.Date(), nullable=True),
        sa.Column("primary_completion_precision", sa.String(), nullable=True),
        sa.Column("completion_date", sa.Date(), nullable=True),
        sa.Column("completion_precision", sa.String(), nullable=True),
        sa.Column("first_posted_on", sa.Date(), nullable=True),
        sa.Column("last_update_posted_on", sa.Date(), nullable=True),
        sa.Column("content_sha256", sa.String(), nullable=False),
        sa.CheckConstraint(
            "completion_precision in ('day', 'month', 'year')", name="trial_completion_precision"
        ),
        sa.CheckConstraint("regexp_full_match(nct_id, 'NCT[0-9]{8}')", name="trial_nct_id"),
        sa.CheckConstraint(
            "primary_completion_precision in ('day', 'month', 'year')",
            name="trial_primary_completion_precision",
        ),
        sa.CheckConstraint("reached_phase in (0.5, 1, 2, 3, 4)", name="trial_reached_phase"),
        sa.CheckConstraint(
            "(start_date is null) = (start_precision is null)", name="trial_start_date"
        ),
        sa.CheckConstraint(
            "start_precision in ('day', 'month', 'year')", name="trial_start_precision"
        ),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("trial_id"),
        comment="A version of a study, stored when it changed; a partial date is its first day",
    )
    op.create_table(
        "trial_condition",
        sa.Column("trial_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("folded_name", sa.String(), nullable=False),
        sa.Column("is_mesh_term", sa.Boolean(), nullable=False),
        sa.Column("mesh_id", sa.String(), nullable=True),
        sa.CheckConstraint("is_mesh_term or mesh_id is null", name="trial_condition_mesh_id"),
        sa.CheckConstraint("position >= 1", name="trial_condition_position"),
        comment="A condition of a study, as registered or as the MeSH term the registry derived",
    )
    op.create_table(
        "trial_intervention",
        sa.Column("trial_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("intervention_type", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("folded_name", sa.String(), nullable=False),
        sa.Column("is_other_name", sa.Boolean(), nullable=False),
        sa.CheckConstraint("position >= 1", name="trial_intervention_position"),
        comment="An intervention of a study, or another name registered for one",
    )
    op.create_table(
        "approval",
        sa.Column("approval_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("source_key", sa.String(), nullable=False),
        sa.Column("application_number", sa.String(), nullable=False),
        sa.Column("submission_type", sa.String(), nullable=False),
        sa.Column("submission_number", sa.String(), nullable=False),
        sa.Column("submission_status", sa.String(), nullable=True),
        sa.Column("status_date", sa.Date(), nullable=True),
        sa.Column("submission_class", sa.String(), nullable=True),
        sa.Column("sponsor_name", sa.String(), nullable=True),
        sa.Column("content_sha256", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("approval_id"),
        sa.UniqueConstraint(
            "application_number", "submission_type", "submission_number", "release_id"
        ),
        comment="A version of an FDA submission, stored when it changed; it names no disease",
    )
    op.create_table(
        "approval_product",
        sa.Column("product_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("source_key", sa.String(), nullable=False),
        sa.Column("application_number", sa.String(), nullable=False),
        sa.Column("product_number", sa.String(), nullable=False),
        sa.Column("drug_name", sa.String(), nullable=True),
        sa.Column("folded_drug_name", sa.String(), nullable=True),
        sa.Column("active_ingredients", sa.String(), nullable=True),
        sa.Column("n_ingredients", sa.Integer(), nullable=False),
        sa.Column("content_sha256", sa.String(), nullable=False),
        sa.CheckConstraint("n_ingredients >= 0", name="approval_product_n_ingredients"),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("product_id"),
        sa.UniqueConstraint("application_number", "product_number", "release_id"),
        comment="A version of a product of an FDA application, stored when it changed",
    )
    op.create_table(
        "product_ingredient",
        sa.Column("product_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("folded_name", sa.String(), nullable=False),
        sa.CheckConstraint("position >= 1", name="product_ingredient_position"),
        sa.ForeignKeyConstraint(["product_id"], ["approval_product.product_id"]),
        sa.PrimaryKeyConstraint("product_id", "position"),
        comment="An active ingredient of a product",
    )


def downgrade() -> None:
    op.drop_table("product_ingredient")
    op.drop_table("approval_product")
    op.drop_table("approval")
    op.drop_table("trial_intervention")
    op.drop_table("trial_condition")
    op.drop_table("trial")
    op.drop_table("molecule_name")
    op.drop_table("molecule")
    op.drop_table("indication_reference")
    op.drop_table("indication")
    op.drop_table("record_presence")
    op.drop_table("release_coverage")
