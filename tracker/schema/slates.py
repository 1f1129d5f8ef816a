"""Frozen slates, and the ledger of what happened."""

import sqlalchemy as sa

from tracker import figures
from tracker.schema.base import instant, metadata, one_of

TIERS = figures.TIERS
SLATE_ORIGINS = ("frozen", "imported", "published")
# What detection finds, and what files claim.
EVENT_TYPES = (
    "trial_registered",
    "trial_started",
    "trial_phase",
    "trial_ended",
    "trial_stopped",
    "trial_results",
    "trial_unreported",
    "indication_phase",
    "drug_approval",
    "drug_withdrawn",
    "drug_warning",
    "ema_authorised",
    "ema_refused",
    "ema_withdrawn",
)
OUTCOME_TYPES = (
    "first_trial_seen",
    "phase_advanced",
    "fda_approved",
    "status_transition",
    "trial_failed",
    "ema_approved",
    "approval_refused",
    "approval_withdrawn",
)
EVENT_ORIGINS = ("detected", "loaded", "imported")
SET_KINDS = ("candidates", "labels")
CRITERIA = ("reach_phase", "any_activity", "exceed_phase", "monitor")

# created_at is the freeze, frozen_on the date outcomes are timed against (an earlier one for a
# replay), recorded_at the instant at which this store wrote the slate.
slate = sa.Table(
    "slate",
    metadata,
    sa.Column("slate_id", sa.Uuid, primary_key=True),
    instant("created_at"),
    sa.Column("frozen_on", sa.Date, nullable=False),
    instant("recorded_at"),
    sa.Column("origin", sa.String, nullable=False),
    sa.Column("description", sa.String, nullable=False),
    sa.Column("model_version", sa.String, nullable=False),
    sa.Column("candidate_set_id", sa.ForeignKey("candidate_set.candidate_set_id")),
    sa.Column("label_set_id", sa.ForeignKey("label_set.label_set_id")),
    sa.Column("candidate_sha256", sa.String),
    sa.Column("label_sha256", sa.String),
    sa.Column("alias_sha256", sa.String),
    sa.Column("parameters", sa.JSON, nullable=False),
    sa.Column("plan", sa.JSON(none_as_null=True)),
    sa.Column("fingerprint", sa.JSON, nullable=False),
    sa.Column("is_replay", sa.Boolean, nullable=False),
    sa.Column("n_predictions", sa.BigInteger, nullable=False),
    sa.Column("content_sha256", sa.String, nullable=False),
    sa.Column("previous_sha256", sa.String),
    one_of("origin", SLATE_ORIGINS, "slate_origin"),
    sa.CheckConstraint("n_predictions >= 1", name="slate_n_predictions"),
    comment="A frozen set of predictions; outcomes are timed against frozen_on",
)

# No key and no foreign key: their indexes took most of a freeze. The checks prediction_unique and
# prediction_reference ensure both.
prediction = sa.Table(
    "prediction",
    metadata,
    sa.Column("slate_id", sa.Uuid, nullable=False),
    sa.Column("disease_id", sa.Integer, nullable=False),
    sa.Column("drug_id", sa.Integer, nullable=False),
    sa.Column("disease_identifier", sa.String, nullable=False),
    sa.Column("drug_identifier", sa.String, nullable=False),
    sa.Column("score", sa.Double, nullable=False),
    sa.Column("rank", sa.Integer, nullable=False),
    sa.Column("tier", sa.String, nullable=False),
    sa.Column("known_label", sa.SmallInteger),
    sa.Column("known_max_phase", sa.Double),
    sa.Column("first_approval_year", sa.SmallInteger),
    sa.Column("criterion", sa.String, nullable=False),
    sa.Column("criterion_min_phase", sa.Double),
    sa.Column("criterion_horizon_years", sa.SmallInteger),
    sa.Column("line_checksum", sa.String, nullable=False),
    sa.CheckConstraint("isfinite(score)", name="prediction_score"),
    sa.CheckConstraint("rank >= 1", name="prediction_rank"),
    one_of("tier", TIERS, "prediction_tier"),
    sa.CheckConstraint("known_label between 0 and 4", name="prediction_known_label"),
    sa.CheckConstraint("known_max_phase between -1 and 4", name="prediction_known_max_phase"),
    one_of("criterion", CRITERIA, "prediction_criterion"),
    comment="A predicted pair of a slate, with what was known of it at freeze",
)

