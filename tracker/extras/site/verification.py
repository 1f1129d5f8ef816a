"""Verifies a published site from outside: a folder or an address, and a hash obtained elsewhere.

It compares every file with the manifest, hashes the bytes of each slate, and applies the rule of
tracker.extras.site.log_rule. It does not read pages: a hash of the manifest from elsewhere fixes
their bytes, and only drawing them again shows that they agree with the store.
"""

import json
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tracker import schema, scratch, store
from tracker.errors import CheckFailed, InputRefused
from tracker.extras.site import (
    consistency,
    console,
    log_rule,
    publications,
    published_slate,
    publishing,
    register,
)
from tracker.extras.site.files import MANIFEST, PROOF, SCRIPT, TOKENS, is_unlisted
from tracker.extras.site.layout import assets
from tracker.extras.site.log_rule import Found, Logged
from tracker.extras.site.opened import OpenedSite, open_site
from tracker.files import json_file
from tracker.log import exported_timestamps, timestamp_proofs, tree_proofs
from tracker.log.sealing import Head
from tracker.log.timestamps.replies import MAX_REPLY_BYTES
from tracker.log.tree_proofs import Included
from tracker.progress import Progress
from tracker.reports import words
from tracker.version import VERSION

_MOST_DIFFERENCES = 20
_LONGEST_PROOF = 1 << 20

_PAGE = re.compile(r"slates/([0-9a-f-]{36})\.html")

_WHO = "who froze a slate, and when in reality"
_WHAT_PAGES_SAY = (
    "whether pages say what the store says: outcomes, status, evidence, figures, charts, verdicts, "
    "every sentence, and where links lead; who has the store can compare them with --render"
)
_WHETHER_TRUE = (
    "whether the store is as it was sealed, which 'tracker check' shows, and what it says is true"
)
_ONLY_CONSISTENT = (
    "whether the manifest and the hashes of slates are those that were published: this proves only "
    "that the site is consistent with itself; give the SHA-256 of manifest.json or of a slate, as "
    "you received it elsewhere, with --sha256"
)
_ONLY_ONE_SLATE = (
    "every page, also that of this slate, other slates, and CSV files: the SHA-256 of "
    "manifest.json covers them, that of a slate does not"
)
_NOT_SEALED = f"when the manifest was fixed: the site has no {PROOF}, so it may not be sealed"


@dataclass
class Verified:
    """The parts that were found equal, and those not compared.

    `commands` compare further parts, each after a text that names them.
    """

    checked: list[str]
    not_checked: list[str]
    commands: list[tuple[str, str]]


def verify(
    location: str,
    sha256: str | None,
    progress: Progress,
    against: str | None = None,
    db: Path | None = None,
    *,
    is_drawn: bool = False,
) -> Verified:
    """Compare a site with the hash of its manifest or of one of its slates, or with its manifest.

    For a slate's `sha256`: its rows, download, proof and timestamps. For the manifest's, or without
    one: every file and every slate. `against`, an older copy of the site or a head of its log, adds
    that the register has lost no slate since. `db`, the store, adds that it published the manifest
    and, if `is_drawn`, that it yields every file. Raises CheckFailed with the first differences,
    one per line, and InputRefused if there is no site to verify, or the store cannot yield it.
    """
    site = open_site(location)
    logged = _register(site)
    of_slate = None if sha256 == site.sha256 else sha256
    wanted = [] if logged is None else logged.slates
    if of_slate is not None and logged is not None:
        found = [one for one in wanted if one["content_sha256"] == of_slate]
        if not found:
            raise CheckFailed(
                f"neither the manifest of this site nor a slate in its register has the SHA-256 "
                f"{sha256}; the manifest has {site.sha256}"
            )
        wanted = wanted if is_drawn else found
    is_whole = is_drawn or of_slate is None
    if is_whole:
        _check_files(site, location, progress)
    checked, not_checked = _check_assets(site)
    commands = []
    is_fixed = sha256 == site.sha256
    pages = {page[1] for path in site.entries if (page := _PAGE.fullmatch(path))}
    for listed in wanted:
        if listed["slate_id"] in pages:
            progress(f"slate {listed['slate_id']}")
            checked += published_slate.check(site, listed)
    if logged is not None:
        site.differences += log_rule.differences(logged, pages, site.as_of)
        of_slates = log_rule.check_slates(site.content, logged, wanted)
        site.differences += of_slates.differences
        checked += [*of_slates.checked, *_withheld(wanted)]
        commands = of_slates.commands
        sealed, stamped = _check_publication(site, logged)
        checked += stamped.checked
        commands += stamped.commands
        if sealed is None:
            not_checked.append(_NOT_SEALED)
        else:
            checked.append(
                f"{MANIFEST} is entry {sealed.index:,} of the log up to a head of "
                f"{sealed.head.n_entries:,} entries"
            )
        if is_whole and site.tracker == VERSION and not site.differences:
            progress("comparing what is said twice")
            site.differences += consistency.differences(site, logged)
            checked.append(
                "the index, the register as CSV, tables as CSV and the descriptions say what the "
                "files say that they restate"
            )
        if against is not None:
            is_fixed |= _check_against(site, logged, sealed, against, checked)
        if db is not None:
            is_fixed |= _check_store(site, logged, db, checked, may_lack=is_drawn and not sealed)
        if db is not None and is_drawn and not site.differences:
            checked.append(_check_drawn(site, logged, db, progress))
    if site.differences:
        raise CheckFailed(_first_lines(site.differences))
    n_files = f"{len(site.entries):,} files" if is_whole else "the files read"
    checked.append(f"the SHA-256 and size of {n_files} are as in {MANIFEST}")
    if is_fixed:
        checked.append(f"{MANIFEST} has the SHA-256 {site.sha256}, which fixes every byte it lists")
    if not is_whole:
        not_checked.append(_ONLY_ONE_SLATE)
    elif not (is_fixed or is_drawn):
        not_checked.append(_ONLY_CONSISTENT)
    about_pages = _WHETHER_TRUE if is_drawn else _WHAT_PAGES_SAY
    return Verified(checked, [_WHO, about_pages, *not_checked], commands)


