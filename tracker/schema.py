"""The store's tables: facts only, no definitions. Views live in sql/, built by tracker.catalog.

alembic compares the migrations with this metadata, so a column added here without a migration
fails the tests.
"""

import sqlalchemy as sa

metadata = sa.MetaData()

# Tiers run from the best rank downwards.
TIERS = ("high", "moderate", "exploratory")
DRUG_ALIAS_KINDS = ("chembl_id", "parent_chembl_id", "name", "synonym")
DISEASE_ALIAS_KINDS = ("efo_id", "mondo_id", "mesh_id", "name", "synonym")
SLATE_ORIGINS = ("frozen", "imported", "published")
PROCEDURES = ("leave_one_out", "temporal")
BENCHMARK_KINDS = ("regression", "binary", "ordinal", "multilabel")
TRACKS = ("cv", "heldout", "public", "test")
SUBMISSION_NOTE_KINDS = ("leakage", "partial", "truncated", "unlisted_labels")
CRITERIA = ("reach_phase", "any_activity", "exceed_phase", "monitor")


def _one_of(column: str, values: tuple[str, ...], name: str) -> sa.CheckConstraint:
    members = ", ".join(f"'{value}'" for value in values)
    return sa.CheckConstraint(f"{column} in ({members})", name=name)


def _instant(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.TIMESTAMP(timezone=True), nullable=False)


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
    _instant("added_at"),
    _one_of("kind", DRUG_ALIAS_KINDS, "drug_alias_kind"),
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
    _instant("added_at"),
    _one_of("kind", DISEASE_ALIAS_KINDS, "disease_alias_kind"),
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
    _instant("loaded_at"),
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
    _instant("loaded_at"),
    comment="One candidates file: every pair a model scored, loaded once and never changed",
)

# No key and no foreign key: an index over tens of millions of rows costs gigabytes. The load
# and the check candidate_unique hold uniqueness instead.
candidate = sa.Table(
    "candidate",
    metadata,
    sa.Column("candidate_set_id", sa.Integer, nullable=False),
    sa.Column("disease_id", sa.Integer, nullable=False),
    sa.Column("drug_id", sa.Integer, nullable=False),
    sa.Column("score", sa.Double, nullable=False),
    sa.CheckConstraint("isfinite(score)", name="candidate_score"),
    comment="A scored pair of a candidate set",
)

# created_at is the freeze, frozen_on the date outcomes are timed against (an earlier one for a
# replay), recorded_at the instant at which this store wrote the slate.
slate = sa.Table(
    "slate",
    metadata,
    sa.Column("slate_id", sa.Uuid, primary_key=True),
    _instant("created_at"),
    sa.Column("frozen_on", sa.Date, nullable=False),
    _instant("recorded_at"),
    sa.Column("origin", sa.String, nullable=False),
    sa.Column("description", sa.String, nullable=False),
    sa.Column("model_version", sa.String, nullable=False),
    sa.Column("candidate_set_id", sa.ForeignKey("candidate_set.candidate_set_id")),
    sa.Column("label_set_id", sa.ForeignKey("label_set.label_set_id")),
    sa.Column("candidate_sha256", sa.String),
    sa.Column("label_sha256", sa.String),
    sa.Column("alias_sha256", sa.String),
    sa.Column("parameters", sa.JSON, nullable=False),
    sa.Column("plan", sa.JSON(none_as_null=True)),
    sa.Column("fingerprint", sa.JSON, nullable=False),
    sa.Column("is_replay", sa.Boolean, nullable=False),
    sa.Column("n_predictions", sa.BigInteger, nullable=False),
    sa.Column("content_sha256", sa.String, nullable=False),
    sa.Column("previous_sha256", sa.String),
    _one_of("origin", SLATE_ORIGINS, "slate_origin"),
    sa.CheckConstraint("n_predictions >= 1", name="slate_n_predictions"),
    comment="A frozen set of predictions; outcomes are timed against frozen_on",
)

