"""Timestamps that others issued: which authorities are trusted, and what each stated."""

import sqlalchemy as sa

from tracker.schema.base import instant, metadata

timestamp_root = sa.Table(
    "timestamp_root",
    metadata,
    sa.Column("root_sha256", sa.String, primary_key=True),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("certificate", sa.String, nullable=False),
    instant("added_at"),
    comment="A root certificate (PEM) whose timestamping authorities this store trusts; "
    "root_sha256 is of its DER form",
)

# The reply is as the authority sent it, in Base64. The other columns were read from it when it was
# checked, and are compared with it again at every verification.
timestamp_token = sa.Table(
    "timestamp_token",
    metadata,
    sa.Column("token_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("sha256", sa.String, nullable=False),
    instant("generated_at"),
    sa.Column("authority", sa.String, nullable=False),
    sa.Column("root_sha256", sa.String, nullable=False),
    sa.Column("url", sa.String),
    sa.Column("reply", sa.String, nullable=False),
    instant("recorded_at"),
    sa.UniqueConstraint("sha256", "generated_at", "authority"),
    comment="An RFC 3161 token: the authority states that the hash existed at generated_at; "
    "checked against a trusted root when it was stored",
)
