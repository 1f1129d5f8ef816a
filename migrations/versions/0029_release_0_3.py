"""All that came after version 0.2.0: one ledger of events, vocabularies and matches, the log.

A store of 0.2.0 keeps all that it has; nothing is recomputed. What becomes of its outcomes, which
belonged to a slate, so that what was recorded for one was missing for another with the same pair:

- A loaded outcome becomes a claim about the world, which every slate with the pair sees, once.
- An imported outcome stays the claim of its slate's publisher.
- A detected outcome becomes the event it was found in, once for all slates, with the instant at
  which it was first recorded, so that reports of the past still contain it. A planned start is no
  event any more. The interval in which an event became public is that of the two releases around
  it, or the day of first posting. Whether the event is an outcome of a slate is decided anew by
  the view; the next detection adds every event that the old ledger did not have.

Between 0.2.0 and this revision there were others, one for each change and some with a number that
meant something else later. This migration therefore goes by the tables that it finds: it makes
what is missing, and makes anew, of the rows in their order, what has another form now.

Going back restores the claims of publishers alone: the other events name no slate. Detection and
loading restore the rest.
"""

from collections import defaultdict
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

from tracker.entities.folding import fold

revision = "0029"
down_revision = "0009"
branch_labels = None
depends_on = None

_TYPES = (
    "'trial_registered', 'trial_started', 'trial_phase', 'trial_ended', 'trial_stopped', "
    "'trial_results', 'trial_unreported', 'indication_phase', 'drug_approval', 'drug_withdrawn', "
    "'drug_warning', 'ema_authorised', 'ema_refused', 'ema_withdrawn', 'first_trial_seen', "
    "'phase_advanced', 'fda_approved', 'status_transition', 'trial_failed', 'ema_approved', "
    "'approval_refused', 'approval_withdrawn'"
)

_COLUMNS_OF = (
    "select column_name from system.main.duckdb_columns() where table_name = ? "
    "and database_name = current_database() and schema_name = 'main' "
    "and table_name in (select table_name from system.main.duckdb_tables())"
)

_HAS_KEYS = (
    "select count(*) from system.main.duckdb_constraints() "
    "where table_name = 'trial_condition' and constraint_type = 'PRIMARY KEY'"
)

_OF_STUDIES = {
    "primary_purpose": "varchar",
    "why_stopped": "varchar",
    "results_posted_on": "date",
    "version_number": "integer",
    "submitted_on": "date",
}

_NEW_OUTCOME_TYPES = {
    "trial_failed": "low",
    "ema_approved": "high",
    "approval_refused": "low",
    "approval_withdrawn": "low",
}

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

_KINDS = (
    "match_kind in ('identifier', 'name', 'exact_synonym', 'exact_cross_reference', "
    "'registry_mesh', 'normalised_name', 'combination_member', 'whole_word_mention', "
    "'descendant', 'withdrawn')"
)

_LATEST = """
select max(written_at) from (
    select max(added_at) as written_at from drug_alias
    union all select max(added_at) from disease_alias
    union all select max(recorded_at) from slate
    union all select max(recorded_at) from event
    union all select max(ingested_at) from release
    union all select max(sealed_at) from log_head
) as written
"""

# Tables that 0.2.0 had nothing of, each after those that refer to it.
_NEW_TABLES = (
    *("publication", "log_head", "log_entry"),
    *("moved_entry", "sealed_address", "sealed_part", "sealed_set"),
    *("timestamp_token", "timestamp_root", "submission_original", "submission_model"),
    *("backtest_influence", "backtest_run", "backtest", "slate_attachment"),
    *("merged_name", "merged_set", "shared_name", "drug_match", "disease_match", "matching"),
    *("vocabulary_mapping", "vocabulary_parent", "vocabulary_name", "vocabulary_term"),
    *("vocabulary_release", "drug_warning", "molecule_key", "release_fetch", "refused_file"),
    *("medicine_area", "medicine_substance", "medicine"),
)


def upgrade() -> None:
    _drop_keys_of_evidence()
    _move_outcomes_to_events()
    _extend_interventions()
    _describe_studies()
    _keep_predictions_without_key()
    _create_files_and_keys()
    _create_warnings()
    _create_medicines()
    _create_vocabularies()
    _create_matches()
    _create_merged_names()
    _create_attachments()
    _create_backtests()
    _create_submission_details()
    _create_timestamps()
    _create_sealed_sets()
    _create_log()
    _add_folded_names()


