"""The warnings about sets that a slate was given after its freeze."""

from datetime import UTC
from typing import Any

from sqlalchemy import Connection, Row

from tracker.reports.words import count
from tracker.slates import attachments, evidence_labels
from tracker.slates.attachments import AttachedSet


def of_sets(connection: Connection, slate: Row[Any]) -> list[str]:
    """Name the sets attached after the slate's freeze, and the figures that rest on them."""
    return [
        (_candidate_words if one.set_kind == "candidates" else _label_words)(one, slate)
        for one in attachments.of_slate(connection, slate.slate_id)
    ]


def _candidate_words(one: AttachedSet, slate: Row[Any]) -> str:
    attached = _attached_words(one, slate)
    if one.is_frozen_file:
        return attached
    return (
        f"{attached} It was chosen when outcomes could be known, and popularity, the baselines "
        "and the enrichment versus popularity rest on it."
    )


def _label_words(one: AttachedSet, slate: Row[Any]) -> str:
    attached = _attached_words(one, slate)
    if one.is_frozen_file:
        return attached
    rests = f"{attached} What was known at the freeze, so 'novel', and popularity rest on it"
    shown_by = evidence_labels.day_of(one.origin)
    if not one.n_later and one.loaded_at.astimezone(UTC).date() <= slate.frozen_on:
        return f"{rests}; it was in the store by the freeze."
    if not one.n_later and shown_by is not None and shown_by <= slate.frozen_on:
        return f"{rests}; it has what evidence showed by {shown_by}."
    later = (
        f"{count(one.n_later, 'pair')} of it {'is' if one.n_later == 1 else 'are'} dated after the "
        "year of the freeze"
        if one.n_later
        else "it may have what became known after the freeze"
    )
    return (
        f"{rests}; {later}, and a hit that it knows counts as known, its drug as more popular than "
        "it was."
    )


def _attached_words(one: AttachedSet, slate: Row[Any]) -> str:
    noun = "candidate set" if one.set_kind == "candidates" else "label set"
    came = f"The {noun} '{one.name}' was attached on {one.attached_at.astimezone(UTC).date()}"
    if one.is_frozen_file:
        return f"{came}; its file is the one the slate was frozen with."
    return f"{came}, after the freeze ({slate.frozen_on}), and is not part of the slate's hash."
