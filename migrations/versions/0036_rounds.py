"""Rounds: a question to many teams, their deposits, and the slates that came of it.

Revision ID: 0036
Revises: 0035
"""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "round",
        sa.Column("round_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("question", sa.JSON(), nullable=False),
        sa.Column("question_sha256", sa.String(), nullable=False),
        sa.Column("candidate_set_id", sa.Integer(), nullable=False),
        sa.Column("label_set_id", sa.Integer(), nullable=False),
        sa.Column("deadline", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("is_replay", sa.Boolean(), nullable=False),
        sa.Column("opened_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["candidate_set_id"], ["candidate_set.candidate_set_id"]),
        sa.ForeignKeyConstraint(["label_set_id"], ["label_set.label_set_id"]),
        sa.PrimaryKeyConstraint("round_id"),
        sa.UniqueConstraint("name"),
        comment="A question to teams: candidates, labels, plan, list length and deadline",
    )
    op.create_table(
        "round_extension",
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("deadline", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("extended_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["round.round_id"]),
        sa.PrimaryKeyConstraint("round_id", "deadline"),
        sa.CheckConstraint("trim(reason) <> ''", name="round_extension_reason"),
        comment="A later deadline of a round, and why; the latest holds",
    )
    op.create_table(
        "round_deposit",
        sa.Column("deposit_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("team", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("token_id", sa.Integer(), nullable=False),
        sa.Column("deposited_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["round.round_id"]),
        sa.ForeignKeyConstraint(["token_id"], ["timestamp_token.token_id"]),
        sa.PrimaryKeyConstraint("deposit_id"),
        comment="The hash of a file of predictions that a team sent before the deadline, with its "
        "token; a team's last of a model counts",
    )
    op.create_table(
        "round_entry",
        sa.Column("slate_id", sa.Uuid(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("entry_kind", sa.String(), nullable=False),
        sa.Column("entry_name", sa.String(), nullable=False),
        sa.Column("deposit_id", sa.Integer(), nullable=True),
        sa.Column("entered_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["slate_id"], ["slate.slate_id"]),
        sa.ForeignKeyConstraint(["round_id"], ["round.round_id"]),
        sa.ForeignKeyConstraint(["deposit_id"], ["round_deposit.deposit_id"]),
        sa.PrimaryKeyConstraint("slate_id"),
        sa.UniqueConstraint("deposit_id"),
        sa.CheckConstraint(
            "entry_kind in ('team', 'baseline', 'all teams')", name="round_entry_entry_kind"
        ),
        sa.CheckConstraint(
            "(entry_kind = 'team') = (deposit_id is not null)", name="round_entry_deposit_id"
        ),
        comment="A slate that a round judges: a team's, a baseline's, or that of all teams",
    )


def downgrade() -> None:
    for name in ("round_entry", "round_deposit", "round_extension", "round"):
        op.drop_table(name)
