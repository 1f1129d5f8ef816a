"""Published sites, which are verified without a store."""

from tracker.extras.site.verification import Verified, verify

__all__ = ["Verified", "verify"]