slate_note = sa.Table(
    "slate_note",
    metadata,
    sa.Column("slate_id", sa.ForeignKey("slate.slate_id"), primary_key=True),
    sa.Column("note_number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("disease_name", sa.String),
    sa.Column("drug_name", sa.String),
    sa.Column("detail", sa.JSON, nullable=False),
    comment="What an import set aside, and names that were merged in its files; part of every "
    "report",
)

# A frozen slate is never changed: the sets that it was frozen without come later, one of each kind
# at most. They are not part of its hash, and count in reports from attached_at on.
slate_attachment = sa.Table(
    "slate_attachment",
    metadata,
    sa.Column("slate_id", sa.ForeignKey("slate.slate_id"), primary_key=True),
    sa.Column("set_kind", sa.String, primary_key=True),
    sa.Column("candidate_set_id", sa.ForeignKey("candidate_set.candidate_set_id")),
    sa.Column("label_set_id", sa.ForeignKey("label_set.label_set_id")),
    instant("attached_at"),
    one_of("set_kind", SET_KINDS, "slate_attachment_set_kind"),
    sa.CheckConstraint(
        "(set_kind = 'candidates') = (candidate_set_id is not null)",
        name="slate_attachment_candidate_set_id",
    ),
    sa.CheckConstraint(
        "(set_kind = 'labels') = (label_set_id is not null)", name="slate_attachment_label_set_id"
    ),
    comment="A candidate set or label set given to a slate after its freeze; not part of its hash",
)

outcome_type = sa.Table(
    "outcome_type",
    metadata,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("signal", sa.String, nullable=False),
    one_of("signal", ("high", "low"), "outcome_type_signal"),
    comment="The kinds of outcome; high-signal ones make a hit",
)

# One row for each thing that a source showed of a drug and a disease: a fact of the world, which
# slates read through the view outcome. Only what a publisher claims of its own slate has a
# slate_id, and only what names no disease has no disease_id. The event became public after the
# day public_after and by the day public_by. recorded_at is the instant at which this store wrote
# the row: what was known when rests on it alone. observed_at is what a file claims, and may be
# any instant before.
event = sa.Table(
    "event",
    metadata,
    sa.Column("event_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("slate_id", sa.ForeignKey("slate.slate_id")),
    sa.Column("disease_id", sa.ForeignKey("disease.disease_id")),
    sa.Column("drug_id", sa.ForeignKey("drug.drug_id"), nullable=False),
    sa.Column("event_type", sa.String, nullable=False),
    sa.Column("phase", sa.Double),
    sa.Column("event_date", sa.Date),
    sa.Column("public_after", sa.Date),
    sa.Column("public_by", sa.Date),
    sa.Column("source", sa.String, nullable=False),
    sa.Column("release_id", sa.ForeignKey("release.release_id")),
    sa.Column("record", sa.String),
    sa.Column("drug_alias", sa.String),
    sa.Column("disease_alias", sa.String),
    sa.Column("detail", sa.JSON(none_as_null=True)),
    instant("observed_at"),
    instant("recorded_at"),
    sa.Column("event_origin", sa.String, nullable=False),
    sa.Column("match_kind", sa.String),
    one_of("event_type", EVENT_TYPES + OUTCOME_TYPES, "event_event_type"),
    one_of("event_origin", EVENT_ORIGINS, "event_event_origin"),
    sa.CheckConstraint("phase between 0 and 4", name="event_phase"),
    sa.CheckConstraint("public_after < public_by", name="event_public_by"),
    sa.CheckConstraint("public_after is null or public_by is not null", name="event_public_after"),
    sa.CheckConstraint(
        "disease_id is not null "
        "or event_type in ('drug_approval', 'drug_withdrawn', 'drug_warning')",
        name="event_disease_id",
    ),
    sa.CheckConstraint("observed_at <= recorded_at", name="event_recorded_at"),
    comment="The ledger: what sources showed of drugs and diseases, appended and never changed",
)

# What a file claims may be mistaken, and no later release corrects it. The event stays; from
# annulled_at on nothing counts it.
annulment = sa.Table(
    "annulment",
    metadata,
    sa.Column("event_id", sa.ForeignKey("event.event_id"), primary_key=True, autoincrement=False),
    sa.Column("reason", sa.String, nullable=False),
    instant("annulled_at"),
    sa.CheckConstraint("trim(reason) <> ''", name="annulment_reason"),
    comment="An outcome from a file that was taken back, and why; it counts until annulled_at",
)
