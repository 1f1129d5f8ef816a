"""Trusted timestamps (RFC 3161): an authority's word on when a SHA-256 existed."""

from tracker.timestamps.authorities import PATIENCE, PUBLIC, require_urls
from tracker.timestamps.obtaining import Obtained, from_file, obtain, read_reply
from tracker.timestamps.reading import ReplyRefused, read
from tracker.timestamps.roots import Root, by_sha256, pinned, public_roots, read_roots, trust
from tracker.timestamps.tokens import Checked, append, check, of_hash, reply_of, stored
from tracker.timestamps.verifying import RootNotPinned, Roots, Verified, verify

__all__ = [
    "PATIENCE",
    "PUBLIC",
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
