"""Drugs and diseases: how names and identifiers resolve to the store's own."""

from tracker.entities.folding import fold
from tracker.entities.resolution import (
    identifiers,
    is_known_identifier,
    ontology_id,
    register_identifiers,
    register_matches,
    register_problems,
    resolve,
    tie_names,
)

__all__ = [
    "fold",
    "identifiers",
    "is_known_identifier",
    "ontology_id",
    "register_identifiers",
    "register_matches",
    "register_problems",
    "resolve",
    "tie_names",
]
