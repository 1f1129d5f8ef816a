"""Fetches what is new from the sources of evidence into a folder, for ingestion."""

from tracker.fetching.addresses import FetchFailed
from tracker.fetching.landing import landed
from tracker.fetching.providers import PROVIDERS, Provider, find
from tracker.fetching.web import Patience, Web

__all__ = ["PROVIDERS", "FetchFailed", "Patience", "Provider", "Web", "find", "landed"]
