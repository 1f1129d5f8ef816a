"""Fetches approvals of the FDA: openFDA's download of drugsfda, or the Drugs@FDA zip."""

import re
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import Any

from tracker import scratch
from tracker.errors import InputRefused, RequestFailed
from tracker.extras.refresh.fetching.known import Known
from tracker.extras.refresh.fetching.landing import Landed, free_place, is_ahead, require_past
from tracker.extras.refresh.fetching.web import Web
from tracker.files import archives, json_file
from tracker.http_client import bare

OPENFDA_URL = "https://api.fda.gov"
LIST = "/download.json"
OPENFDA_PATTERN = "openfda-drugsfda-*.zip"
DRUGSFDA_URL = "https://www.fda.gov/media/89850/download"
DRUGSFDA_PATTERN = "drugsatfda-*.zip"
_MOST_PARTS = 100
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def fetch_openfda(web: Web, base_url: str, folder: Path, known: Known) -> Sequence[Path]:
    """Fetch the newest export that openFDA's list of downloads names, its parts as one zip."""
    url = f"{base_url}{LIST}"
    exported_on, parts = _export(url, web.json(url))
    path = folder / f"openfda-drugsfda-{exported_on}.zip"
    is_old = known.newest is not None and exported_on <= known.newest
    if is_old or path.exists():
        return []
    if len(parts) == 1:
        # The store's release has the day of its newest record, which is before that of the export.
        single = web.download(
            parts[0],
            folder,
            lambda done: None if known.has(done) else path,
            unless=known.fetched.get(bare(parts[0])),
        )
        return [] if single is None else [single]
    with scratch.folder(folder) as private:
        written = private / path.name
        with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as whole:
            for number, part in enumerate(parts, start=1):
                one = private / f"part-{number}.zip"
                web.download(part, private, partial(_always, one))
                for member in archives.zip_members(one, (".json",)):
                    whole.writestr(f"{number:04}-{Path(member.name).name}", member.content)
                one.unlink()
        Landed.now(url, written).put(written, path)
    return [path]


def _always(path: Path, _done: Landed) -> Path:
    return path


def _export(url: str, document: Any) -> tuple[date, list[str]]:
    """Return the date of the export of drugsfda and the URLs of its parts."""
    try:
        results = json_file.mapping(json_file.mapping(document, url).get("results"), url)
        drug = json_file.mapping(results.get("drug"), f"{url}, drug")
        export: Mapping[str, Any] = json_file.mapping(drug.get("drugsfda"), f"{url}, drugsfda")
        stated = json_file.text(export, "export_date", url) or ""
        parts = [
            json_file.text(part, "file", url) or ""
            for part in json_file.mappings(export, "partitions", url)
        ]
    except InputRefused as error:
        raise RequestFailed(str(error)) from error
    if not _DATE.fullmatch(stated) or not parts or not all(parts):
        raise RequestFailed(f"{url}: does not name an export of drugsfda with its date and files")
    if len(parts) > _MOST_PARTS:
        raise RequestFailed(f"{url}: names {len(parts):,} files; at most {_MOST_PARTS} are fetched")
    try:
        exported_on = date.fromisoformat(stated)
    except ValueError as error:
        raise RequestFailed(f"{url}: '{stated}' is not a date") from error
    require_past(exported_on, url)
    return exported_on, parts


def fetch_drugsfda(web: Web, base_url: str, folder: Path, known: Known) -> Sequence[Path]:
    """Fetch the Drugs@FDA zip if it has changed; its name has the day of its last change."""

    def place(done: Landed) -> Path | None:
        if known.has(done):
            return None
        return free_place(folder, f"drugsatfda-{_changed_on(done)}", ".zip", done)

    path = web.download(base_url, folder, place, unless=known.fetched.get(bare(base_url)))
    return [] if path is None else [path]


def _changed_on(done: Landed) -> date:
    fetched_on = datetime.fromisoformat(done.fetched_at).date()
    try:
        changed_on = parsedate_to_datetime(done.last_modified or "").date()
    except (ValueError, TypeError):
        return fetched_on
    return fetched_on if is_ahead(changed_on) else changed_on
