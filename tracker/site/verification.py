"""Verifies a published site from outside: a folder or an address, and the hash obtained elsewhere.

The rule for a slate's page is in tracker.site.page_rule.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from tracker.errors import CheckFailed, InputRefused
from tracker.files import json_file
from tracker.progress import Progress
from tracker.report import words
from tracker.site import (
    download_lines,
    downloads,
    log_rule,
    markup,
    page_rule,
    page_structure,
)
from tracker.site.files import MANIFEST
from tracker.site.layout import assets, slate_path
from tracker.site.log_rule import Logged
from tracker.site.opened import LONGEST_MANIFEST, OpenedSite, open_site
from tracker.slates import log_proofs
from tracker.slates.exports import DATA_FILES
from tracker.version import VERSION

_MOST_ROWS_BYTES = 1 << 30
_MOST_DIFFERENCES = 20

_OF_SLATE = re.compile(r"slates/([0-9a-f-]{36})(?:\.html|/.*)")
_ROWS_FILE = re.compile(r"slates/([0-9a-f-]{36})/rows-[0-9]+\.js")

_HEADER: json_file.Fields = {
    "slate_id": json_file.SLATE_ID,
    "description": (json_file.is_text, "text"),
    "model_version": (json_file.is_text, "text"),
    "frozen_on": (json_file.parses(date.fromisoformat), "a date (YYYY-MM-DD)"),
    "created_at": json_file.INSTANT,
    "n_predictions": (lambda value: type(value) is int, "a number of rows"),
    "is_replay": (lambda value: isinstance(value, bool), "true or false"),
    **{
        f"{name}_sha256": (json_file.optional(json_file.is_sha256), "a SHA-256")
        for name in ("previous", "candidate", "label", "alias")
    },
}

_NOT_CHECKED = (
    "who froze a slate, and when in reality",
    "outcomes, status, evidence, figures, charts, verdicts, every sentence, and where links lead",
    "what a page does once its search or its button is used: both load further files of the site",
)
_ONLY_CONSISTENT = (
    "whether a SHA-256 is the one that was published at the freeze: this proves only that the site "
    "is consistent with itself; give the one you received elsewhere with --sha256"
)


class _Unreadable(Exception):
    """A file is not as the manifest lists it, already recorded as a difference, or is not text."""


@dataclass
class Verified:
    """The parts that were compared and found equal, and those not compared.

    `commands` compare further parts, each after a text that says which.
    """

    checked: list[str]
    not_checked: list[str]
    commands: list[tuple[str, str]]


@dataclass
class _Slate:
    """A slate's canonical bytes as published with its page, and the rows its page must have."""

    sha256: str
    header_line: str
    header: dict[str, Any]
    lines: list[str]
    expected: list[page_rule.Expected]


def verify(
    location: str, sha256: str | None, progress: Progress, against: str | None = None
) -> Verified:
    """Compare a site with the hash of one of its slates, or with its own manifest.

    With `sha256`, the slate that claims this hash: its rows, page, downloads, proof and timestamps.
    Without, every file and every slate. With `against`, an older copy of the site or a head that it
    had, also that no slate was taken from the register since. Raises CheckFailed with the first
    differences, one per line, and InputRefused where there is no site to verify.
    """
    site = open_site(location)
    logged = _register(site)
    ids = sorted({found[1] for path in site.entries if (found := _OF_SLATE.fullmatch(path))})
    if sha256 is None:
        _check_files(site, location, progress)
        chosen = ids
    else:
        chosen = [one for one in ids if sha256 in _claimed_hashes(site, one)]
        if not chosen and not (logged and _listed(logged, sha256)):
            raise CheckFailed(f"no slate of this site has the SHA-256 {sha256}")
    checked, not_checked = _check_assets(site)
    commands = []
    for slate_id in chosen:
        progress(f"slate {slate_id}")
        slate = _check_slate(site, slate_id, sha256)
        if slate is not None:
            checked.append(_describe(slate))
            not_checked += _unchecked_names(slate)
            listed = None if logged is None else logged.find(slate_id)
            if listed is not None and listed["content_sha256"] != slate.sha256:
                site.differences.append(
                    f"{slate_path(slate_id)}: its SHA-256 is not that of the register, "
                    f"{listed['content_sha256']}"
                )
    if logged is not None:
        wanted = logged.slates if sha256 is None else _listed(logged, sha256)
        site.differences += log_rule.differences(logged, ids, site.as_of)
        proofs = log_rule.check_slates(site.content, logged, wanted)
        site.differences += proofs.differences
        checked += [*proofs.checked, *_withheld(wanted)]
        commands = proofs.commands
        if against is not None:
            checked.append(_check_against(site, logged, against))
    if site.differences:
        raise CheckFailed(_first_lines(site.differences))
    if sha256 is None:
        checked.append(f"the SHA-256 and size of {len(site.entries):,} files are as in {MANIFEST}")
        return Verified(checked, [_ONLY_CONSISTENT, *_NOT_CHECKED, *not_checked], commands)
    checked.append(f"the SHA-256 and size of the files read are as in {MANIFEST}")
    others = "pages of drugs and diseases, other slates, CSV files"
    return Verified(checked, [*_NOT_CHECKED, others, *not_checked], commands)


