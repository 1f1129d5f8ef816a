"""The cut-offs and recall targets of the metrics, as rows a user may add to."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    cutoff = op.create_table(
        "cutoff",
        sa.Column("k", sa.Integer(), autoincrement=False, nullable=False),
        sa.CheckConstraint("k >= 1", name="cutoff_k"),
        sa.PrimaryKeyConstraint("k"),
        comment="The K of every metric at K; a user may add rows",
    )
    recall_target = op.create_table(
        "recall_target",
        sa.Column("recall", sa.Double(), autoincrement=False, nullable=False),
        sa.CheckConstraint("recall > 0 and recall <= 1", name="recall_target_recall"),
        sa.PrimaryKeyConstraint("recall"),
        comment="The recalls for which the number of predictions needed is given",
    )
    op.bulk_insert(cutoff, [{"k": k} for k in (1, 5, 10, 20, 50, 100)])
    op.bulk_insert(recall_target, [{"recall": recall} for recall in (0.25, 0.5, 0.75, 1.0)])


def downgrade() -> None:
    op.drop_table("recall_target")
    op.drop_table("cutoff")
