"""Studies of other registries than ClinicalTrials.gov, and the numbers that each has elsewhere.

Revision ID: 0034
Revises: 0033
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _make_trials_anew("regexp_full_match(nct_id, '[A-Za-z0-9][A-Za-z0-9/_.()-]{2,59}')")
    op.create_table(
        "study_number",
        sa.Column("nct_id", sa.String(), nullable=False),
        sa.Column("number", sa.String(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        comment="A number by which a registry knows a study, its own among them, and the release "
        "that said so first",
    )


def downgrade() -> None:
    op.drop_table("study_number")
    _make_trials_anew("regexp_full_match(nct_id, 'NCT[0-9]{8}')")


def _make_trials_anew(nct_id: str) -> None:
    """Replace the check of a study's number, which DuckDB cannot do in place.

    The log counts rows in their order, so they are kept in it.
    """
    op.execute("create temp table earlier_trial as from trial order by rowid")
    op.drop_table("trial")
    day = {name: sa.Column(name, sa.Date()) for name in _DAYS}
    op.create_table(
        "trial",
        sa.Column("trial_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("nct_id", sa.String(), nullable=False),
        sa.Column("source_key", sa.String(), nullable=False),
        sa.Column("title", sa.String()),
        sa.Column("study_type", sa.String()),
        sa.Column("phase", sa.String()),
        sa.Column("reached_phase", sa.Double()),
        sa.Column("overall_status", sa.String()),
        day["start_date"],
        sa.Column("start_precision", sa.String()),
        sa.Column("start_type", sa.String()),
        day["primary_completion_date"],
        sa.Column("primary_completion_precision", sa.String()),
        day["completion_date"],
        sa.Column("completion_precision", sa.String()),
        day["first_posted_on"],
        day["last_update_posted_on"],
        sa.Column("content_sha256", sa.String(), nullable=False),
        sa.Column("primary_purpose", sa.String()),
        sa.Column("why_stopped", sa.String()),
        day["results_posted_on"],
        sa.Column("version_number", sa.Integer()),
        day["submitted_on"],
        sa.Column("last_known_status", sa.String()),
        sa.PrimaryKeyConstraint("trial_id"),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.CheckConstraint(nct_id, name="trial_nct_id"),
        sa.CheckConstraint("reached_phase in (0.5, 1, 2, 3, 4)", name="trial_reached_phase"),
        *[
            sa.CheckConstraint(f"{name} in ('day', 'month', 'year')", name=f"trial_{name}")
            for name in ("start_precision", "primary_completion_precision", "completion_precision")
        ],
        sa.CheckConstraint(
            "(start_date is null) = (start_precision is null)", name="trial_start_date"
        ),
        comment="A version of a study, stored when it changed; a partial date is its first day",
    )
    op.execute("insert into trial by name from earlier_trial order by rowid")
    op.execute("drop table earlier_trial")


_DAYS = (
    *("start_date", "primary_completion_date", "completion_date", "first_posted_on"),
    *("last_update_posted_on", "results_posted_on", "submitted_on"),
)
