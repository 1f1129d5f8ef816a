"""Fetches what is new from the sources of evidence into a folder, for ingestion."""

from tracker.extras.refresh.fetching.landing import ask_again, landed
from tracker.extras.refresh.fetching.providers import PROVIDERS, Provider, find
from tracker.extras.refresh.fetching.web import Web

__all__ = ["PROVIDERS", "Provider", "Web", "ask_again", "find", "landed"]
