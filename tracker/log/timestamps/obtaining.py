"""Gets verified tokens: from authorities that are asked, or from a reply in a file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tracker.errors import InputRefused, RequestFailed
from tracker.files import streams
from tracker.log.timestamps.authorities import REQUEST_LIMITS
from tracker.log.timestamps.replies import MAX_REPLY_BYTES, ReplyRefused
from tracker.log.timestamps.verifying import Roots, Verified, verify
from tracker.progress import Progress, silent
from tracker.request_limits import RequestLimits


@dataclass(frozen=True)
class Obtained:
    """The answer of one authority: a verified token with its reply, or the problem."""

    url: str | None
    verified: Verified | None = None
    reply: bytes = b""
    problem: str | None = None


def obtain(
    urls: Sequence[str],
    sha256: str,
    roots: Roots,
    limits: RequestLimits = REQUEST_LIMITS,
    progress: Progress = silent,
) -> Iterator[Obtained]:
    """Ask each authority for a token of a hash; yield it verified, or why there is none."""
    # Import httpx, which nothing else of a slate needs.
    from tracker import http_client
    from tracker.log.timestamps import asking

    for url in urls:
        progress(f"asking {url}")
        try:
            answer = asking.ask(url, sha256, limits)
            verified = verify(answer.reply, sha256, roots, answer.nonce)
        except RequestFailed as error:
            yield Obtained(url, problem=str(error))
        except ReplyRefused as error:
            yield Obtained(url, problem=f"{http_client.shown(url)}: the reply {error}")
        else:
            yield Obtained(http_client.bare(url), verified, answer.reply)


def from_file(path: Path, sha256: str, roots: Roots) -> Obtained:
    """Return the token in a file with a reply; raises InputRefused if it does not verify."""
    reply = read_reply(path)
    try:
        return Obtained(None, verify(reply, sha256, roots), reply)
    except ReplyRefused as error:
        raise InputRefused(f"{path.name}: {error}") from error


def read_reply(path: Path) -> bytes:
    """Return the bytes of a file with a reply, one more than allowed at most."""
    return streams.content(path, MAX_REPLY_BYTES + 1)
