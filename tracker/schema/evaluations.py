"""Retrospective evaluations, the runs of rankers over them, and the K of every metric at K."""

import sqlalchemy as sa

from tracker.schema.base import instant, metadata, one_of

PROCEDURES = ("leave_one_out", "temporal")

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
    instant("created_at"),
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
    instant("started_at"),
    one_of("procedure", PROCEDURES, "ranker_run_procedure"),
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
