"""The log that shows tampering: hashes of what was written, and the heads that sum them up."""

import sqlalchemy as sa

from tracker.schema.base import instant, metadata, one_of

HEAD_REASONS = ("created", "upgraded", "written", "clock_accepted")

# A store with a million events has as many entries. As for other long tables, no key.
log_entry = sa.Table(
    "log_entry",
    metadata,
    sa.Column("entry_id", sa.BigInteger, nullable=False),
    sa.Column("table_name", sa.String, nullable=False),
    sa.Column("first_row", sa.BigInteger, nullable=False),
    sa.Column("n_rows", sa.BigInteger, nullable=False),
    sa.Column("leaf_sha256", sa.String, nullable=False),
    comment="Rows of a table that were sealed together, counted from 0, and their hash: a leaf of "
    "the Merkle tree",
)

# The rows of a set that is moved into files leave stored_candidate, which the log covers; the entry
# itself stays. Of several rows of an entry, the one with the fewest left counts
# (tracker.log.moving).
moved_entry = sa.Table(
    "moved_entry",
    metadata,
    sa.Column("entry_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("candidate_set_id", sa.ForeignKey("sealed_set.candidate_set_id"), primary_key=True),
    sa.Column("n_rows", sa.BigInteger, nullable=False),
    sa.Column("leaf_sha256", sa.String),
    sa.CheckConstraint("n_rows >= 0", name="moved_entry_n_rows"),
    sa.CheckConstraint("(n_rows = 0) = (leaf_sha256 is null)", name="moved_entry_leaf_sha256"),
    comment="An entry of the log some of whose rows were moved into files of a sealed set: how "
    "many rows are left, and their hash",
)

# Peaks are the hashes from which the tree grows. head_sha256 is of the head's canonical line.
log_head = sa.Table(
    "log_head",
    metadata,
    sa.Column("head_id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("log_id", sa.Uuid, nullable=False),
    sa.Column("n_entries", sa.BigInteger, nullable=False),
    sa.Column("root_sha256", sa.String, nullable=False),
    sa.Column("peaks", sa.JSON, nullable=False),
    instant("sealed_at"),
    sa.Column("reason", sa.String, nullable=False),
    sa.Column("tracker_version", sa.String, nullable=False),
    sa.Column("head_sha256", sa.String, nullable=False),
    one_of("reason", HEAD_REASONS, "log_head_reason"),
    sa.CheckConstraint("n_entries >= 1", name="log_head_n_entries"),
    comment="The root of the tree over all entries so far, after each command that wrote",
)

# Nothing that a site shows is read from here: a site cannot contain its own hash.
publication = sa.Table(
    "publication",
    metadata,
    sa.Column("publication_id", sa.Integer, primary_key=True, autoincrement=False),
    instant("published_at"),
    sa.Column("manifest_sha256", sa.String, nullable=False),
    sa.Column("n_files", sa.Integer, nullable=False),
    sa.Column("tracker_version", sa.String, nullable=False),
    sa.CheckConstraint("n_files >= 1", name="publication_n_files"),
    comment="A site that was published: the SHA-256 of its manifest, sealed before it was shown",
)
