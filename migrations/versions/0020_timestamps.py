"""Timestamps that authorities issued, and the authorities that are trusted."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "timestamp_root",
        sa.Column("root_sha256", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("certificate", sa.String(), nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("root_sha256"),
        comment="A root certificate (PEM) whose timestamping authorities this store trusts; "
        "root_sha256 is of its DER form",
    )
    op.create_table(
        "timestamp_token",
        sa.Column("token_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("generated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("authority", sa.String(), nullable=False),
        sa.Column("root_sha256", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=True),
        sa.Column("reply", sa.String(), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("token_id"),
        sa.UniqueConstraint("sha256", "generated_at", "authority"),
        comment="An RFC 3161 token: the authority states that the hash existed at generated_at; "
        "checked against a trusted root when it was stored",
    )


def downgrade() -> None:
    op.drop_table("timestamp_token")
    op.drop_table("timestamp_root")
