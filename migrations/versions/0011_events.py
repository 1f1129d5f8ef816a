"""One ledger of events for all slates; a slate's outcomes become a view of it.

Until now an outcome belonged to a slate, so that what was recorded for one slate was missing for
another with the same pair. What becomes of the rows:

- A loaded outcome becomes a claim about the world, which every slate with the pair sees, once.
- An imported outcome stays the claim of its slate's publisher.
- A detected outcome becomes the event it was found in, once for all slates, with the instant at
  which it was first recorded, so that reports of the past still contain it. A planned start is no
  event any more. The interval in which an event became public is that of the two releases around
  it, or the day of first posting. Whether the event is an outcome of a slate is decided anew by
  the view; the next detection adds every event that the old ledger did not have.

Going back restores the claims of publishers alone: the other events name no slate. Detection and
loading restore the rest.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_TYPES = (
    "'trial_registered', 'trial_started', 'trial_phase', 'trial_ended', 'indication_phase', "
    "'drug_approval', 'first_trial_seen', 'phase_advanced', 'fda_approved', 'status_transition'"
)

_CLAIMS = """
insert into event by name
select
    min(outcome_id) as event_id,
    if(outcome_origin = 'imported', slate_id, null) as slate_id,
    disease_id,
    drug_id,
    outcome_type as event_type,
    case
        when outcome_type = 'fda_approved' then 4
        when
            outcome_type <> 'status_transition'
            and try_cast(json_extract_string(detail, '$.phase') as double) between 0 and 4
            then try_cast(json_extract_string(detail, '$.phase') as double)
    end as phase,
    event_date,
    cast(first_public_on - 1 as date) as public_after,
    first_public_on as public_by,
    source,
    json_extract_string(detail, '$.record') as record,
    detail,
    min(observed_at) as observed_at,
    min(recorded_at) as recorded_at,
    outcome_origin as event_origin
from outcome
where outcome_origin <> 'detected'
group by all
"""

_DETECTED = """
insert into event by name
with earlier_release as (
    select
        release.release_id,
        release.source,
        release.released_on,
        max(earlier.released_on) as previous_on
    from release
    left join release as earlier
        on release.source = earlier.source and release.released_on > earlier.released_on
    group by release.release_id, release.source, release.released_on
),

found as (
    select
        outcome.*,
        earlier_release.released_on,
        earlier_release.previous_on,
        earlier_release.source = 'chembl' as is_indication,
        earlier_release.source = 'fda' as is_approval,
        least(outcome.first_public_on, earlier_release.released_on) as public_on
    from outcome
    inner join earlier_release using (release_id)
    where
        outcome.outcome_origin = 'detected'
        and (
            outcome.source <> 'ctgov'
            or outcome.outcome_type = 'status_transition'
            or outcome.event_date <= earlier_release.released_on
        )
),

dated as (
    select
        *,
        case
            when is_indication or public_on is null then released_on
            when outcome_type <> 'status_transition' then public_on
            when previous_on >= public_on then released_on
            else public_on
        end as public_by,
        case
            when is_indication or public_on is null or outcome_type = 'status_transition'
                then previous_on
            else cast(public_on - 1 as date)
        end as public_after
    from found
)

select
    min(outcome_id) as event_id,
    if(is_approval, null, disease_id) as disease_id,
    drug_id,
    case
        when is_indication then 'indication_phase'
        when is_approval then 'drug_approval'
        when outcome_type = 'first_trial_seen' then 'trial_started'
        when outcome_type = 'phase_advanced' then 'trial_phase'
        else 'trial_ended'
    end as event_type,
    if(
        outcome_type = 'status_transition',
        null,
        try_cast(json_extract_string(detail, '$.phase') as double)
    ) as phase,
    event_date,
    public_after,
    public_by,
    source,
    release_id,
    json_extract_string(detail, '$.record') as record,
    json_extract_string(detail, '$.drug_alias') as drug_alias,
    json_extract_string(detail, '$.disease_alias') as disease_alias,
    json_merge_patch(detail, '{"known_phase": null}') as detail,
    min(observed_at) as observed_at,
    min(recorded_at) as recorded_at,
    'detected' as event_origin
from dated
group by all
"""


def upgrade() -> None:
    op.create_table(
        "event",
        sa.Column("event_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("slate_id", sa.Uuid(), nullable=True),
        sa.Column("disease_id", sa.Integer(), nullable=True),
        sa.Column("drug_id", sa.Integer(), nullable=False),
        sa.Column("event_type", sa.String(), nullable=False),
        sa.Column("phase", sa.Double(), nullable=True),
        sa.Column("event_date", sa.Date(), nullable=True),
        sa.Column("public_after", sa.Date(), nullable=True),
        sa.Column("public_by", sa.Date(), nullable=True),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=True),
        sa.Column("record", sa.String(), nullable=True),
        sa.Column("drug_alias", sa.String(), nullable=True),
        sa.Column("disease_alias", sa.String(), nullable=True),
        sa.Column("detail", sa.JSON(), nullable=True),
        sa.Column("observed_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("recorded_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("event_origin", sa.String(), nullable=False),
        sa.CheckConstraint(f"event_type in ({_TYPES})", name="event_event_type"),
        sa.CheckConstraint(
            "event_origin in ('detected', 'loaded', 'imported')", name="event_event_origin"
        ),
        sa.CheckConstraint("phase between 0 and 4", name="event_phase"),
        sa.CheckConstraint("public_after < public_by", name="event_public_by"),
        sa.CheckConstraint(
            "public_after is null or public_by is not null", name="event_public_after"
        ),
        sa.CheckConstraint(
            "disease_id is not null or event_type = 'drug_approval'", name="event_disease_id"
        ),
        sa.CheckConstraint("observed_at <= recorded_at", name="event_recorded_at"),
        sa.ForeignKeyConstraint(["slate_id"], ["slate.slate_id"]),
        sa.ForeignKeyConstraint(["disease_id"], ["disease.disease_id"]),
        sa.ForeignKeyConstraint(["drug_id"], ["drug.drug_id"]),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("event_id"),
        comment="The ledger: what sources showed of drugs and diseases, appended and never changed",
    )
    op.execute(_CLAIMS)
    op.execute(_DETECTED)
    op.drop_table("outcome")


def downgrade() -> None:
    op.execute("drop view if exists outcome")
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
        sa.Column("recorded_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("outcome_origin", sa.String(), nullable=False),
        sa.CheckConstraint(
            "outcome_origin in ('detected', 'loaded', 'imported')", name="outcome_outcome_origin"
        ),
        sa.CheckConstraint("observed_at <= recorded_at", name="outcome_recorded_at"),
        sa.ForeignKeyConstraint(["disease_id"], ["disease.disease_id"]),
        sa.ForeignKeyConstraint(["drug_id"], ["drug.drug_id"]),
        sa.ForeignKeyConstraint(["outcome_type"], ["outcome_type.name"]),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.ForeignKeyConstraint(["slate_id"], ["slate.slate_id"]),
        sa.PrimaryKeyConstraint("outcome_id"),
        comment="The ledger: real-world events of a slate's pairs, appended and never changed",
    )
    op.execute(
        "insert into outcome by name select event_id as outcome_id, slate_id, disease_id, "
        "drug_id, event_type as outcome_type, event_date, public_by as first_public_on, source, "
        "release_id, detail, observed_at, recorded_at, event_origin as outcome_origin "
        "from event where slate_id is not null"
    )
    op.drop_table("event")