def _register(site: OpenedSite) -> Logged | None:
    """Return the register; None, noting a difference, if it has another format."""
    try:
        return log_rule.read(site.content)
    except InputRefused as error:
        site.differences.append(str(error))
        return None


def _withheld(listed: list[dict[str, Any]]) -> list[str]:
    return [
        f"slate {one['slate_id']}, number {one['number']:,}, is withheld until "
        f"{one['withheld_until']}: only its place in the log and its timestamps were checked"
        for one in listed
        if one["withheld_until"] is not None
    ]


def _check_publication(site: OpenedSite, logged: Logged) -> tuple[Included | None, Found]:
    """Return the log entry that seals a site's manifest, and the results of its timestamps.

    Without proof of a seal there is no entry, and possibly a difference.
    """
    given, proof, entry, found = site.read(PROOF, _LONGEST_PROOF), None, None, Found()
    try:
        if given is not None:
            proof = json_file.document(PROOF, given)
            entry = tree_proofs.included(PROOF, proof)
            stated = (entry.table, entry.row.get("manifest_sha256"))
            if stated != (schema.publication.name, site.sha256):
                raise CheckFailed(f"{PROOF}: the entry of the log is of another manifest")
            if tree_proofs.grown_since(PROOF, proof, entry.head) != logged.head:
                raise CheckFailed(f"{PROOF}: its from_head is not {register.HEAD}")
            _read_tokens(site, publications.head_sha256(proof), found)
    except (InputRefused, CheckFailed) as error:
        site.differences.append(str(error))
        return None, found
    script = publications.script_text(site.manifest, proof).encode()
    if site.read(SCRIPT, len(script) + 1) != script:
        site.differences.append(f"{SCRIPT}: differs from {MANIFEST} and {PROOF}")
    return entry, found


def _read_tokens(site: OpenedSite, sha256: str, found: Found) -> None:
    """Verify the timestamps, if any, of the head that covers the publication."""
    roots = site.read(f"{TOKENS}/{exported_timestamps.ROOTS}", _LONGEST_PROOF) or b""
    number = 1
    while reply := site.read(f"{TOKENS}/{number}.tsr", MAX_REPLY_BYTES + 1):
        path = f"{TOKENS}/{number}.tsr"
        log_rule.check_signature(path, reply, sha256, roots, found, timestamp_proofs.published_by)
        number += 1


def _check_against(
    site: OpenedSite, logged: Logged, sealed: Included | None, against: str, checked: list[str]
) -> bool:
    """Compare with an older copy or a head; return whether that fixes the manifest."""
    if not Path(against).is_file():
        older = open_site(against)
        old = _register(older)
        if old is None:
            raise InputRefused(f"{against}: {'; '.join(older.differences)}")
        site.differences += log_rule.since(logged, old)
        slates = words.count(len(old.slates), "slate")
        checked.append(f"the {slates} that {against} lists are listed as there")
        if sealed is None and older.read(PROOF, _LONGEST_PROOF) is not None:
            site.differences.append(
                f"{PROOF}: is missing, and {against} has one: nothing shows that this manifest was "
                "sealed"
            )
        if not site.differences:
            _check_beginning(site, logged, old.head, against, checked)
        if not site.differences:
            site.differences += consistency.from_older(site, older, against)
        return False
    before = tree_proofs.read_head(Path(against))
    is_later = sealed is not None and before.n_entries > logged.head.n_entries
    head = sealed.head if sealed is not None and is_later else logged.head
    site.differences += log_rule.head_since(head, before)
    if site.differences:
        return False
    if is_later and before.n_entries == head.n_entries:
        checked.append(f"the head of {against} is that by which {MANIFEST} is an entry of the log")
        return True
    if is_later:
        checked.append(
            f"the head is of the log of {against}, between the head of this site and that of its "
            "publication; that it begins with those is shown by 'tracker verify' in the store"
        )
    else:
        _check_beginning(site, logged, before, against, checked)
    return False


