"""Drugs, diseases, and the pairs of them that are labeled or scored."""

import sqlalchemy as sa

from tracker.schema.base import instant, metadata, one_of

DRUG_ALIAS_KINDS = ("chembl_id", "parent_chembl_id", "name", "synonym")
DISEASE_ALIAS_KINDS = ("efo_id", "mondo_id", "mesh_id", "name", "synonym")

drug = sa.Table(
    "drug",
    metadata,
    sa.Column("drug_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("chembl_id", sa.String),
    sa.Column("name", sa.String, nullable=False),
    comment="A drug; chembl_id or else the folded name identifies it outside the store",
)

drug_alias = sa.Table(
    "drug_alias",
    metadata,
    sa.Column("kind", sa.String, primary_key=True),
    sa.Column("value", sa.String, primary_key=True),
    sa.Column("drug_id", sa.ForeignKey("drug.drug_id"), primary_key=True),
    instant("added_at"),
    one_of("kind", DRUG_ALIAS_KINDS, "drug_alias_kind"),
    comment="A folded name or an identifier by which evidence and files may call a drug",
)

disease = sa.Table(
    "disease",
    metadata,
    sa.Column("disease_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("ontology_id", sa.String),
    comment="A disease; ontology_id or else the folded name identifies it outside the store",
)

disease_alias = sa.Table(
    "disease_alias",
    metadata,
    sa.Column("kind", sa.String, primary_key=True),
    sa.Column("value", sa.String, primary_key=True),
    sa.Column("disease_id", sa.ForeignKey("disease.disease_id"), primary_key=True),
    instant("added_at"),
    one_of("kind", DISEASE_ALIAS_KINDS, "disease_alias_kind"),
    comment="A folded name or an identifier by which evidence and files may call a disease",
)

label_set = sa.Table(
    "label_set",
    metadata,
    sa.Column("label_set_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String, nullable=False, unique=True),
    sa.Column("sha256", sa.String, nullable=False),
    sa.Column("origin", sa.String, nullable=False),
    sa.Column("n_pairs", sa.BigInteger, nullable=False),
    instant("loaded_at"),
    comment="One labels file, loaded once and never changed",
)

labeled_pair = sa.Table(
    "labeled_pair",
    metadata,
    sa.Column("label_set_id", sa.ForeignKey("label_set.label_set_id"), primary_key=True),
    sa.Column("disease_id", sa.ForeignKey("disease.disease_id"), primary_key=True),
    sa.Column("drug_id", sa.ForeignKey("drug.drug_id"), primary_key=True),
    sa.Column("label", sa.SmallInteger, nullable=False),
    sa.Column("max_phase", sa.Double),
    sa.Column("approval_year", sa.SmallInteger),
    sa.CheckConstraint("label between 0 and 4", name="labeled_pair_label"),
    sa.CheckConstraint("max_phase between -1 and 4", name="labeled_pair_max_phase"),
    sa.CheckConstraint("approval_year between 1800 and 2200", name="labeled_pair_approval_year"),
    comment="A known pair: label 0 negative, 1 to 3 highest clinical phase, 4 approved",
)

candidate_set = sa.Table(
    "candidate_set",
    metadata,
    sa.Column("candidate_set_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String, nullable=False, unique=True),
    sa.Column("model_version", sa.String, nullable=False),
    sa.Column("sha256", sa.String, nullable=False),
    sa.Column("origin", sa.String, nullable=False),
    sa.Column("n_pairs", sa.BigInteger, nullable=False),
    instant("loaded_at"),
    comment="One candidates file: every pair a model scored, loaded once and never changed",
)

# The pairs of sets that are not sealed. No key and no foreign key: an index over tens of millions
# of rows costs gigabytes. The load and the check candidate_unique ensure uniqueness instead.
stored_candidate = sa.Table(
    "stored_candidate",
    metadata,
    sa.Column("candidate_set_id", sa.Integer, nullable=False),
    sa.Column("disease_id", sa.Integer, nullable=False),
    sa.Column("drug_id", sa.Integer, nullable=False),
    sa.Column("score", sa.Double, nullable=False),
    sa.CheckConstraint("isfinite(score)", name="candidate_score"),
    comment="A scored pair of a candidate set that is kept in the store; the view candidate has "
    "all",
)

# Sets whose pairs are in Parquet files beside the store (tracker.store.sealed_sets).
sealed_set = sa.Table(
    "sealed_set",
    metadata,
    sa.Column(
        "candidate_set_id", sa.ForeignKey("candidate_set.candidate_set_id"), primary_key=True
    ),
    sa.Column("n_parts", sa.Integer, nullable=False),
    sa.Column("manifest_sha256", sa.String, nullable=False),
    instant("sealed_at"),
    sa.CheckConstraint("n_parts >= 1", name="sealed_set_n_parts"),
    comment="A candidate set whose pairs are in Parquet files beside the store, and the hash of "
    "the manifest that lists them",
)

sealed_address = sa.Table(
    "sealed_address",
    metadata,
    sa.Column("candidate_set_id", sa.ForeignKey("sealed_set.candidate_set_id"), primary_key=True),
    sa.Column("address", sa.String, nullable=False),
    comment="Where in object storage the files of a sealed set are; others are in a folder",
)

sealed_part = sa.Table(
    "sealed_part",
    metadata,
    sa.Column("candidate_set_id", sa.ForeignKey("sealed_set.candidate_set_id"), primary_key=True),
    sa.Column("part_number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("n_rows", sa.BigInteger, nullable=False),
    sa.Column("n_bytes", sa.BigInteger, nullable=False),
    sa.Column("sha256", sa.String, nullable=False),
    sa.CheckConstraint("part_number >= 1", name="sealed_part_number"),
    sa.CheckConstraint("n_rows >= 1", name="sealed_part_n_rows"),
    sa.CheckConstraint("n_bytes >= 1", name="sealed_part_n_bytes"),
    comment="A Parquet file of a sealed set: its rows, its length and its hash",
)

# Names that one identifier makes one entity stand in a file as several drugs or diseases.
merged_set = sa.Table(
    "merged_set",
    metadata,
    sa.Column("merged_set_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("candidate_set_id", sa.ForeignKey("candidate_set.candidate_set_id")),
    sa.Column("label_set_id", sa.ForeignKey("label_set.label_set_id")),
    sa.Column("n_merged_rows", sa.BigInteger, nullable=False),
    sa.CheckConstraint(
        "(candidate_set_id is null) <> (label_set_id is null)", name="merged_set_subject"
    ),
    sa.CheckConstraint("n_merged_rows >= 1", name="merged_set_n_merged_rows"),
    comment="A set in whose file names of one drug or disease were merged, and how many rows "
    "gave way",
)

merged_name = sa.Table(
    "merged_name",
    metadata,
    sa.Column("merged_set_id", sa.ForeignKey("merged_set.merged_set_id"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("disease_id", sa.ForeignKey("disease.disease_id")),
    sa.Column("drug_id", sa.ForeignKey("drug.drug_id")),
    sa.Column("name", sa.String, nullable=False),
    sa.CheckConstraint("(disease_id is null) <> (drug_id is null)", name="merged_name_entity"),
    comment="A name in the file of a merged set that was one of several of its drug or disease",
)