def _register(site: OpenedSite) -> Logged | None:
    """Return the register; None, and differences, where it is not as it should be."""
    try:
        return log_rule.read(site.content)
    except InputRefused as error:
        site.differences.append(str(error))
        return None


def _listed(logged: Logged, sha256: str) -> list[dict[str, Any]]:
    return [one for one in logged.slates if one["content_sha256"] == sha256]


def _withheld(listed: list[dict[str, Any]]) -> list[str]:
    return [
        f"slate {one['slate_id']}, number {one['number']:,}, is withheld until "
        f"{one['withheld_until']}: only its place in the log and its timestamps were checked"
        for one in listed
        if one["withheld_until"] is not None
    ]


def _check_against(site: OpenedSite, logged: Logged, against: str) -> str:
    """Compare the register with an older copy of the site, or its head with an older one."""
    if Path(against).is_file():
        before = log_proofs.read_head(Path(against))
        site.differences += log_rule.head_since(logged.head, before)
        return (
            f"the head is of the log of {against}, and covers as many entries or more; that it "
            "begins with those is shown by 'tracker log verify' in the store"
        )
    older = open_site(against)
    old = _register(older)
    if old is None:
        raise InputRefused(f"{against}: {'; '.join(older.differences)}")
    site.differences += log_rule.since(logged, old)
    return f"the {words.count(len(old.slates), 'slate')} that {against} lists are listed as there"


def _check_assets(site: OpenedSite) -> tuple[list[str], list[str]]:
    """Compare what pages load with this tracker's; return what was checked and what was not."""
    own = VERSION
    if site.tracker != own:
        return [], [
            "the site's style sheet and scripts, which can hide or replace what a page shows: they "
            f"are of tracker {words.short(site.tracker)}, and this is tracker {own}"
        ]
    for path, text in assets().items():
        content = site.content(path)
        if content is not None and content != text.encode():
            site.differences.append(f"{path}: is not that of tracker {own}")
    return [f"the style sheet and scripts are those of tracker {own}"], []


def _check_files(site: OpenedSite, location: str, progress: Progress) -> None:
    for number, path in enumerate(site.entries, start=1):
        if number % 100 == 1:
            progress(f"file {number:,} of {len(site.entries):,}")
        site.content(path)
    folder = Path(location)
    if folder.is_dir():
        present = {
            one.relative_to(folder).as_posix() for one in folder.rglob("*") if not one.is_dir()
        }
        site.differences += [
            f"{path}: is not in the manifest"
            for path in sorted(present - {MANIFEST, *site.entries})
        ]


def _claimed_hashes(site: OpenedSite, slate_id: str) -> set[str]:
    """Return every hash that the site states for a slate, on its page or in its download."""
    text = " ".join(
        (site.read(path, LONGEST_MANIFEST) or b"").decode("utf-8", "replace")
        for path in (slate_path(slate_id), f"{downloads.folder_of(slate_id)}/manifest.json")
    )
    shown = re.findall(r'<p class="hash"><code>([0-9a-f]{64})|"content_sha256": "(\w+)"', text)
    return {one for pair in shown for one in pair}


def _check_slate(site: OpenedSite, slate_id: str, sha256: str | None) -> _Slate | None:
    """Compare a slate's rows, page and downloads; differences are added to the site."""
    before = len(site.differences)
    slate = _read_slate(site, slate_id)
    if slate is None:
        return None
    path = slate_path(slate_id)
    try:
        page = markup.parse(_text(site, path))
        wanted = sha256 or page_rule.shown_sha256(page)
        if slate.sha256 != wanted:
            site.differences.append(
                f"{path}: the published rows have the SHA-256 {slate.sha256}, not {wanted}"
            )
            return None
        n, n_frozen = len(slate.lines), slate.header["n_predictions"]
        if n != n_frozen:
            site.differences.append(f"{path}: {n:,} rows are published, {n_frozen:,} were frozen")
        if page_rule.shown_sha256(page) != wanted:
            site.differences.append(f"{path}: the page shows a SHA-256 other than {wanted}")
        found = page_rule.differences(page, slate.sha256, slate.header, slate.expected)
        site.differences += [f"{path}: {one}" for one in found]
    except markup.Malformed as error:
        site.differences.append(f"{path}: the markup is not as tracker writes it: {error}")
    except page_structure.Differs as error:
        site.differences.append(f"{path}: {error}")
    except _Unreadable:
        pass
    _check_downloads(site, slate_id, slate)
    return slate if len(site.differences) == before else None


