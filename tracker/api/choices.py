"""The allowed values of arguments, imported without what the methods need."""

from tracker.extras.benchmarks.options import FILES, OPTIONS
from tracker.schema import BENCHMARK_KINDS, TRACKS, Track
from tracker.slates.shared_ids import CHOICES, Choice

__all__ = ["BENCHMARK_KINDS", "CHOICES", "FILES", "OPTIONS", "TRACKS", "Choice", "Track"]
