"""The ledger of releases and what each stated: indications, trials and approvals."""

import sqlalchemy as sa

from tracker.schema.base import instant, metadata, one_of

DATE_PRECISIONS = ("day", "month", "year")
ARM_ROLES = ("experimental", "background", "comparator")
# As in the view study_use, but 'several conditions', for which a plan has a setting of its own.
STUDY_USES = (
    "treatment",
    "prevention",
    "not stated",
    "supportive care",
    "diagnostic",
    "screening",
    "basic science",
    "health services research",
    "device feasibility",
    "education",
    "other purpose",
    "background",
    "not as a drug",
)
RECORD_KINDS = ("trial", "submission", "product", "medicine")
MEDICINE_CATEGORIES = ("human", "veterinary")
MOLECULE_NAME_KINDS = ("name", "synonym")
MOLECULE_KEY_KINDS = ("chembl_id", "inchi_key", "unii", "name")

release = sa.Table(
    "release",
    metadata,
    sa.Column("release_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("source", sa.String, nullable=False),
    sa.Column("version", sa.String, nullable=False),
    sa.Column("released_on", sa.Date, nullable=False),
    instant("ingested_at"),
    sa.Column("sha256", sa.String, nullable=False),
    sa.Column("origin", sa.String, nullable=False),
    sa.Column("n_rows", sa.BigInteger, nullable=False),
    comment="A dated release of an outside source of evidence",
)

# One row per ingested release of evidence; how far the absence of a record means anything.
release_coverage = sa.Table(
    "release_coverage",
    metadata,
    sa.Column("release_id", sa.ForeignKey("release.release_id"), primary_key=True),
    sa.Column("form", sa.String, nullable=False),
    sa.Column("is_complete", sa.Boolean, nullable=False),
    sa.Column("n_records", sa.BigInteger, nullable=False),
    sa.Column("n_versions", sa.BigInteger, nullable=False),
    sa.Column("n_vanished", sa.BigInteger, nullable=False),
    sa.Column("n_returned", sa.BigInteger, nullable=False),
    sa.CheckConstraint("n_records >= 0", name="release_coverage_n_records"),
    sa.CheckConstraint("n_versions between 0 and n_records", name="release_coverage_n_versions"),
    sa.CheckConstraint("is_complete or n_vanished = 0", name="release_coverage_n_vanished"),
    comment="What a release held: all records of its source or some, how many new or changed",
)

# A record is present from its first version on; only what changed since is stored here, so that
# a snapshot of half a million unchanged studies costs no row.
record_presence = sa.Table(
    "record_presence",
    metadata,
    sa.Column("release_id", sa.ForeignKey("release.release_id"), primary_key=True),
    sa.Column("kind", sa.String, primary_key=True),
    sa.Column("record_key", sa.String, primary_key=True),
    sa.Column("is_present", sa.Boolean, nullable=False),
    one_of("kind", RECORD_KINDS, "record_presence_kind"),
    comment="A trial, submission, product or medicine that vanished from its source or came back",
)

indication = sa.Table(
    "indication",
    metadata,
    sa.Column("indication_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("release_id", sa.ForeignKey("release.release_id"), nullable=False),
    sa.Column("source_key", sa.String, nullable=False),
    sa.Column("chembl_id", sa.String, nullable=False),
    sa.Column("parent_chembl_id", sa.String),
    sa.Column("efo_id", sa.String),
    sa.Column("efo_term", sa.String),
    sa.Column("folded_efo_term", sa.String),
    sa.Column("mesh_id", sa.String),
    sa.Column("mesh_heading", sa.String),
    sa.Column("folded_mesh_heading", sa.String),
    sa.Column("max_phase", sa.Double),
    sa.Column("first_approved_in", sa.SmallInteger),
    sa.CheckConstraint("max_phase between -1 and 4", name="indication_max_phase"),
    sa.CheckConstraint("chembl_id like 'CHEMBL%'", name="indication_chembl_id"),
    comment="A drug indication as a ChEMBL release gives it; identifiers as aliases write them",
)

# An index over hundreds of thousands of texts costs more than all else of an ingestion, so the
# tables of names and references have none; sql/checks ensures what keys would.
indication_reference = sa.Table(
    "indication_reference",
    metadata,
    sa.Column("indication_id", sa.BigInteger, nullable=False),
    sa.Column("ref_type", sa.String, nullable=False),
    sa.Column("ref_id", sa.String, nullable=False),
    comment="Where ChEMBL found an indication: trials, labels, approvals",
)

molecule = sa.Table(
    "molecule",
    metadata,
    sa.Column("chembl_id", sa.String, primary_key=True),
    sa.Column("release_id", sa.ForeignKey("release.release_id"), primary_key=True),
    sa.Column("parent_chembl_id", sa.String),
    comment="The parent ChEMBL gives a molecule; a row where a release changed it",
)

molecule_name = sa.Table(
    "molecule_name",
    metadata,
    sa.Column("chembl_id", sa.String, nullable=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("folded_name", sa.String, nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("release_id", sa.Integer, nullable=False),
    one_of("kind", MOLECULE_NAME_KINDS, "molecule_name_kind"),
    comment="A name ChEMBL gives a molecule, with the release in which it was first seen",
)

# Kept whole for each release: it says which molecules are in a release, and which are not.
molecule_key = sa.Table(
    "molecule_key",
    metadata,
    sa.Column("release_id", sa.Integer, nullable=False),
    sa.Column("chembl_id", sa.String, nullable=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("value", sa.String, nullable=False),
    one_of("kind", MOLECULE_KEY_KINDS, "molecule_key_kind"),
    comment="Keys by which a molecule of a ChEMBL release is known again under another id",
)

# Kept whole for each release, so that a warning has vanished if a release lacks it.
drug_warning = sa.Table(
    "drug_warning",
    metadata,
    sa.Column("release_id", sa.ForeignKey("release.release_id"), primary_key=True),
    sa.Column("record", sa.String, primary_key=True),
    sa.Column("chembl_id", sa.String, nullable=False),
    sa.Column("parent_chembl_id", sa.String),
    sa.Column("warning_type", sa.String, nullable=False),
    sa.Column("warning_class", sa.String),
    sa.Column("warning_description", sa.String),
    sa.Column("warning_country", sa.String),
    sa.Column("warning_year", sa.Integer),
    sa.Column("efo_id", sa.String),
    sa.Column("efo_term", sa.String),
    sa.CheckConstraint("chembl_id like 'CHEMBL%'", name="drug_warning_chembl_id"),
    comment="A withdrawal or boxed warning of a molecule as a ChEMBL release gives it; record is "
    "the warning's id, or that of a molecule which is only flagged as withdrawn",
)

trial = sa.Table(
    "trial",
    metadata,
    sa.Column("trial_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("release_id", sa.ForeignKey("release.release_id"), nullable=False),
    sa.Column("nct_id", sa.String, nullable=False),
    sa.Column("source_key", sa.String, nullable=False),
    sa.Column("title", sa.String),
    sa.Column("study_type", sa.String),
    sa.Column("phase", sa.String),
    sa.Column("reached_phase", sa.Double),
    sa.Column("overall_status", sa.String),
    sa.Column("start_date", sa.Date),
    sa.Column("start_precision", sa.String),
    sa.Column("start_type", sa.String),
    sa.Column("primary_completion_date", sa.Date),
    sa.Column("primary_completion_precision", sa.String),
    sa.Column("completion_date", sa.Date),
    sa.Column("completion_precision", sa.String),
    sa.Column("first_posted_on", sa.Date),
    sa.Column("last_update_posted_on", sa.Date),
    sa.Column("content_sha256", sa.String, nullable=False),
    sa.Column("primary_purpose", sa.String),
    sa.Column("why_stopped", sa.String),
    sa.Column("results_posted_on", sa.Date),
    # Of a past version from the history of the registry; NULL where a snapshot showed it.
    sa.Column("version_number", sa.Integer),
    sa.Column("submitted_on", sa.Date),
    # Of a study whose status is UNKNOWN: the one that its sponsor stated last.
    sa.Column("last_known_status", sa.String),
    # A study of other registries alone has the number of one of them.
    sa.CheckConstraint(
        "regexp_full_match(nct_id, '[A-Za-z0-9][A-Za-z0-9/_.()-]{2,59}')", name="trial_nct_id"
    ),
    sa.CheckConstraint("reached_phase in (0.5, 1, 2, 3, 4)", name="trial_reached_phase"),
    one_of("start_precision", DATE_PRECISIONS, "trial_start_precision"),
    one_of("primary_completion_precision", DATE_PRECISIONS, "trial_primary_completion_precision"),
    one_of("completion_precision", DATE_PRECISIONS, "trial_completion_precision"),
    sa.CheckConstraint("(start_date is null) = (start_precision is null)", name="trial_start_date"),
    comment="A version of a study, stored when it changed; a partial date is its first day",
)

study_number = sa.Table(
    "study_number",
    metadata,
    sa.Column("nct_id", sa.String, nullable=False),
    sa.Column("number", sa.String, nullable=False),
    sa.Column("release_id", sa.Integer, nullable=False),
    comment="A number by which a registry knows a study, its own among them, and the release that "
    "said so first",
)

trial_condition = sa.Table(
    "trial_condition",
    metadata,
    sa.Column("trial_id", sa.Integer, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("folded_name", sa.String, nullable=False),
    sa.Column("is_mesh_term", sa.Boolean, nullable=False),
    sa.Column("mesh_id", sa.String),
    sa.CheckConstraint("position >= 1", name="trial_condition_position"),
    sa.CheckConstraint("is_mesh_term or mesh_id is null", name="trial_condition_mesh_id"),
    comment="A condition of a study, as registered or as the MeSH term the registry derived",
)

trial_intervention = sa.Table(
    "trial_intervention",
    metadata,
    sa.Column("trial_id", sa.Integer, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("intervention_type", sa.String),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("folded_name", sa.String, nullable=False),
    sa.Column("is_other_name", sa.Boolean, nullable=False),
    sa.Column("arm_role", sa.String),
    sa.Column("is_mesh_term", sa.Boolean, nullable=False),
    sa.Column("mesh_id", sa.String),
    sa.CheckConstraint("position >= 1", name="trial_intervention_position"),
    one_of("arm_role", ARM_ROLES, "trial_intervention_arm_role"),
    comment="An intervention of a study, another name registered for one, or a MeSH term the "
    "registry derived",
)

approval = sa.Table(
    "approval",
    metadata,
    sa.Column("approval_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("release_id", sa.ForeignKey("release.release_id"), nullable=False),
    sa.Column("source_key", sa.String, nullable=False),
    sa.Column("application_number", sa.String, nullable=False),
    sa.Column("submission_type", sa.String, nullable=False),
    sa.Column("submission_number", sa.String, nullable=False),
    sa.Column("submission_status", sa.String),
    sa.Column("status_date", sa.Date),
    sa.Column("submission_class", sa.String),
    sa.Column("sponsor_name", sa.String),
    sa.Column("content_sha256", sa.String, nullable=False),
    sa.UniqueConstraint("application_number", "submission_type", "submission_number", "release_id"),
    comment="A version of an FDA submission, stored when it changed; it names no disease",
)

approval_product = sa.Table(
    "approval_product",
    metadata,
    sa.Column("product_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("release_id", sa.ForeignKey("release.release_id"), nullable=False),
    sa.Column("source_key", sa.String, nullable=False),
    sa.Column("application_number", sa.String, nullable=False),
    sa.Column("product_number", sa.String, nullable=False),
    sa.Column("drug_name", sa.String),
    sa.Column("folded_drug_name", sa.String),
    sa.Column("active_ingredients", sa.String),
    sa.Column("n_ingredients", sa.Integer, nullable=False),
    sa.Column("content_sha256", sa.String, nullable=False),
    sa.UniqueConstraint("application_number", "product_number", "release_id"),
    sa.CheckConstraint("n_ingredients >= 0", name="approval_product_n_ingredients"),
    comment="A version of a product of an FDA application, stored when it changed",
)

product_ingredient = sa.Table(
    "product_ingredient",
    metadata,
    sa.Column("product_id", sa.ForeignKey("approval_product.product_id"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("folded_name", sa.String, nullable=False),
    sa.CheckConstraint("position >= 1", name="product_ingredient_position"),
    comment="An active ingredient of a product",
)

medicine = sa.Table(
    "medicine",
    metadata,
    sa.Column("medicine_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("release_id", sa.ForeignKey("release.release_id"), nullable=False),
    sa.Column("source_key", sa.String, nullable=False),
    sa.Column("product_number", sa.String, nullable=False),
    sa.Column("category", sa.String, nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("status", sa.String, nullable=False),
    sa.Column("inn", sa.String),
    sa.Column("active_substance", sa.String),
    sa.Column("n_substances", sa.Integer, nullable=False),
    sa.Column("is_generic", sa.Boolean, nullable=False),
    sa.Column("is_biosimilar", sa.Boolean, nullable=False),
    sa.Column("indication", sa.String),
    sa.Column("authorised_on", sa.Date),
    sa.Column("refused_on", sa.Date),
    sa.Column("application_withdrawn_on", sa.Date),
    sa.Column("authorisation_ended_on", sa.Date),
    sa.Column("url", sa.String),
    sa.Column("content_sha256", sa.String, nullable=False),
    sa.UniqueConstraint("product_number", "release_id"),
    one_of("category", MEDICINE_CATEGORIES, "medicine_category"),
    sa.CheckConstraint("n_substances >= 0", name="medicine_n_substances"),
    comment="A version of a product in EMA's table of medicines, stored when it changed",
)

medicine_substance = sa.Table(
    "medicine_substance",
    metadata,
    sa.Column("medicine_id", sa.ForeignKey("medicine.medicine_id"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("folded_name", sa.String, nullable=False),
    sa.CheckConstraint("position >= 1", name="medicine_substance_position"),
    comment="A name of a medicine's one substance, or each of its substances",
)

medicine_area = sa.Table(
    "medicine_area",
    metadata,
    sa.Column("medicine_id", sa.ForeignKey("medicine.medicine_id"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("folded_name", sa.String, nullable=False),
    sa.CheckConstraint("position >= 1", name="medicine_area_position"),
    comment="A therapeutic area of a medicine, a MeSH term that EMA gives without its id",
)

refresh = sa.Table(
    "refresh",
    metadata,
    sa.Column("refresh_id", sa.Integer, primary_key=True, autoincrement=False),
    instant("refreshed_at"),
    sa.Column("state_sha256", sa.String, nullable=False),
    sa.Column("n_releases", sa.BigInteger, nullable=False),
    sa.Column("n_slates", sa.BigInteger, nullable=False),
    sa.Column("n_outcomes", sa.BigInteger, nullable=False),
    sa.CheckConstraint("n_outcomes >= 0", name="refresh_n_outcomes"),
    comment="A refresh that found something to do; state_sha256 is of the releases and slates it "
    "covered",
)

refused_file = sa.Table(
    "refused_file",
    metadata,
    sa.Column("refusal_sha256", sa.String, primary_key=True),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("origin", sa.String, nullable=False),
    sa.Column("problem", sa.String, nullable=False),
    instant("refused_at"),
    comment="A file that a refresh refused, told once; refusal_sha256 is of its content, its "
    "source's settings and the version of tracker",
)

release_fetch = sa.Table(
    "release_fetch",
    metadata,
    sa.Column("release_id", sa.ForeignKey("release.release_id"), primary_key=True),
    sa.Column("url", sa.String, nullable=False),
    instant("fetched_at"),
    sa.Column("sha256", sa.String, nullable=False),
    sa.Column("n_bytes", sa.BigInteger, nullable=False),
    sa.Column("etag", sa.String),
    sa.Column("last_modified", sa.String),
    comment="Where the file of a release was fetched from; sha256 is of the file as it was sent",
)
