"""Replay: a store's ledger rebuilt from the files of its releases, and compared with it."""

from tracker.extras.replay import wording
from tracker.extras.replay.running import Replayed, run

__all__ = ["Replayed", "run", "wording"]