def _check_beginning(
    site: OpenedSite, logged: Logged, before: Head, against: str, checked: list[str]
) -> None:
    """Require the site's proof that its log begins with that of an earlier head."""
    if before.n_entries < logged.head.n_entries:
        path = register.EARLIER_HEADS
        content = site.content(path)
        if content is None:
            return
        try:
            earlier = json_file.document(path, content)
            if not tree_proofs.begins_with(path, earlier, logged.head, before):
                raise CheckFailed(
                    f"{path}: the log never had a head of {before.n_entries:,} entries, which "
                    f"{against} has: history was rewritten"
                )
        except (InputRefused, CheckFailed) as error:
            site.differences.append(str(error))
            return
    checked.append(
        f"the log begins with the {before.n_entries:,} entries of that of {against}: nothing that "
        "was sealed by then was altered"
    )


def _check_store(
    site: OpenedSite, logged: Logged, db: Path, checked: list[str], *, may_lack: bool
) -> bool:
    """Compare the store's log with the site's; return whether the store published the manifest."""
    with store.reader(db, from_rows=True) as connection:
        try:
            tree_proofs.require_beginning(connection, logged.head, register.HEAD)
            proof = publications.prove(connection, site.sha256, logged.head)
        except CheckFailed as error:
            site.differences.append(str(error))
            return False
    if proof is None:
        if not may_lack:
            site.differences.append(
                f"{MANIFEST}: no publication in the log of {db} has its SHA-256, {site.sha256}"
            )
        return False
    number = json.loads(proof["line"])["publication_id"]
    checked.append(f"{MANIFEST} is that of publication {number:,} in the log of {db}")
    return True


def _check_drawn(site: OpenedSite, logged: Logged, db: Path, progress: Progress) -> str:
    """Draw the site again from its store and compare every file; say what was compared.

    Raises InputRefused if the store's current content cannot yield the site.
    """
    if site.tracker != VERSION:
        raise InputRefused(
            f"the site was published by tracker {words.short(site.tracker)}, and this is tracker "
            f"{VERSION}: only the same version draws the same pages"
        )
    engine = partial(console.engine_of, site.content) if console.PATH in site.entries else None
    with (
        scratch.folder() as folder,
        store.reader(db, writes_to=folder, from_rows=True) as connection,
    ):
        head = publications.shown_head(connection)
        if head.n_entries != logged.head.n_entries:
            raise InputRefused(
                f"{db}: was written since the site was published: its log has {head.n_entries:,} "
                f"entries, and that of the site {logged.head.n_entries:,}; only a copy of the "
                "store from then draws the same site"
            )
        files, _, _ = publishing.draw(connection, folder, engine, progress)
    listing = files.listing()
    drawn_sha256 = listing.pop(MANIFEST)["sha256"]
    for path in sorted(listing.keys() | site.entries.keys()):
        if listing.get(path) != site.entries.get(path):
            how = "is not drawn" if path not in listing else "is not what is drawn"
            site.differences.append(f"{path}: {how} from the store")
    if drawn_sha256 != site.sha256 and not site.differences:
        site.differences.append(f"{MANIFEST}: is not what is drawn from the store")
    return f"all {len(listing):,} files are, byte for byte, what tracker {VERSION} draws from {db}"


def _check_assets(site: OpenedSite) -> tuple[list[str], list[str]]:
    """Compare the assets with this tracker's; return what was checked and what was not."""
    if site.tracker != VERSION:
        return [], [
            "the site's style sheet and scripts, which can hide or replace what a page shows: they "
            f"are of tracker {words.short(site.tracker)}, and this is tracker {VERSION}"
        ]
    for path, text in assets().items():
        content = site.content(path)
        if content is not None and content != text.encode():
            site.differences.append(f"{path}: is not that of tracker {VERSION}")
    return [f"the style sheet and scripts are those of tracker {VERSION}"], []


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
            for path in sorted(present - site.entries.keys())
            if not is_unlisted(path)
        ]


def _first_lines(differences: list[str]) -> str:
    # A file read twice would be listed twice.
    once = list(dict.fromkeys(differences))
    lines = once[:_MOST_DIFFERENCES]
    if len(once) > len(lines):
        lines.append(f"and {len(once) - len(lines):,} more differences")
    return "\n".join(lines)
