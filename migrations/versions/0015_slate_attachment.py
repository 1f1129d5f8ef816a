"""Sets given to a slate after its freeze: a table of their own, the slate stays as it is."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "slate_attachment",
        sa.Column("slate_id", sa.Uuid(), nullable=False),
        sa.Column("set_kind", sa.String(), nullable=False),
        sa.Column("candidate_set_id", sa.Integer(), nullable=True),
        sa.Column("label_set_id", sa.Integer(), nullable=True),
        sa.Column("attached_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.CheckConstraint(
            "set_kind in ('candidates', 'labels')", name="slate_attachment_set_kind"
        ),
        sa.CheckConstraint(
            "(set_kind = 'candidates') = (candidate_set_id is not null)",
            name="slate_attachment_candidate_set_id",
        ),
        sa.CheckConstraint(
            "(set_kind = 'labels') = (label_set_id is not null)",
            name="slate_attachment_label_set_id",
        ),
        sa.ForeignKeyConstraint(["slate_id"], ["slate.slate_id"]),
        sa.ForeignKeyConstraint(["candidate_set_id"], ["candidate_set.candidate_set_id"]),
        sa.ForeignKeyConstraint(["label_set_id"], ["label_set.label_set_id"]),
        sa.PrimaryKeyConstraint("slate_id", "set_kind"),
        comment="A candidate set or label set given to a slate after its freeze; not part of its "
        "hash",
    )


def downgrade() -> None:
    op.drop_table("slate_attachment")