def _text(site: OpenedSite, path: str) -> str:
    content = site.content(path)
    if content is None:
        raise _Unreadable
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        site.differences.append(f"{path}: is not UTF-8 (byte {error.start:,})")
        raise _Unreadable from error


def _read_slate(site: OpenedSite, slate_id: str) -> _Slate | None:
    """Read a slate's canonical bytes from the files next to its page."""
    folder = f"slates/{slate_id}"
    sizes = [
        entry["bytes"]
        for path, entry in site.entries.items()
        if (found := _ROWS_FILE.fullmatch(path)) and found[1] == slate_id
    ]
    if sum(sizes) > _MOST_ROWS_BYTES:
        site.differences.append(f"{folder}: has rows of more than {_MOST_ROWS_BYTES:,} bytes")
        return None
    path = f"{folder}/rows-0.js"
    lines: list[str] = []
    try:
        header_line = _passed_value(_text(site, path), 0)
        header = json.loads(header_line)
        json_file.require(path, header, _HEADER)
        for number in range(1, max(len(sizes), 2)):
            path = f"{folder}/rows-{number}.js"
            found = _passed_value(_text(site, path), number)
            if not isinstance(found, list) or not all(map(_is_line, found)):
                raise ValueError
            lines += found
        expected = page_rule.expected_rows(header, lines)
        digest = hashlib.sha256(header_line.encode())
        for line in lines:
            digest.update(f"{line}\n".encode())
    except _Unreadable:
        return None
    except (ValueError, TypeError, OverflowError, RecursionError, InputRefused) as error:
        reason = f": {error}" if isinstance(error, InputRefused) else ""
        site.differences.append(f"{path}: does not contain the expected rows{reason}")
        return None
    return _Slate(digest.hexdigest(), header_line, header, lines, expected)


def _passed_value(text: str, number: int) -> Any:
    """Return the value that a file of rows passes to the page; raises ValueError."""
    start, end = f"slateRows({number}, ", ");\n"
    if not text.startswith(start) or not text.endswith(end):
        raise ValueError
    return json.loads(text[len(start) : -len(end)])


def _is_line(value: object) -> bool:
    # The eleven fields of sql/prospective/prediction_line.sql.
    return isinstance(value, str) and value.count("\t") == 10 and "\n" not in value


def _check_downloads(site: OpenedSite, slate_id: str, slate: _Slate) -> None:
    """Compare a slate's download with its rows."""
    folder = downloads.folder_of(slate_id)
    path = f"{folder}/manifest.json"
    try:
        manifest = json.loads(_text(site, path))
        compact = json.dumps(
            manifest["header"], sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        listed = dict(manifest["files"])
        is_equal = manifest["content_sha256"] == slate.sha256
    except _Unreadable:
        return
    except (ValueError, KeyError, TypeError, RecursionError):
        site.differences.append(f"{path}: is not the manifest of a slate")
        return
    if not is_equal or f"{compact}\n" != slate.header_line:
        site.differences.append(f"{path}: describes a slate other than {slate.sha256}")
    for name in DATA_FILES:
        content = site.content(f"{folder}/{name}")
        if content is None:
            continue
        if hashlib.sha256(content).hexdigest() != listed.get(name):
            site.differences.append(f"{folder}/{name}: its SHA-256 is not the one in its manifest")
        if name == "predictions.parquet":
            site.differences += [
                f"{folder}/{name}: {one}"
                for one in download_lines.differences(content, slate.lines)
            ]


def _describe(slate: _Slate) -> str:
    replay = " (a replay, frozen with hindsight)" if slate.header["is_replay"] else ""
    n, shown = len(slate.lines), len(slate.expected)
    table = "all of them" if shown == n else f"the {shown:,} of best rank"
    return (
        f"slate {slate.header['slate_id']}{replay}: {n:,} published rows, the download and the "
        f"header have the SHA-256 {slate.sha256}; its page shows {table} once each, and the "
        "header's description, model version, freeze date and hashes"
    )


def _unchecked_names(slate: _Slate) -> list[str]:
    found = page_rule.unchecked_names(slate.expected)
    if not found:
        return []
    more = f" and {len(found) - 3:,} more" if len(found) > 3 else ""
    return [
        f"names next to an identifier of slate {slate.header['slate_id'][:8]}: "
        f"{', '.join(found[:3])}{more} are checked, their names are not"
    ]


def _first_lines(differences: list[str]) -> str:
    # A file that is read twice would be listed twice.
    once = list(dict.fromkeys(differences))
    lines = once[:_MOST_DIFFERENCES]
    more = len(once) - len(lines)
    return "\n".join([*lines, *([f"and {more:,} more differences"] if more else [])])
