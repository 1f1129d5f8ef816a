"""Object storage for sealed sets, such as s3://bucket/prefix: through fsspec, of the extra `lake`.

Credentials and the endpoint are those of the environment or of ~/.aws, as other programs have them.
"""

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tracker.errors import InputRefused, TrackerError, said

_CHUNK = 1 << 24
_PATIENCE = {"connect_timeout": 10, "read_timeout": 60, "retries": {"max_attempts": 2}}

# The errors of boto3 before a request is answered, and their words for the user.
_REASONS = {
    "NoCredentialsError": "no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
    "AWS_PROFILE",
    "PartialCredentialsError": "the credentials are incomplete",
    "ProfileNotFound": "the profile of AWS_PROFILE does not exist",
    "EndpointConnectionError": "cannot be reached",
    "ConnectTimeoutError": "cannot be reached",
    "PermissionError": "access is denied",
    "FileNotFoundError": "does not exist",
}


def filesystem() -> Any:
    """Return the file system of object storage; InputRefused where it is not installed."""
    try:
        import s3fs
    except ImportError:
        raise InputRefused(
            "object storage needs the extra 'lake': pip install '.[lake]' in a checkout"
        ) from None
    return s3fs.S3FileSystem(
        config_kwargs=_PATIENCE, use_listings_cache=False, skip_instance_cache=True
    )


def reason(text: str) -> str | None:
    """Return what an error in the words of boto3 means; None if it is not one of these."""
    return next((words for name, words in _REASONS.items() if name in text), None)


def upload(folder: Path, address: str, last: str) -> None:
    """Put the files of a folder at an address, the one called `last` after all others.

    Raises InputRefused if another file of that name is there: it is the sign of a complete set.
    After an error the files are removed, also those of an interrupted upload.
    """
    with worded(address):
        storage = filesystem()
        complete = f"{address}/{last}"
        # The same one was left by a command that was killed before the store had its set.
        if storage.exists(complete) and storage.cat_file(complete) != (folder / last).read_bytes():
            raise InputRefused(
                f"{address}: exists, and is not of a set of this store; move it away"
            )
        names = sorted(path.name for path in folder.iterdir() if path.name != last)
        try:
            for name in (*names, last):
                storage.put_file(str(folder / name), f"{address}/{name}")
        except BaseException:
            # The user is told of the first error alone.
            with contextlib.suppress(Exception):
                storage.rm([f"{address}/{name}" for name in names])
            raise


def measured(address: str) -> tuple[int, str]:
    """Return the length and the SHA-256 of an object; TrackerError if it cannot be read."""
    found, n_bytes = hashlib.sha256(), 0
    for chunk in _chunks(address):
        found.update(chunk)
        n_bytes += len(chunk)
    return n_bytes, found.hexdigest()


def fetch(address: str, path: Path) -> str:
    """Copy an object to a file; return its SHA-256. TrackerError if it cannot be read."""
    found = hashlib.sha256()
    with path.open("wb") as target:
        for chunk in _chunks(address):
            found.update(chunk)
            target.write(chunk)
    return found.hexdigest()


def _chunks(address: str) -> Iterator[bytes]:
    with worded(address), filesystem().open(address, "rb", cache_type="none") as handle:
        while chunk := handle.read(_CHUNK):
            yield chunk


@contextlib.contextmanager
def worded(address: str) -> Iterator[None]:
    """Turn an error of object storage into one line that names the address."""
    try:
        yield
    except TrackerError:
        raise
    except Exception as error:
        words = reason(type(error).__name__) or said(error)
        raise TrackerError(f"{address}: {words}") from error
