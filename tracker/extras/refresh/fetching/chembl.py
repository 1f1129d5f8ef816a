"""Fetches the newest release of ChEMBL: its SQLite archive, by the checksum published with it."""

import re
from collections.abc import Sequence
from pathlib import Path

from tracker.errors import RequestFailed
from tracker.extras.refresh.fetching.known import Known
from tracker.extras.refresh.fetching.web import Web

BASE_URL = "https://ftp.ebi.ac.uk/pub/databases/chembl/ChEMBLdb"
LIST = "/latest/checksums.txt"
PATTERN = "chembl_*_sqlite.tar.gz"
_LISTED = re.compile(
    r"([0-9a-fA-F]{32}|[0-9a-fA-F]{40}|[0-9a-fA-F]{64}) [ *](chembl_(\d+(?:_\d+)?)_sqlite\.tar\.gz)"
)


def fetch(web: Web, base_url: str, folder: Path, known: Known) -> Sequence[Path]:
    """Fetch the archive that the list of the latest release names; none if the store has it."""
    url = f"{base_url}{LIST}"
    for line in web.text(url).splitlines():
        found = _LISTED.fullmatch(line.strip())
        if found:
            break
    else:
        raise RequestFailed(f"{url}: lists no chembl_N_sqlite.tar.gz with its checksum")
    checksum, name, version = found.groups()
    path = folder / name
    if version.replace("_", ".") in known.versions or path.exists():
        return []
    web.download(
        f"{base_url}/releases/chembl_{version}/{name}",
        folder,
        lambda _done: path,
        checksum=checksum,
    )
    return [path]
