"""Rounds: one question to many teams, what they deposited, and the slates that came of it."""

import sqlalchemy as sa

from tracker.schema.base import instant, metadata, one_of

ENTRY_KINDS = ("team", "baseline", "all teams")

# `question` is the content of question.json, whose bytes have the hash; nothing of it changes.
round_ = sa.Table(
    "round",
    metadata,
    sa.Column("round_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String, nullable=False, unique=True),
    sa.Column("question", sa.JSON, nullable=False),
    sa.Column("question_sha256", sa.String, nullable=False),
    sa.Column("candidate_set_id", sa.ForeignKey("candidate_set.candidate_set_id"), nullable=False),
    sa.Column("label_set_id", sa.ForeignKey("label_set.label_set_id"), nullable=False),
    instant("deadline"),
    sa.Column("is_replay", sa.Boolean, nullable=False),
    instant("opened_at"),
    comment="A question to teams: candidates, labels, plan, list length and deadline",
)

round_extension = sa.Table(
    "round_extension",
    metadata,
    sa.Column("round_id", sa.ForeignKey("round.round_id"), nullable=False),
    instant("deadline"),
    sa.Column("reason", sa.String, nullable=False),
    instant("extended_at"),
    sa.PrimaryKeyConstraint("round_id", "deadline"),
    sa.CheckConstraint("trim(reason) <> ''", name="round_extension_reason"),
    comment="A later deadline of a round, and why; the latest holds",
)

round_deposit = sa.Table(
    "round_deposit",
    metadata,
    sa.Column("deposit_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("round_id", sa.ForeignKey("round.round_id"), nullable=False),
    sa.Column("team", sa.String, nullable=False),
    sa.Column("model", sa.String, nullable=False),
    sa.Column("sha256", sa.String, nullable=False),
    sa.Column("token_id", sa.ForeignKey("timestamp_token.token_id"), nullable=False),
    instant("deposited_at"),
    comment="The hash of a file of predictions that a team sent before the deadline, with its "
    "token; a team's last of a model counts",
)

round_entry = sa.Table(
    "round_entry",
    metadata,
    sa.Column("slate_id", sa.ForeignKey("slate.slate_id"), primary_key=True),
    sa.Column("round_id", sa.ForeignKey("round.round_id"), nullable=False),
    sa.Column("entry_kind", sa.String, nullable=False),
    sa.Column("entry_name", sa.String, nullable=False),
    sa.Column("deposit_id", sa.ForeignKey("round_deposit.deposit_id")),
    instant("entered_at"),
    sa.UniqueConstraint("deposit_id"),
    one_of("entry_kind", ENTRY_KINDS, "round_entry_entry_kind"),
    sa.CheckConstraint(
        "(entry_kind = 'team') = (deposit_id is not null)", name="round_entry_deposit_id"
    ),
    comment="A slate that a round judges: a team's, a baseline's, or that of all teams",
)
