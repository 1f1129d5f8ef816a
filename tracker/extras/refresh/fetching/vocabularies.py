"""Fetches the newest release of a vocabulary: MONDO, EFO, the Disease Ontology or MeSH."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import httpx

from tracker.errors import RequestFailed
from tracker.extras.refresh.fetching.known import Known
from tracker.extras.refresh.fetching.landing import Landed, free_place
from tracker.extras.refresh.fetching.web import Web
from tracker.http_client import bare

URLS = {
    "mondo": "https://github.com/monarch-initiative/mondo/releases/latest/download/mondo.obo",
    "efo": "https://github.com/EBISPOT/efo/releases/latest/download/efo.obo",
    "doid": "https://purl.obolibrary.org/obo/doid.obo",
    "mesh": "https://nlmpubs.nlm.nih.gov/projects/mesh/MESH_FILES/xmlmesh",
}


def pattern(name: str) -> str:
    """Return the pattern of the names of a vocabulary's fetched files."""
    return f"{name}-*.xml.gz" if name == "mesh" else f"{name}-*.obo"


def probe(name: str) -> str:
    """Return what stands behind a vocabulary's URL in that of a file which is always there."""
    return f"/desc{datetime.now(UTC).year - 1}.gz" if name == "mesh" else ""


def fetcher(name: str) -> Callable[[Web, str, Path, Known], Sequence[Path]]:
    """Return the function that fetches a vocabulary if it has changed.

    The name of the file has the day on which it was fetched.
    """
    return _fetch_mesh if name == "mesh" else partial(_changed, name, ".obo")


def _fetch_mesh(web: Web, base_url: str, folder: Path, known: Known) -> Sequence[Path]:
    """Fetch the descriptors of this year's MeSH, or of last year's before it is released."""
    year = datetime.now(UTC).year
    try:
        return _changed("mesh", ".xml.gz", web, f"{base_url}/desc{year}.gz", folder, known)
    except RequestFailed as error:
        if error.status != httpx.codes.NOT_FOUND:
            raise
    return _changed("mesh", ".xml.gz", web, f"{base_url}/desc{year - 1}.gz", folder, known)


def _changed(
    name: str, suffix: str, web: Web, url: str, folder: Path, known: Known
) -> Sequence[Path]:
    def place(done: Landed) -> Path | None:
        if known.has(done):
            return None
        return free_place(folder, f"{name}-{datetime.now(UTC).date()}", suffix, done)

    path = web.download(url, folder, place, unless=known.fetched.get(bare(url)))
    return [] if path is None else [path]
