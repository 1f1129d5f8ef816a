"""Limits of HTTP requests: attempts, waits and timeouts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RequestLimits:
    """How often a request is made, and how many seconds pass within and between requests.

    Within `timeout` a connection is made, an answer begins, and its body brings `least_rate` bytes
    a second. `longest_request` bounds an answer that is read whole, redirects included, and
    `longest_fetch` all that one client asks for, downloads included. ClinicalTrials.gov allows
    about 50 requests a minute.
    """

    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 120.0
    timeout: float = 60.0
    between_pages: float = 1.2
    longest_request: float = 300.0
    longest_fetch: float = 10_800.0
    least_rate: float = 1_000.0
