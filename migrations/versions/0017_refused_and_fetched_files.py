"""Files that a refresh refused, so that each is told once; where files were fetched from."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "refused_file",
        sa.Column("refusal_sha256", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("problem", sa.String(), nullable=False),
        sa.Column("refused_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("refusal_sha256"),
        comment="A file that a refresh refused, told once; refusal_sha256 is of its content, its "
        "source's settings and the version of tracker",
    )
    op.create_table(
        "release_fetch",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("fetched_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("n_bytes", sa.BigInteger(), nullable=False),
        sa.Column("etag", sa.String(), nullable=True),
        sa.Column("last_modified", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("release_id"),
        comment="Where the file of a release was fetched from; sha256 is of the file as it was "
        "sent",
    )


def downgrade() -> None:
    op.drop_table("release_fetch")
    op.drop_table("refused_file")