prediction = sa.Table(
    "prediction",
    metadata,
    sa.Column("slate_id", sa.ForeignKey("slate.slate_id"), primary_key=True),
    sa.Column("disease_id", sa.ForeignKey("disease.disease_id"), primary_key=True),
    sa.Column("drug_id", sa.ForeignKey("drug.drug_id"), primary_key=True),
    sa.Column("disease_identifier", sa.String, nullable=False),
    sa.Column("drug_identifier", sa.String, nullable=False),
    sa.Column("score", sa.Double, nullable=False),
    sa.Column("rank", sa.Integer, nullable=False),
    sa.Column("tier", sa.String, nullable=False),
    sa.Column("known_label", sa.SmallInteger),
    sa.Column("known_max_phase", sa.Double),
    sa.Column("first_approval_year", sa.SmallInteger),
    sa.Column("criterion", sa.String, nullable=False),
    sa.Column("criterion_min_phase", sa.Double),
    sa.Column("criterion_horizon_years", sa.SmallInteger),
    sa.Column("line_checksum", sa.String, nullable=False),
    sa.CheckConstraint("isfinite(score)", name="prediction_score"),
    sa.CheckConstraint("rank >= 1", name="prediction_rank"),
    _one_of("tier", TIERS, "prediction_tier"),
    sa.CheckConstraint("known_label between 0 and 4", name="prediction_known_label"),
    sa.CheckConstraint("known_max_phase between -1 and 4", name="prediction_known_max_phase"),
    _one_of("criterion", CRITERIA, "prediction_criterion"),
    comment="A predicted pair of a slate, with what was known of it at freeze",
)

