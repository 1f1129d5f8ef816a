"""Trusted timestamps (RFC 3161): an authority's word on when a SHA-256 existed."""

from tracker.log.timestamps.authorities import PUBLIC, REQUEST_LIMITS, require_urls
from tracker.log.timestamps.obtaining import Obtained, from_file, obtain, read_reply
from tracker.log.timestamps.replies import ReplyRefused, read
from tracker.log.timestamps.roots import Root, by_sha256, pinned, public_roots, read_roots, trust
from tracker.log.timestamps.tokens import Checked, append, check, of_hash, reply_of, stored
from tracker.log.timestamps.verifying import RootNotPinned, Roots, Verified, verify

__all__ = [
    "PUBLIC",
    "REQUEST_LIMITS",
    "Checked",
    "Obtained",
    "ReplyRefused",
    "Root",
    "RootNotPinned",
    "Roots",
    "Verified",
    "append",
    "by_sha256",
    "check",
    "from_file",
    "obtain",
    "of_hash",
    "pinned",
    "public_roots",
    "read",
    "read_reply",
    "read_roots",
    "reply_of",
    "require_urls",
    "stored",
    "trust",
    "verify",
]
