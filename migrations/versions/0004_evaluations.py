"""Evaluations: candidates against labels, leave-one-out trials and temporal scores."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "evaluation",
        sa.Column("evaluation_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("candidate_set_id", sa.Integer(), nullable=True),
        sa.Column("label_set_id", sa.Integer(), nullable=False),
        sa.Column("positive_min_label", sa.SmallInteger(), nullable=False),
        sa.Column("created_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.CheckConstraint(
            "positive_min_label between 1 and 4", name="evaluation_positive_min_label"
        ),
        sa.ForeignKeyConstraint(
            ["candidate_set_id"],
            ["candidate_set.candidate_set_id"],
        ),
        sa.ForeignKeyConstraint(
            ["label_set_id"],
            ["label_set.label_set_id"],
        ),
        sa.PrimaryKeyConstraint("evaluation_id"),
        comment="A candidate set held against a label set; without a candidate set, every labeled "
        "drug is a candidate for every labeled disease",
    )
    op.create_table(
        "ranker_run",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("ranker", sa.String(), nullable=False),
        sa.Column("procedure", sa.String(), nullable=False),
        sa.Column("cutoff_year", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("first_year", sa.SmallInteger(), nullable=True),
        sa.Column("last_year", sa.SmallInteger(), nullable=True),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("started_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.CheckConstraint(
            "case procedure when 'leave_one_out' then cutoff_year = 0 and first_year is "
            "null and last_year is null else cutoff_year between 1800 and 2200 and "
            "first_year is not null and last_year is not null and first_year > cutoff_year "
            "and last_year >= first_year end",
            name="ranker_run_years",
        ),
        sa.CheckConstraint(
            "procedure in ('leave_one_out', 'temporal')", name="ranker_run_procedure"
        ),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluation.evaluation_id"],
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "ranker", "procedure", "cutoff_year"),
        comment="A ranker's run over an evaluation; origin says which code or file; cutoff_year is "
        "0 for leave-one-out",
    )
    op.create_table(
        "loo_trial",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("ranker", sa.String(), nullable=False),
        sa.Column("disease_id", sa.Integer(), nullable=False),
        sa.Column("drug_id", sa.Integer(), nullable=False),
        sa.Column("rank_optimistic", sa.Integer(), nullable=True),
        sa.Column("rank", sa.Double(), nullable=False),
        sa.Column("rank_pessimistic", sa.Integer(), nullable=True),
        sa.Column("n_candidates", sa.Integer(), nullable=False),
        sa.Column("filtered_rank_optimistic", sa.Integer(), nullable=True),
        sa.Column("filtered_rank", sa.Double(), nullable=True),
        sa.Column("filtered_rank_pessimistic", sa.Integer(), nullable=True),
        sa.Column("n_candidates_filtered", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "filtered_rank between 1 and rank and filtered_rank <= n_candidates_filtered "
            "and n_candidates_filtered <= n_candidates",
            name="loo_trial_filtered_rank",
        ),
        sa.CheckConstraint(
            "filtered_rank_optimistic between 1 and filtered_rank and "
            "filtered_rank_pessimistic between filtered_rank and n_candidates_filtered",
            name="loo_trial_filtered_tied_ranks",
        ),
        sa.CheckConstraint("rank between 1 and n_candidates", name="loo_trial_rank"),
        sa.CheckConstraint(
            "rank_optimistic between 1 and rank and rank_pessimistic between rank and n_candidates",
            name="loo_trial_tied_ranks",
        ),
        sa.ForeignKeyConstraint(
            ["disease_id"],
            ["disease.disease_id"],
        ),
        sa.ForeignKeyConstraint(
            ["drug_id"],
            ["drug.drug_id"],
        ),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluation.evaluation_id"],
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "ranker", "disease_id", "drug_id"),
        comment="The rank of a positive drug hidden from training; a tie takes the middle rank; "
        "filtered ranks leave the disease's other positives out; NULL where a file gave "
        "none",
    )
    op.create_table(
        "temporal_score",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("ranker", sa.String(), nullable=False),
        sa.Column("cutoff_year", sa.SmallInteger(), nullable=False),
        sa.Column("disease_id", sa.Integer(), nullable=False),
        sa.Column("drug_id", sa.Integer(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.CheckConstraint("isfinite(score)", name="temporal_score_score"),
        comment="The score of a candidate pair by a ranker fitted on what was positive by "
        "cutoff_year",
    )


def downgrade() -> None:
    op.drop_table("temporal_score")
    op.drop_table("loo_trial")
    op.drop_table("ranker_run")
    op.drop_table("evaluation")
