"""Slates: loaded sets, plans, freezing, exchange with other stores, outcomes."""

from tracker.slates.frozen import (
    HEADER_FIELDS,
    Slate,
    alias_sha256,
    all_slate_ids,
    all_slates,
    find,
    from_row,
    frozen_row,
    incoming_sha256,
    listed,
    predictions,
    problems,
    record,
    verify,
)

__all__ = [
    "HEADER_FIELDS",
    "Slate",
    "alias_sha256",
    "all_slate_ids",
    "all_slates",
    "find",
    "from_row",
    "frozen_row",
    "incoming_sha256",
    "listed",
    "predictions",
    "problems",
    "record",
    "verify",
]
