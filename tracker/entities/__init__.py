"""Drugs and diseases: how names and identifiers resolve to the store's own."""

from tracker.entities.resolution import (
    fold,
    identifiers,
    insert_frame,
    insert_rows,
    is_known_identifier,
    ontology_id,
    register_identifiers,
    register_matches,
    register_problems,
    resolve,
)

__all__ = [
    "fold",
    "identifiers",
    "insert_frame",
    "insert_rows",
    "is_known_identifier",
    "ontology_id",
    "register_identifiers",
    "register_matches",
    "register_problems",
    "resolve",
]
