"""The role of an intervention in its study: experimental, or only in comparator arms.

Studies ingested until now have no role, since their arms were not read. Nothing is recomputed: a
study has roles from its next version on.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # DuckDB adds no constraint to a table that is there.
    op.execute("create temp table earlier_intervention as from trial_intervention")
    op.drop_table("trial_intervention")
    _create_trial_intervention(
        sa.Column("arm_role", sa.String(), nullable=True),
        sa.CheckConstraint(
            "arm_role in ('experimental', 'comparator')", name="trial_intervention_arm_role"
        ),
    )
    op.execute("insert into trial_intervention by name from earlier_intervention")
    op.execute("drop table earlier_intervention")


def downgrade() -> None:
    op.execute(
        "create temp table later_intervention as "
        "select * exclude (arm_role) from trial_intervention"
    )
    op.drop_table("trial_intervention")
    _create_trial_intervention()
    op.execute("insert into trial_intervention by name from later_intervention")
    op.execute("drop table later_intervention")


def _create_trial_intervention(*further: sa.schema.SchemaItem) -> None:
    op.create_table(
        "trial_intervention",
        sa.Column("trial_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("intervention_type", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("folded_name", sa.String(), nullable=False),
        sa.Column("is_other_name", sa.Boolean(), nullable=False),
        *further,
        sa.CheckConstraint("position >= 1", name="trial_intervention_position"),
        comment="An intervention of a study, or another name registered for one",
    )
