"""When the store wrote each outcome, and where the outcome came from.

Until now the one instant of an outcome was observed_at, which the file of a loaded or imported
outcome could claim. What recorded_at is for the rows written until now:

- A detected row (it has a release) was stamped by the store: its observed_at is when it was
  written.
- Of any other row nothing says when it was written, only by when it was there. Rows are numbered
  as they are written, so it was there when the next row was detected; where none was detected
  later, it was there at this upgrade. That latest possible instant is its recorded_at. An earlier
  one (its claim, or when its slate was recorded) would let a claim into reports of the past for
  good; the price is that such a report no longer counts outcomes that really were loaded by then.

A row without a release was loaded, or came with its slate if that was not frozen here; the two
cannot be told apart for a slate that was imported.
"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_COMMENT = "The ledger: real-world events of a slate's pairs, appended and never changed"
_STAMPED = sa.text(
    """
insert into outcome by name
select
    earlier_outcome.*,
    greatest(
        earlier_outcome.observed_at,
        coalesce(
            min(if(earlier_outcome.release_id is null, null, earlier_outcome.observed_at)) over (
                order by earlier_outcome.outcome_id
                rows between current row and unbounded following
            ),
            cast(:upgraded_at as timestamptz)
        )
    ) as recorded_at,
    case
        when earlier_outcome.release_id is not null then 'detected'
        when slate.origin = 'frozen' then 'loaded'
        else 'imported'
    end as outcome_origin
from earlier_outcome
inner join slate using (slate_id)
"""
)


def upgrade() -> None:
    # DuckDB adds no column that must not be NULL, and no constraint, to a table that is there.
    op.execute("create temp table earlier_outcome as from outcome")
    op.drop_table("outcome")
    _create_outcome(
        sa.Column("recorded_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("outcome_origin", sa.String(), nullable=False),
        sa.CheckConstraint(
            "outcome_origin in ('detected', 'loaded', 'imported')", name="outcome_outcome_origin"
        ),
        sa.CheckConstraint("observed_at <= recorded_at", name="outcome_recorded_at"),
    )
    op.execute(_STAMPED.bindparams(upgraded_at=datetime.now(UTC)))
    op.execute("drop table earlier_outcome")


def downgrade() -> None:
    op.execute(
        "create temp table later_outcome as "
        "select * exclude (recorded_at, outcome_origin) from outcome"
    )
    op.drop_table("outcome")
    _create_outcome()
    op.execute("insert into outcome by name from later_outcome")
    op.execute("drop table later_outcome")


def _create_outcome(*further: sa.schema.SchemaItem) -> None:
    op.create_table(
        "outcome",
        sa.Column("outcome_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("slate_id", sa.Uuid(), nullable=False),
        sa.Column("disease_id", sa.Integer(), nullable=False),
        sa.Column("drug_id", sa.Integer(), nullable=False),
        sa.Column("outcome_type", sa.String(), nullable=False),
        sa.Column("event_date", sa.Date(), nullable=True),
        sa.Column("first_public_on", sa.Date(), nullable=True),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=True),
        sa.Column("detail", sa.JSON(), nullable=True),
        sa.Column("observed_at", sa.TIMESTAMP(timezone=True), nullable=False),
        *further,
        sa.ForeignKeyConstraint(["disease_id"], ["disease.disease_id"]),
        sa.ForeignKeyConstraint(["drug_id"], ["drug.drug_id"]),
        sa.ForeignKeyConstraint(["outcome_type"], ["outcome_type.name"]),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.ForeignKeyConstraint(["slate_id"], ["slate.slate_id"]),
        sa.PrimaryKeyConstraint("outcome_id"),
        comment=_COMMENT,
    )
