"""Published sites: the hash of each manifest, sealed in the log before the site is shown."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "publication",
        sa.Column("publication_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("published_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("manifest_sha256", sa.String(), nullable=False),
        sa.Column("n_files", sa.Integer(), nullable=False),
        sa.Column("tracker_version", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("publication_id"),
        sa.CheckConstraint("n_files >= 1", name="publication_n_files"),
        comment="A site that was published: the SHA-256 of its manifest, sealed before it was "
        "shown",
    )


def downgrade() -> None:
    op.drop_table("publication")
