"""How patiently servers are asked."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """How often a request is made, and how many seconds pass within and between requests.

    ClinicalTrials.gov allows about 50 requests a minute.
    """

    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 120.0
    timeout: float = 60.0
    between_pages: float = 1.2
