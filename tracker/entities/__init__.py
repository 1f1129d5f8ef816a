"""Resolves names and identifiers of drugs and diseases to those of the store."""

from tracker.entities.folding import fold
from tracker.entities.identifiers import (
    identifiers,
    is_known_identifier,
    register_identifiers,
    tie_names,
)
from tracker.entities.kinds import ontology_id
from tracker.entities.resolution import keys_of, register_matches, register_problems, resolve

__all__ = [
    "fold",
    "identifiers",
    "is_known_identifier",
    "keys_of",
    "ontology_id",
    "register_identifiers",
    "register_matches",
    "register_problems",
    "resolve",
    "tie_names",
]