slate_note = sa.Table(
    "slate_note",
    metadata,
    sa.Column("slate_id", sa.ForeignKey("slate.slate_id"), primary_key=True),
    sa.Column("note_number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("disease_name", sa.String),
    sa.Column("drug_name", sa.String),
    sa.Column("detail", sa.JSON, nullable=False),
    comment="What an import set aside or changed, row by row; part of every report",
)

release = sa.Table(
    "release",
    metadata,
    sa.Column("release_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("source", sa.String, nullable=False),
    sa.Column("version", sa.String, nullable=False),
    sa.Column("released_on", sa.Date, nullable=False),
    _instant("ingested_at"),
    sa.Column("sha256", sa.String, nullable=False),
    sa.Column("origin", sa.String, nullable=False),
    sa.Column("n_rows", sa.BigInteger, nullable=False),
    comment="A dated release of an outside source of evidence",
)

outcome_type = sa.Table(
    "outcome_type",
    metadata,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("signal", sa.String, nullable=False),
    _one_of("signal", ("high", "low"), "outcome_type_signal"),
    comment="The kinds of outcome; high-signal ones make a hit",
)

outcome = sa.Table(
    "outcome",
    metadata,
    sa.Column("outcome_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("slate_id", sa.ForeignKey("slate.slate_id"), nullable=False),
    sa.Column("disease_id", sa.ForeignKey("disease.disease_id"), nullable=False),
    sa.Column("drug_id", sa.ForeignKey("drug.drug_id"), nullable=False),
    sa.Column("outcome_type", sa.ForeignKey("outcome_type.name"), nullable=False),
    sa.Column("event_date", sa.Date),
    sa.Column("first_public_on", sa.Date),
    sa.Column("source", sa.String, nullable=False),
    sa.Column("release_id", sa.ForeignKey("release.release_id")),
    sa.Column("detail", sa.JSON(none_as_null=True)),
    _instant("observed_at"),
    comment="The ledger: real-world events of a slate's pairs, appended and never changed",
)

cutoff = sa.Table(
    "cutoff",
    metadata,
    sa.Column("k", sa.Integer, primary_key=True, autoincrement=False),
    sa.CheckConstraint("k >= 1", name="cutoff_k"),
    comment="The K of every metric at K; a user may add rows",
)

recall_target = sa.Table(
    "recall_target",
    metadata,
    sa.Column("recall", sa.Double, primary_key=True, autoincrement=False),
    sa.CheckConstraint("recall > 0 and recall <= 1", name="recall_target_recall"),
    comment="The recalls for which the number of predictions needed is given",
)

evaluation = sa.Table(
    "evaluation",
    metadata,
    sa.Column("evaluation_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("candidate_set_id", sa.ForeignKey("candidate_set.candidate_set_id")),
    sa.Column("label_set_id", sa.ForeignKey("label_set.label_set_id"), nullable=False),
    sa.Column("positive_min_label", sa.SmallInteger, nullable=False),
    _instant("created_at"),
    sa.CheckConstraint("positive_min_label between 1 and 4", name="evaluation_positive_min_label"),
    comment="A candidate set held against a label set; without a candidate set, every labeled "
    "drug is a candidate for every labeled disease",
)

ranker_run = sa.Table(
    "ranker_run",
    metadata,
    sa.Column("evaluation_id", sa.ForeignKey("evaluation.evaluation_id"), primary_key=True),
    sa.Column("ranker", sa.String, primary_key=True),
    sa.Column("procedure", sa.String, primary_key=True),
    sa.Column("cutoff_year", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("first_year", sa.SmallInteger),
    sa.Column("last_year", sa.SmallInteger),
    sa.Column("origin", sa.String, nullable=False),
    _instant("started_at"),
    _one_of("procedure", PROCEDURES, "ranker_run_procedure"),
    sa.CheckConstraint(
        "case procedure when 'leave_one_out' then cutoff_year = 0 and first_year is null "
        "and last_year is null else cutoff_year between 1800 and 2200 "
        "and first_year is not null and last_year is not null "
        "and first_year > cutoff_year and last_year >= first_year end",
        name="ranker_run_years",
    ),
    comment="A ranker's run over an evaluation; origin says which code or file; cutoff_year is 0 "
    "for leave-one-out",
)

loo_trial = sa.Table(
    "loo_trial",
    metadata,
    sa.Column("evaluation_id", sa.ForeignKey("evaluation.evaluation_id"), primary_key=True),
    sa.Column("ranker", sa.String, primary_key=True),
    sa.Column("disease_id", sa.ForeignKey("disease.disease_id"), primary_key=True),
    sa.Column("drug_id", sa.ForeignKey("drug.drug_id"), primary_key=True),
    sa.Column("rank_optimistic", sa.Integer),
    sa.Column("rank", sa.Double, nullable=False),
    sa.Column("rank_pessimistic", sa.Integer),
    sa.Column("n_candidates", sa.Integer, nullable=False),
    sa.Column("filtered_rank_optimistic", sa.Integer),
    sa.Column("filtered_rank", sa.Double),
    sa.Column("filtered_rank_pessimistic", sa.Integer),
    sa.Column("n_candidates_filtered", sa.Integer),
    sa.CheckConstraint("rank between 1 and n_candidates", name="loo_trial_rank"),
    sa.CheckConstraint(
        "rank_optimistic between 1 and rank and rank_pessimistic between rank and n_candidates",
        name="loo_trial_tied_ranks",
    ),
    sa.CheckConstraint(
        "filtered_rank between 1 and rank and filtered_rank <= n_candidates_filtered "
        "and n_candidates_filtered <= n_candidates",
        name="loo_trial_filtered_rank",
    ),
    sa.CheckConstraint(
        "filtered_rank_optimistic between 1 and filtered_rank "
        "and filtered_rank_pessimistic between filtered_rank and n_candidates_filtered",
        name="loo_trial_filtered_tied_ranks",
    ),
    comment="The rank of a positive drug hidden from training; a tie takes the middle rank; "
    "filtered ranks leave the disease's other positives out; NULL where a file gave none",
)

# As with candidate, no key: a run scores the whole matrix.
temporal_score = sa.Table(
    "temporal_score",
    metadata,
    sa.Column("evaluation_id", sa.Integer, nullable=False),
    sa.Column("ranker", sa.String, nullable=False),
    sa.Column("cutoff_year", sa.SmallInteger, nullable=False),
    sa.Column("disease_id", sa.Integer, nullable=False),
    sa.Column("drug_id", sa.Integer, nullable=False),
    sa.Column("score", sa.Double, nullable=False),
    sa.CheckConstraint("isfinite(score)", name="temporal_score_score"),
    comment="The score of a candidate pair by a ranker fitted on what was positive by cutoff_year",
)

benchmark = sa.Table(
    "benchmark",
    metadata,
    sa.Column("benchmark_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String, nullable=False, unique=True),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("preset", sa.String),
    sa.Column("item_column", sa.String, nullable=False),
    sa.Column("fold_column", sa.String),
    sa.Column("n_classes", sa.SmallInteger),
    sa.Column("n_items", sa.BigInteger, nullable=False),
    sa.Column("definition", sa.JSON, nullable=False),
    _instant("created_at"),
    _one_of("kind", BENCHMARK_KINDS, "benchmark_kind"),
    sa.CheckConstraint("n_classes >= 2", name="benchmark_n_classes"),
    sa.CheckConstraint("n_items >= 1", name="benchmark_n_items"),
    comment="What submissions are scored on: items, targets and, once loaded, truth",
)

benchmark_column = sa.Table(
    "benchmark_column",
    metadata,
    sa.Column("benchmark_id", sa.ForeignKey("benchmark.benchmark_id"), primary_key=True),
    sa.Column("name", sa.String, primary_key=True),
    comment="A further column of the benchmark's own table; submissions may carry it, unread",
)

benchmark_target = sa.Table(
    "benchmark_target",
    metadata,
    sa.Column("target_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("benchmark_id", sa.ForeignKey("benchmark.benchmark_id"), nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("is_lower_better", sa.Boolean, nullable=False),
    sa.UniqueConstraint("benchmark_id", "name"),
    comment="What is predicted of each item: an assay, a task, a severity",
)

# Items, truth and predicted values come in tens of millions. As for candidate, no key and no
# foreign key: the gate and sql/checks hold uniqueness and references instead.
benchmark_item = sa.Table(
    "benchmark_item",
    metadata,
    sa.Column("benchmark_id", sa.Integer, nullable=False),
    sa.Column("item_id", sa.BigInteger, nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("fold", sa.String),
    sa.CheckConstraint("fold not in ('aggregated', 'average')", name="benchmark_item_fold"),
    sa.CheckConstraint("name <> ''", name="benchmark_item_name"),
    comment="An item of a benchmark, or an instance of a multi-label one, with its fold if any",
)

truth_set = sa.Table(
    "truth_set",
    metadata,
    sa.Column("benchmark_id", sa.ForeignKey("benchmark.benchmark_id"), primary_key=True),
    sa.Column("sha256", sa.String, nullable=False),
    sa.Column("origin", sa.String, nullable=False),
    sa.Column("n_values", sa.BigInteger, nullable=False),
    _instant("loaded_at"),
    comment="The truth file of a benchmark, loaded once and never changed",
)

truth = sa.Table(
    "truth",
    metadata,
    sa.Column("target_id", sa.Integer, nullable=False),
    sa.Column("item_id", sa.BigInteger, nullable=False),
    sa.Column("value", sa.Double, nullable=False),
    sa.CheckConstraint("isfinite(value)", name="truth_value"),
    comment="The true value of an item: measured, 0 or 1, or the index of its class",
)

benchmark_label = sa.Table(
    "benchmark_label",
    metadata,
    sa.Column("label_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("benchmark_id", sa.ForeignKey("benchmark.benchmark_id"), nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("frequency", sa.BigInteger),
    sa.Column("decile", sa.SmallInteger),
    sa.UniqueConstraint("benchmark_id", "name"),
    sa.CheckConstraint("frequency >= 0", name="benchmark_label_frequency"),
    sa.CheckConstraint("decile between 1 and 10", name="benchmark_label_decile"),
    comment="A label; decile 10 holds the most frequent, NULL is a label outside the mapping",
)

truth_label = sa.Table(
    "truth_label",
    metadata,
    sa.Column("benchmark_id", sa.Integer, nullable=False),
    sa.Column("item_id", sa.BigInteger, nullable=False),
    sa.Column("label_id", sa.Integer, nullable=False),
    comment="A true label of an instance",
)

submission = sa.Table(
    "submission",
    metadata,
    sa.Column("submission_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("benchmark_id", sa.ForeignKey("benchmark.benchmark_id"), nullable=False),
    _instant("submitted_at"),
    sa.Column("submitter", sa.String, nullable=False),
    sa.Column("track", sa.String, nullable=False),
    sa.Column("code_revision", sa.String),
    sa.Column("origin", sa.String, nullable=False),
    sa.Column("file_sha256", sa.String, nullable=False),
    sa.Column("truth_sha256", sa.String),
    sa.Column("is_partial", sa.Boolean, nullable=False),
    sa.Column("n_values", sa.BigInteger, nullable=False),
    sa.Column("content_sha256", sa.String, nullable=False),
    sa.Column("previous_sha256", sa.String),
    _one_of("track", TRACKS, "submission_track"),
    sa.CheckConstraint("n_values >= 1", name="submission_n_values"),
    sa.CheckConstraint("submitter <> ''", name="submission_submitter"),
    comment="A frozen file of predictions; truth_sha256 is NULL where it came before the truth",
)

submission_target = sa.Table(
    "submission_target",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submission.submission_id"), primary_key=True),
    sa.Column("target_id", sa.ForeignKey("benchmark_target.target_id"), primary_key=True),
    comment="A target for which the submission has values",
)

submission_note = sa.Table(
    "submission_note",
    metadata,
    sa.Column("submission_id", sa.ForeignKey("submission.submission_id"), primary_key=True),
    sa.Column("note_number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("detail", sa.String, nullable=False),
    _one_of("kind", SUBMISSION_NOTE_KINDS, "submission_note_kind"),
    comment="What the gate found worth saying of an accepted submission",
)

submission_value = sa.Table(
    "submission_value",
    metadata,
    sa.Column("submission_id", sa.Integer, nullable=False),
    sa.Column("target_id", sa.Integer, nullable=False),
    sa.Column("item_id", sa.BigInteger, nullable=False),
    sa.Column("value", sa.Double, nullable=False),
    sa.Column("line_checksum", sa.BigInteger, nullable=False),
    sa.CheckConstraint("isfinite(value)", name="submission_value_value"),
    comment="A predicted value or score of an item",
)

ranked_prediction = sa.Table(
    "ranked_prediction",
    metadata,
    sa.Column("submission_id", sa.Integer, nullable=False),
    sa.Column("item_id", sa.BigInteger, nullable=False),
    sa.Column("position", sa.SmallInteger, nullable=False),
    sa.Column("label_id", sa.Integer, nullable=False),
    sa.Column("score", sa.Double),
    sa.Column("line_checksum", sa.BigInteger, nullable=False),
    sa.CheckConstraint("position between 1 and 500", name="ranked_prediction_position"),
    sa.CheckConstraint("isfinite(score)", name="ranked_prediction_score"),
    comment="A predicted label of an instance, position 1 first",
)

view_build = sa.Table(
    "view_build",
    metadata,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("sha256", sa.String, nullable=False),
    comment="The text each stored view was built from, to notice views of another version",
)
