"""The sums of which the enrichment of a backtest's origin is made, by which origins are pooled.

Revision ID: 0032
Revises: 0031
"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Of runs stored until now they are not known: those are pooled by what was expected.
    op.add_column("backtest_run", sa.Column("r", sa.Double(), nullable=True))
    op.add_column("backtest_run", sa.Column("s", sa.Double(), nullable=True))


def downgrade() -> None:
    op.drop_column("backtest_run", "s")
    op.drop_column("backtest_run", "r")
