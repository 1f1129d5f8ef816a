"""Fetches what is new from the sources of evidence into a folder, for ingestion."""

from tracker.fetching.landing import landed
from tracker.fetching.providers import PROVIDERS, Provider, find
from tracker.fetching.web import Web

__all__ = ["PROVIDERS", "Provider", "Web", "find", "landed"]