def downgrade() -> None:
    """Leave the names that were added: an earlier version reads them as synonyms."""
    for table in _NEW_TABLES:
        op.drop_table(table)
    # The views stay until they are built again, and the tables take their names.
    op.execute("drop view if exists candidate")
    op.rename_table("stored_candidate", "candidate")
    op.create_table_comment("candidate", "A scored pair of a candidate set")
    op.create_table_comment(
        "slate_note", "What an import set aside or changed, row by row; part of every report"
    )
    _make_predictions_anew(
        sa.ForeignKeyConstraint(["disease_id"], ["disease.disease_id"]),
        sa.ForeignKeyConstraint(["drug_id"], ["drug.drug_id"]),
        sa.ForeignKeyConstraint(["slate_id"], ["slate.slate_id"]),
        sa.PrimaryKeyConstraint("slate_id", "disease_id", "drug_id"),
    )
    op.execute("delete from trial_intervention where is_mesh_term")
    _make_anew(
        "trial_intervention",
        *_intervention_columns(),
        comment="An intervention of a study, or another name registered for one",
        selected="* exclude (arm_role, is_mesh_term, mesh_id)",
    )
    for column in _OF_STUDIES:
        op.drop_column("trial", column)
    _make_presence_anew(
        "'trial', 'submission', 'product'",
        "A trial, submission or product that vanished from its source or came back",
    )
    _remove_outcome_types()
    _move_claims_to_outcomes()


def _has(table: str, column: str | None = None) -> bool:
    """Tell whether the store has this table, and this column of it."""
    found = op.get_bind().exec_driver_sql(_COLUMNS_OF, (table,)).scalars().all()
    return bool(found) if column is None else column in found


def _create_table(name: str, *items: sa.schema.SchemaItem, comment: str) -> None:
    if not _has(name):
        op.create_table(name, *items, comment=comment)


def _make_anew(
    name: str, *items: sa.schema.SchemaItem, comment: str, selected: str = "*", where: str = "true"
) -> None:
    """Create a table, with the rows that one of this name had, in the order that the log counts.

    DuckDB adds no constraint, and no column that must not be NULL, to a table that is there.
    """
    is_there = _has(name)
    if is_there:
        op.execute(f"create temp table earlier as from {name} select {selected} order by rowid")
        op.drop_table(name)
    op.create_table(name, *items, comment=comment)
    if is_there:
        op.execute(f"insert into {name} by name from earlier where {where}")
        op.execute("drop table earlier")


