"""What a submitter states of the model behind a submission."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "submission_model",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("model_version", sa.String(), nullable=True),
        sa.Column("link", sa.String(), nullable=True),
        sa.Column("license", sa.String(), nullable=True),
        sa.Column("trained_until", sa.Date(), nullable=True),
        sa.CheckConstraint("model <> ''", name="submission_model_model"),
        sa.ForeignKeyConstraint(["submission_id"], ["submission.submission_id"]),
        sa.PrimaryKeyConstraint("submission_id"),
        comment="What the submitter states of the model; part of the submission's hash",
    )


def downgrade() -> None:
    op.drop_table("submission_model")
