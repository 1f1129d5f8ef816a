"""Where an imported submission was frozen first."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "submission_original",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("original_id", sa.Integer(), nullable=False),
        sa.Column("original_submitted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("original_sha256", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submission.submission_id"]),
        sa.PrimaryKeyConstraint("submission_id"),
        comment="Where an imported submission was frozen first, as its export claims",
    )


def downgrade() -> None:
    op.drop_table("submission_original")