def _drop_keys_of_evidence() -> None:
    """Take from the names and references of the evidence the keys that they first had."""
    if not op.get_bind().exec_driver_sql(_HAS_KEYS).scalar():
        return
    _make_anew(
        "indication_reference",
        sa.Column("indication_id", sa.BigInteger(), nullable=False),
        sa.Column("ref_type", sa.String(), nullable=False),
        sa.Column("ref_id", sa.String(), nullable=False),
        comment="Where ChEMBL found an indication: trials, labels, approvals",
    )
    _make_anew(
        "molecule_name",
        sa.Column("chembl_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("folded_name", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.CheckConstraint("kind in ('name', 'synonym')", name="molecule_name_kind"),
        comment="A name ChEMBL gives a molecule, with the release in which it was first seen",
    )
    _make_anew(
        "trial_condition",
        sa.Column("trial_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("folded_name", sa.String(), nullable=False),
        sa.Column("is_mesh_term", sa.Boolean(), nullable=False),
        sa.Column("mesh_id", sa.String(), nullable=True),
        sa.CheckConstraint("is_mesh_term or mesh_id is null", name="trial_condition_mesh_id"),
        sa.CheckConstraint("position >= 1", name="trial_condition_position"),
        comment="A condition of a study, as registered or as the MeSH term the registry derived",
    )


def _move_outcomes_to_events() -> None:
    _make_anew(
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
        sa.Column("match_kind", sa.String(), nullable=True),
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
            "disease_id is not null "
            "or event_type in ('drug_approval', 'drug_withdrawn', 'drug_warning')",
            name="event_disease_id",
        ),
        sa.CheckConstraint("observed_at <= recorded_at", name="event_recorded_at"),
        sa.ForeignKeyConstraint(["slate_id"], ["slate.slate_id"]),
        sa.ForeignKeyConstraint(["disease_id"], ["disease.disease_id"]),
        sa.ForeignKeyConstraint(["drug_id"], ["drug.drug_id"]),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("event_id"),
        comment="The ledger: what sources showed of drugs and diseases, appended and never changed",
    )
    if _has("outcome"):
        op.execute(_CLAIMS)
        op.execute(_DETECTED)
        op.drop_table("outcome")


def _move_claims_to_outcomes() -> None:
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


def _extend_interventions() -> None:
    """Add roles in arms, and MeSH terms.

    Of studies ingested until now neither was read: a study has them from its next version on.
    """
    has_terms = _has("trial_intervention", "is_mesh_term")
    _make_anew(
        "trial_intervention",
        *_intervention_columns(),
        sa.Column("arm_role", sa.String(), nullable=True),
        sa.Column("is_mesh_term", sa.Boolean(), nullable=False),
        sa.Column("mesh_id", sa.String(), nullable=True),
        sa.CheckConstraint(
            "arm_role in ('experimental', 'background', 'comparator')",
            name="trial_intervention_arm_role",
        ),
        comment="An intervention of a study, another name registered for one, or a MeSH term the "
        "registry derived",
        selected="*" if has_terms else "*, false as is_mesh_term",
    )


def _describe_studies() -> None:
    """Add what a study is for, why it stopped, and when results of it were posted.

    Of studies ingested until now none of this was read: a study has it from its next version on.
    """
    for column, type_ in _OF_STUDIES.items():
        op.execute(f"alter table trial add column if not exists {column} {type_}")


def _intervention_columns() -> tuple[sa.schema.SchemaItem, ...]:
    return (
        sa.Column("trial_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("intervention_type", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("folded_name", sa.String(), nullable=False),
        sa.Column("is_other_name", sa.Boolean(), nullable=False),
        sa.CheckConstraint("position >= 1", name="trial_intervention_position"),
    )


def _keep_predictions_without_key() -> None:
    """Make predictions anew without a key and references, whose indexes took most of a freeze.

    The checks prediction_unique and prediction_reference find what the constraints refused.
    """
    _make_predictions_anew()


def _make_predictions_anew(*constraints: sa.Constraint) -> None:
    _make_anew(
        "prediction",
        sa.Column("slate_id", sa.Uuid(), nullable=False),
        sa.Column("disease_id", sa.Integer(), nullable=False),
        sa.Column("drug_id", sa.Integer(), nullable=False),
        sa.Column("disease_identifier", sa.String(), nullable=False),
        sa.Column("drug_identifier", sa.String(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("tier", sa.String(), nullable=False),
        sa.Column("known_label", sa.SmallInteger(), nullable=True),
        sa.Column("known_max_phase", sa.Double(), nullable=True),
        sa.Column("first_approval_year", sa.SmallInteger(), nullable=True),
        sa.Column("criterion", sa.String(), nullable=False),
        sa.Column("criterion_min_phase", sa.Double(), nullable=True),
        sa.Column("criterion_horizon_years", sa.SmallInteger(), nullable=True),
        sa.Column("line_checksum", sa.String(), nullable=False),
        sa.CheckConstraint("isfinite(score)", name="prediction_score"),
        sa.CheckConstraint("rank >= 1", name="prediction_rank"),
        sa.CheckConstraint("tier in ('high', 'moderate', 'exploratory')", name="prediction_tier"),
        sa.CheckConstraint("known_label between 0 and 4", name="prediction_known_label"),
        sa.CheckConstraint("known_max_phase between -1 and 4", name="prediction_known_max_phase"),
        sa.CheckConstraint(
            "criterion in ('reach_phase', 'any_activity', 'exceed_phase', 'monitor')",
            name="prediction_criterion",
        ),
        *constraints,
        comment="A predicted pair of a slate, with what was known of it at freeze",
    )


def _create_files_and_keys() -> None:
    """Create tables of files that a refresh refused, told once, or fetched; and of molecules' keys.

    The keys recognise a molecule that ChEMBL gives another identifier.
    """
    _create_table(
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
    _create_table(
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
    _create_table(
        "molecule_key",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("chembl_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.CheckConstraint(
            "kind in ('chembl_id', 'inchi_key', 'unii', 'name')", name="molecule_key_kind"
        ),
        comment="Keys by which a molecule of a ChEMBL release is known again under another id",
    )


def _create_warnings() -> None:
    """Create a table of ChEMBL's warnings. Of releases ingested until now none were read."""
    _create_table(
        "drug_warning",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("record", sa.String(), nullable=False),
        sa.Column("chembl_id", sa.String(), nullable=False),
        sa.Column("parent_chembl_id", sa.String(), nullable=True),
        sa.Column("warning_type", sa.String(), nullable=False),
        sa.Column("warning_class", sa.String(), nullable=True),
        sa.Column("warning_description", sa.String(), nullable=True),
        sa.Column("warning_country", sa.String(), nullable=True),
        sa.Column("warning_year", sa.Integer(), nullable=True),
        sa.Column("efo_id", sa.String(), nullable=True),
        sa.Column("efo_term", sa.String(), nullable=True),
        sa.CheckConstraint("chembl_id like 'CHEMBL%'", name="drug_warning_chembl_id"),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("release_id", "record"),
        comment="A withdrawal or boxed warning of a molecule as a ChEMBL release gives it; record "
        "is the warning's id, or that of a molecule which is only flagged as withdrawn",
    )


def _create_medicines() -> None:
    """Create tables of EMA's table of medicines, and add what its decisions mean for slates."""
    _create_table(
        "medicine",
        sa.Column("medicine_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("source_key", sa.String(), nullable=False),
        sa.Column("product_number", sa.String(), nullable=False),
        sa.Column("category", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("inn", sa.String(), nullable=True),
        sa.Column("active_substance", sa.String(), nullable=True),
        sa.Column("n_substances", sa.Integer(), nullable=False),
        sa.Column("is_generic", sa.Boolean(), nullable=False),
        sa.Column("is_biosimilar", sa.Boolean(), nullable=False),
        sa.Column("indication", sa.String(), nullable=True),
        sa.Column("authorised_on", sa.Date(), nullable=True),
        sa.Column("refused_on", sa.Date(), nullable=True),
        sa.Column("application_withdrawn_on", sa.Date(), nullable=True),
        sa.Column("authorisation_ended_on", sa.Date(), nullable=True),
        sa.Column("url", sa.String(), nullable=True),
        sa.Column("content_sha256", sa.String(), nullable=False),
        sa.CheckConstraint("category in ('human', 'veterinary')", name="medicine_category"),
        sa.CheckConstraint("n_substances >= 0", name="medicine_n_substances"),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("medicine_id"),
        sa.UniqueConstraint("product_number", "release_id"),
        comment="A version of a product in EMA's table of medicines, stored when it changed",
    )
    for table, comment in (
        ("medicine_substance", "A name of a medicine's one substance, or each of its substances"),
        (
            "medicine_area",
            "A therapeutic area of a medicine, a MeSH term that EMA gives without its id",
        ),
    ):
        _create_table(
            table,
            sa.Column("medicine_id", sa.Integer(), nullable=False),
            sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
            sa.Column("name", sa.String(), nullable=False),
            sa.Column("folded_name", sa.String(), nullable=False),
            sa.CheckConstraint("position >= 1", name=f"{table}_position"),
            sa.ForeignKeyConstraint(["medicine_id"], ["medicine.medicine_id"]),
            sa.PrimaryKeyConstraint("medicine_id", "position"),
            comment=comment,
        )
    _make_presence_anew(
        "'trial', 'submission', 'product', 'medicine'",
        "A trial, submission, product or medicine that vanished from its source or came back",
    )
    outcome_type = sa.table("outcome_type", sa.column("name"), sa.column("signal"))
    known = set(op.get_bind().execute(sa.select(outcome_type.c.name)).scalars())
    for name, signal in _NEW_OUTCOME_TYPES.items():
        if name not in known:
            op.execute(outcome_type.insert().values(name=name, signal=signal))


def _make_presence_anew(kinds: str, comment: str) -> None:
    """Make the table of what vanished and came back anew, for these kinds of records."""
    _make_anew(
        "record_presence",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("record_key", sa.String(), nullable=False),
        sa.Column("is_present", sa.Boolean(), nullable=False),
        sa.CheckConstraint(f"kind in ({kinds})", name="record_presence_kind"),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("release_id", "kind", "record_key"),
        comment=comment,
        where=f"kind in ({kinds})",
    )


def _remove_outcome_types() -> None:
    """Remove the outcome types that an earlier version does not know, with the claims of them.

    The others move to a new table: the log counts rows from 0, and a gap is a row that is gone.
    """
    known: sa.ColumnClause[str] = sa.column("event_type", sa.String)
    op.execute(sa.delete(sa.table("event", known)).where(known.in_(_NEW_OUTCOME_TYPES)))
    op.execute("create temp table earlier_type as from outcome_type order by rowid")
    op.drop_table("outcome_type")
    op.create_table(
        "outcome_type",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("signal", sa.String(), nullable=False),
        sa.CheckConstraint("signal in ('high', 'low')", name="outcome_type_signal"),
        sa.PrimaryKeyConstraint("name"),
        comment="The kinds of outcome; high-signal ones make a hit",
    )
    name: sa.ColumnClause[str] = sa.column("name", sa.String)
    earlier = sa.table("earlier_type", name, sa.column("signal"))
    kept = sa.select(earlier).where(name.not_in(_NEW_OUTCOME_TYPES))
    table = sa.table("outcome_type", sa.column("name"), sa.column("signal"))
    op.execute(table.insert().from_select(["name", "signal"], kept))
    op.execute("drop table earlier_type")


def _create_vocabularies() -> None:
    """Create tables of vocabularies of diseases and drugs, each release of which is kept whole."""
    _create_table(
        "vocabulary_release",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("n_terms", sa.BigInteger(), nullable=False),
        sa.Column("n_names", sa.BigInteger(), nullable=False),
        sa.Column("n_parents", sa.BigInteger(), nullable=False),
        sa.Column("n_mappings", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("n_terms >= 1", name="vocabulary_release_n_terms"),
        sa.ForeignKeyConstraint(["release_id"], ["release.release_id"]),
        sa.PrimaryKeyConstraint("release_id"),
        comment="A release that is a vocabulary, kept whole, and how many rows it has of each kind",
    )
    _create_table(
        "vocabulary_term",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("term_id", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=True),
        sa.Column("folded_label", sa.String(), nullable=True),
        sa.Column("is_obsolete", sa.Boolean(), nullable=False),
        sa.Column("replaced_by", sa.String(), nullable=True),
        sa.CheckConstraint(
            "(label is null) = (folded_label is null)", name="vocabulary_term_folded_label"
        ),
        comment="A term of a release of a vocabulary; replaced_by only where one term replaces it",
    )
    _create_table(
        "vocabulary_name",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("term_id", sa.String(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("folded_name", sa.String(), nullable=False),
        sa.CheckConstraint(
            "scope in ('label', 'exact', 'broad', 'narrow', 'related')",
            name="vocabulary_name_scope",
        ),
        comment="A name of a term: its label, or a synonym and how its meaning compares",
    )
    _create_table(
        "vocabulary_parent",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("term_id", sa.String(), nullable=False),
        sa.Column("parent_term_id", sa.String(), nullable=False),
        comment="A more general term directly above a term; a slim may lack the parent itself",
    )
    _create_table(
        "vocabulary_mapping",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("term_id", sa.String(), nullable=False),
        sa.Column("predicate", sa.String(), nullable=False),
        sa.Column("object_id", sa.String(), nullable=False),
        comment="Another identifier of a term, or a term elsewhere, related as the predicate says",
    )


def _create_matches() -> None:
    """Create tables of which texts of the registry mean which drugs and diseases, since when."""
    _make_anew(
        "matching",
        sa.Column("matching_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("matched_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("knowledge_sha256", sa.String(), nullable=False),
        sa.Column("last_trial_id", sa.Integer(), nullable=False),
        # An earlier row was sealed in the log without it.
        sa.Column("last_medicine_id", sa.Integer(), nullable=True),
        sa.Column("is_whole", sa.Boolean(), nullable=False),
        sa.Column("n_texts", sa.BigInteger(), nullable=False),
        sa.Column("n_matches", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("last_trial_id >= 0", name="matching_last_trial_id"),
        sa.CheckConstraint("last_medicine_id >= 0", name="matching_last_medicine_id"),
        sa.CheckConstraint("n_texts >= 0", name="matching_n_texts"),
        sa.CheckConstraint("n_matches >= 0", name="matching_n_matches"),
        sa.PrimaryKeyConstraint("matching_id"),
        comment="A run of the matching: what was known, and the studies and medicines whose "
        "texts it covered",
    )
    for entity in ("disease", "drug"):
        _create_table(
            f"{entity}_match",
            sa.Column("matching_id", sa.Integer(), nullable=False),
            sa.Column("folded_text", sa.String(), nullable=False),
            sa.Column("is_mesh_term", sa.Boolean(), nullable=False),
            sa.Column("mesh_id", sa.String(), nullable=True),
            sa.Column(f"{entity}_id", sa.Integer(), nullable=False),
            sa.Column("match_kind", sa.String(), nullable=False),
            sa.Column("matched_part", sa.String(), nullable=True),
            sa.Column("alias_value", sa.String(), nullable=True),
            sa.Column("via", sa.String(), nullable=True),
            sa.Column("known_since", sa.TIMESTAMP(timezone=True), nullable=False),
            sa.CheckConstraint(_KINDS, name=f"{entity}_match_match_kind"),
            sa.CheckConstraint("is_mesh_term or mesh_id is null", name=f"{entity}_match_mesh_id"),
            comment=f"A text of the registry that means a {entity}, how, and since when that was "
            "known; 'withdrawn' from when it no longer did",
        )
    _create_table(
        "shared_name",
        sa.Column("matching_id", sa.Integer(), nullable=False),
        sa.Column("entity_kind", sa.String(), nullable=False),
        sa.Column("claim_kind", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("claimant", sa.String(), nullable=False),
        sa.Column("entity_id", sa.Integer(), nullable=True),
        sa.CheckConstraint("entity_kind in ('drug', 'disease')", name="shared_name_entity_kind"),
        comment="A name that two drugs or diseases claim equally, so that it matches neither",
    )


def _create_merged_names() -> None:
    """Create tables of sets in whose files several names were one drug or disease."""
    _create_table(
        "merged_set",
        sa.Column("merged_set_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("candidate_set_id", sa.Integer(), nullable=True),
        sa.Column("label_set_id", sa.Integer(), nullable=True),
        sa.Column("n_merged_rows", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "(candidate_set_id is null) <> (label_set_id is null)", name="merged_set_subject"
        ),
        sa.CheckConstraint("n_merged_rows >= 1", name="merged_set_n_merged_rows"),
        sa.ForeignKeyConstraint(["candidate_set_id"], ["candidate_set.candidate_set_id"]),
        sa.ForeignKeyConstraint(["label_set_id"], ["label_set.label_set_id"]),
        sa.PrimaryKeyConstraint("merged_set_id"),
        comment="A set in whose file names of one drug or disease were merged, and how many rows "
        "gave way",
    )
    _create_table(
        "merged_name",
        sa.Column("merged_set_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("disease_id", sa.Integer(), nullable=True),
        sa.Column("drug_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.CheckConstraint("(disease_id is null) <> (drug_id is null)", name="merged_name_entity"),
        sa.ForeignKeyConstraint(["disease_id"], ["disease.disease_id"]),
        sa.ForeignKeyConstraint(["drug_id"], ["drug.drug_id"]),
        sa.ForeignKeyConstraint(["merged_set_id"], ["merged_set.merged_set_id"]),
        sa.PrimaryKeyConstraint("merged_set_id", "position"),
        comment="A name in the file of a merged set that was one of several of its drug or disease",
    )
    op.create_table_comment(
        "slate_note",
        "What an import set aside, and names that were merged in its files; part of every report",
    )


def _create_attachments() -> None:
    """Create a table of sets given to a slate after its freeze: the slate stays as it is."""
    _create_table(
        "slate_attachment",
        sa.Column("slate_id", sa.Uuid(), nullable=False),
        sa.Column("set_kind", sa.String(), nullable=False),
        sa.Column("candidate_set_id", sa.Integer(), nullable=True),
        sa.Column("label_set_id", sa.Integer(), nullable=True),
        sa.Column("attached_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.CheckConstraint(
            "set_kind in ('candidates', 'labels')", name="slate_attachment_set_kind"
        ),
        sa.CheckConstraint(
            "(set_kind = 'candidates') = (candidate_set_id is not null)",
            name="slate_attachment_candidate_set_id",
        ),
        sa.CheckConstraint(
            "(set_kind = 'labels') = (label_set_id is not null)",
            name="slate_attachment_label_set_id",
        ),
        sa.ForeignKeyConstraint(["slate_id"], ["slate.slate_id"]),
        sa.ForeignKeyConstraint(["candidate_set_id"], ["candidate_set.candidate_set_id"]),
        sa.ForeignKeyConstraint(["label_set_id"], ["label_set.label_set_id"]),
        sa.PrimaryKeyConstraint("slate_id", "set_kind"),
        comment="A candidate set or label set given to a slate after its freeze; not part of its "
        "hash",
    )


def _create_backtests() -> None:
    """Create tables of backtests: the recipe, what became of each list, what the lists share."""
    _create_table(
        "backtest",
        sa.Column("backtest_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("recipe", sa.JSON(), nullable=False),
        sa.Column("recipe_sha256", sa.String(), nullable=False),
        sa.Column("followed_until", sa.Date(), nullable=False),
        sa.Column("created_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("backtest_id"),
        sa.UniqueConstraint("recipe_sha256"),
        comment="Rankers replayed at past origins, each fitted on what was known on that day",
    )
    _create_table(
        "backtest_run",
        sa.Column("backtest_id", sa.Integer(), nullable=False),
        sa.Column("ranker", sa.String(), nullable=False),
        sa.Column("is_shuffled", sa.Boolean(), nullable=False),
        sa.Column("horizon_months", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("origin_on", sa.Date(), nullable=False),
        sa.Column("n_known", sa.BigInteger(), nullable=False),
        sa.Column("n_diseases", sa.BigInteger(), nullable=False),
        sa.Column("n_candidates", sa.BigInteger(), nullable=False),
        sa.Column("n_predictions", sa.BigInteger(), nullable=False),
        sa.Column("n_hits", sa.BigInteger(), nullable=False),
        sa.Column("hit_rate_low", sa.Double(), nullable=True),
        sa.Column("hit_rate_high", sa.Double(), nullable=True),
        sa.Column("expected_hits", sa.Double(), nullable=True),
        sa.Column("enrichment", sa.Double(), nullable=True),
        sa.Column("enrichment_low", sa.Double(), nullable=True),
        sa.Column("enrichment_high", sa.Double(), nullable=True),
        sa.Column("p_value", sa.Double(), nullable=True),
        sa.Column("log_variance", sa.Double(), nullable=True),
        sa.Column("df", sa.Double(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("months_needed", sa.Double(), nullable=True),
        sa.Column("computed_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.CheckConstraint("horizon_months >= 1", name="backtest_run_horizon_months"),
        sa.CheckConstraint("n_hits between 0 and n_predictions", name="backtest_run_n_hits"),
        sa.CheckConstraint(
            "isfinite(expected_hits) and expected_hits >= 0", name="backtest_run_expected_hits"
        ),
        sa.CheckConstraint("isfinite(enrichment)", name="backtest_run_enrichment"),
        sa.CheckConstraint("isfinite(log_variance)", name="backtest_run_log_variance"),
        sa.CheckConstraint("isfinite(df)", name="backtest_run_df"),
        sa.ForeignKeyConstraint(["backtest_id"], ["backtest.backtest_id"]),
        sa.PrimaryKeyConstraint(
            "backtest_id", "ranker", "is_shuffled", "horizon_months", "origin_on"
        ),
        comment="What became, within a horizon, of the list of a ranker fitted at an origin; df is "
        "NULL where it is infinite",
    )
    _make_anew(
        "backtest_influence",
        sa.Column("backtest_id", sa.Integer(), nullable=False),
        sa.Column("ranker", sa.String(), nullable=False),
        sa.Column("is_shuffled", sa.Boolean(), nullable=False),
        sa.Column("horizon_months", sa.SmallInteger(), nullable=False),
        sa.Column("origin_on", sa.Date(), nullable=False),
        sa.Column("disease_id", sa.Integer(), nullable=True),
        sa.Column("drug_id", sa.Integer(), nullable=True),
        sa.Column("influence", sa.Double(), nullable=False),
        sa.Column("stake", sa.Double(), nullable=True),
        sa.Column("record", sa.String(), nullable=True),
        sa.CheckConstraint(
            "disease_id is not null or drug_id is not null", name="backtest_influence_unit"
        ),
        sa.CheckConstraint("isfinite(influence)", name="backtest_influence_influence"),
        comment="What a drug, a disease, or a hit (with both) adds to the logarithm of the "
        "enrichment of a backtest_run, and the record that made the hit; runs that share them are "
        "not independent",
    )


def _create_submission_details() -> None:
    """Create tables of a submission's model, and of where an imported one was frozen first."""
    _create_table(
        "submission_model",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("model_version", sa.String(), nullable=True),
        sa.Column("link", sa.String(), nullable=True),
        sa.Column("license", sa.String(), nullable=True),
        sa.Column("trained_until", sa.Date(), nullable=True),
        sa.CheckConstraint("model <> ''", name="submission_model_model"),
        sa.ForeignKeyConstraint(["submission_id"], ["submission.submission_id"]),
        sa.PrimaryKeyConstraint("submission_id"),
        comment="What the submitter states of the model; part of the submission's hash",
    )
    _create_table(
        "submission_original",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("original_id", sa.Integer(), nullable=False),
        sa.Column("original_submitted_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("original_sha256", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submission.submission_id"]),
        sa.PrimaryKeyConstraint("submission_id"),
        comment="Where an imported submission was frozen first, as its export claims",
    )


def _create_timestamps() -> None:
    """Create tables of timestamps that authorities issued, and of the roots that are trusted."""
    _create_table(
        "timestamp_root",
        sa.Column("root_sha256", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("certificate", sa.String(), nullable=False),
        sa.Column("added_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("root_sha256"),
        comment="A root certificate (PEM) whose timestamping authorities this store trusts; "
        "root_sha256 is of its DER form",
    )
    _create_table(
        "timestamp_token",
        sa.Column("token_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("generated_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("authority", sa.String(), nullable=False),
        sa.Column("root_sha256", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=True),
        sa.Column("reply", sa.String(), nullable=False),
        sa.Column("recorded_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("token_id"),
        sa.UniqueConstraint("sha256", "generated_at", "authority"),
        comment="An RFC 3161 token: the authority states that the hash existed at generated_at; "
        "checked against a trusted root when it was stored",
    )


def _create_sealed_sets() -> None:
    """Create tables of sealed candidate sets. The name candidate is that of a view of all pairs."""
    # Renaming keeps the rows in their order, by which the log knows them.
    if not _has("stored_candidate"):
        op.rename_table("candidate", "stored_candidate")
    op.create_table_comment(
        "stored_candidate",
        "A scored pair of a candidate set that is kept in the store; the view candidate has all",
    )
    _create_table(
        "sealed_set",
        sa.Column("candidate_set_id", sa.Integer(), nullable=False),
        sa.Column("n_parts", sa.Integer(), nullable=False),
        sa.Column("manifest_sha256", sa.String(), nullable=False),
        sa.Column("sealed_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.CheckConstraint("n_parts >= 1", name="sealed_set_n_parts"),
        sa.ForeignKeyConstraint(["candidate_set_id"], ["candidate_set.candidate_set_id"]),
        sa.PrimaryKeyConstraint("candidate_set_id"),
        comment="A candidate set whose pairs are in Parquet files beside the store, and the hash "
        "of the manifest that lists them",
    )
    _create_table(
        "sealed_part",
        sa.Column("candidate_set_id", sa.Integer(), nullable=False),
        sa.Column("part_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("n_rows", sa.BigInteger(), nullable=False),
        sa.Column("n_bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.CheckConstraint("part_number >= 1", name="sealed_part_number"),
        sa.CheckConstraint("n_rows >= 1", name="sealed_part_n_rows"),
        sa.CheckConstraint("n_bytes >= 1", name="sealed_part_n_bytes"),
        sa.ForeignKeyConstraint(["candidate_set_id"], ["sealed_set.candidate_set_id"]),
        sa.PrimaryKeyConstraint("candidate_set_id", "part_number"),
        comment="A Parquet file of a sealed set: its rows, its length and its hash",
    )
    _create_table(
        "sealed_address",
        sa.Column("candidate_set_id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["candidate_set_id"], ["sealed_set.candidate_set_id"]),
        sa.PrimaryKeyConstraint("candidate_set_id"),
        comment="Where in object storage the files of a sealed set are; others are in a folder",
    )
    _create_table(
        "moved_entry",
        sa.Column("entry_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("candidate_set_id", sa.Integer(), nullable=False),
        sa.Column("n_rows", sa.BigInteger(), nullable=False),
        sa.Column("leaf_sha256", sa.String(), nullable=True),
        sa.CheckConstraint("n_rows >= 0", name="moved_entry_n_rows"),
        sa.CheckConstraint("(n_rows = 0) = (leaf_sha256 is null)", name="moved_entry_leaf_sha256"),
        sa.ForeignKeyConstraint(["candidate_set_id"], ["sealed_set.candidate_set_id"]),
        sa.PrimaryKeyConstraint("entry_id", "candidate_set_id"),
        comment="An entry of the log some of whose rows were moved into files of a sealed set: "
        "how many rows are left, and their hash",
    )


def _create_log() -> None:
    """Create the log, which the upgrading command fills, and a table of the sites it seals."""
    _create_table(
        "log_entry",
        sa.Column("entry_id", sa.BigInteger(), nullable=False),
        sa.Column("table_name", sa.String(), nullable=False),
        sa.Column("first_row", sa.BigInteger(), nullable=False),
        sa.Column("n_rows", sa.BigInteger(), nullable=False),
        sa.Column("leaf_sha256", sa.String(), nullable=False),
        comment="Rows of a table that were sealed together, counted from 0, and their hash: a leaf "
        "of the Merkle tree",
    )
    _create_table(
        "log_head",
        sa.Column("head_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("log_id", sa.Uuid(), nullable=False),
        sa.Column("n_entries", sa.BigInteger(), nullable=False),
        sa.Column("root_sha256", sa.String(), nullable=False),
        sa.Column("peaks", sa.JSON(), nullable=False),
        sa.Column("sealed_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("tracker_version", sa.String(), nullable=False),
        sa.Column("head_sha256", sa.String(), nullable=False),
        sa.CheckConstraint(
            "reason in ('created', 'upgraded', 'written', 'clock_accepted')",
            name="log_head_reason",
        ),
        sa.CheckConstraint("n_entries >= 1", name="log_head_n_entries"),
        sa.PrimaryKeyConstraint("head_id"),
        comment="The root of the tree over all entries so far, after each command that wrote",
    )
    _create_table(
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


def _add_folded_names() -> None:
    """Add the form in which names compare now to names that were folded otherwise.

    The earlier form stays: slates identify drugs and diseases by it. A name that two of them would
    share is left as it is; tracker load says which they are.
    """
    connection = op.get_bind()
    latest = connection.execute(sa.text(_LATEST)).scalar()
    added_at = datetime.now(UTC)
    if latest is not None:
        added_at = max(added_at, latest.astimezone(UTC) + timedelta(microseconds=1))
    for entity in ("drug", "disease"):
        key = f"{entity}_id"
        alias = sa.table(f"{entity}_alias", *map(sa.column, ("kind", "value", key, "added_at")))
        names = connection.execute(
            sa.select(alias.c.kind, alias.c.value, alias.c[key]).where(
                alias.c.kind.in_(("name", "synonym"))
            )
        ).all()
        bearers: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for kind, value, bearer in names:
            bearers[fold(value)][bearer].add(kind)
        stored = {value for _, value, _ in names}
        for folded in sorted(bearers.keys() - stored - {""}):
            if len(bearers[folded]) == 1:
                ((bearer, kinds),) = bearers[folded].items()
                added = {"kind": min(kinds), "value": folded, key: bearer, "added_at": added_at}
                connection.execute(alias.insert(), added)
