"""Compares files with the same content: the index, CSV and Parquet, descriptions, an older copy.

Whoever rebuilds a manifest can alter one of them and not the other. Hashes in the register and of
slates serve as the reference where there are any, the other copy where there are none.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import duckdb

from tracker import formulas, scratch
from tracker.errors import InputRefused
from tracker.extras.site import console, datasets, download_lines, downloads, register
from tracker.extras.site.log_rule import Logged
from tracker.extras.site.opened import OpenedSite
from tracker.files import json_file
from tracker.reports.pages.page import Hash
from tracker.rows import to_csv
from tracker.store import statements

_INDEX, _PACKAGE, _CROISSANT = "index.html", "datapackage.json", "croissant.json"
_ROW = re.compile(r'<tr><td data-th="number">.*?</tr>', re.DOTALL)
# Markup that an index never has, and that makes a browser show less than the text has.
_HIDES = re.compile(r"<!--|<template|<noscript|<style|\sstyle=|<tbody [^>]*hidden|<tr [^>]*hidden")
_TABLES = (downloads.SCOREBOARD, downloads.SLATES)


def differences(site: OpenedSite, logged: Logged) -> list[str]:
    """Return where files of a site contradict the register, the manifest or each other.

    The site must have been published by this version of tracker, which writes the same bytes.
    """
    found = [*_of_index(site, logged), *_of_register(site, logged), *_of_package(site)]
    shown = [one for one in logged.slates if one["withheld_until"] is None]
    for listed in shown:
        for stem in ("prediction", "outcome"):
            path = f"{downloads.folder_of(listed['slate_id'])}/{stem}s"
            found += _of_copy(site, path, f"harmless_{stem}")
    for path in _TABLES:
        if f"{path}.csv" in site.entries or f"{path}.parquet" in site.entries:
            found += _of_copy(site, path, None)
    return found


def from_older(site: OpenedSite, older: OpenedSite, place: str) -> Iterator[str]:
    """Yield where a site contradicts an older copy of it, at a place, on what cannot change.

    The heads of the log that both list are equal. If both show the same head, as of the same
    instant, by the same version of tracker, so is every file.
    """
    heads, before = _heads(site), _heads(older)
    for number in sorted(heads.keys() & before.keys()):
        if heads[number] != before[number]:
            yield f"{register.EARLIER_HEADS}: head {number:,} is not as {place} has it"
    drawn, then = (
        (one.tracker, one.as_of, max(of), console.PATH in one.entries)
        for one, of in ((site, heads), (older, before))
    )
    if drawn == then:
        for path in sorted(site.entries.keys() | older.entries.keys()):
            if site.entries.get(path) != older.entries.get(path):
                yield f"{path}: differs from that of {place}, which shows the same head of the log"


def _heads(site: OpenedSite) -> dict[int, dict[str, Any]]:
    """Return the log heads that a site lists, by number, without their proofs."""
    heads = [json_file.document(register.HEAD, site.content(register.HEAD) or b"")]
    if register.EARLIER_HEADS in site.entries:
        content = site.content(register.EARLIER_HEADS) or b""
        heads += json_file.document(register.EARLIER_HEADS, content)
    return {one["head_id"]: {**one, "consistency_path": None} for one in heads}


def _of_index(site: OpenedSite, logged: Logged) -> Iterator[str]:
    text = (site.content(_INDEX) or b"").decode("utf-8", "replace")
    words = register.words_of([one["withheld_until"] for one in logged.slates])
    said = (f">Drug-disease predictions: {words}. As known on ", f'<p class="note">{words}. Every')
    if logged.slates and not all(one in text for one in said):
        yield f"{_INDEX}: does not say '{words}', as the register does"
    if _HIDES.search(text) or text.count('id="register"') > 1:
        yield f"{_INDEX}: hides a part of itself, or has two registers"
    rows = _ROW.findall(text.partition('id="register"')[2].partition("</section>")[0])
    if len(rows) != len(logged.slates):
        yield f"{_INDEX}: lists {len(rows):,} slates, and the register {len(logged.slates):,}"
        return
    for row, one in zip(rows, logged.slates, strict=True):
        sha256 = Hash(one["content_sha256"])
        stated = (
            f">{one['number']:,}</td>",
            one["slate_id"][:8],
            f'title="{sha256.digits}">{sha256.shown}</code></td>',
            f'data-th="frozen on">{one["frozen_on"]}, ',
        )
        if not all(part in row for part in stated):
            yield f"{_INDEX}: slate {one['number']:,} is not as the register has it"


def _of_register(site: OpenedSite, logged: Logged) -> Iterator[str]:
    path = f"{register.REGISTER}.csv"
    if site.content(path) not in (None, register.csv_of(logged.slates).encode()):
        yield f"{path}: differs from {register.REGISTER}.json"


def _of_package(site: OpenedSite) -> Iterator[str]:
    """Compare the descriptions for machines with the manifest and with each other."""
    content, croissant = site.content(_PACKAGE), site.content(_CROISSANT)
    if content is None or croissant is None:
        return
    try:
        package = json_file.document(_PACKAGE, content)
        stated = {one["path"]: (one["bytes"], one["hash"]) for one in package["resources"]}
        expected = json.dumps(datasets.croissant(package), indent=1, ensure_ascii=False) + "\n"
    except (InputRefused, KeyError, TypeError, AttributeError):
        yield f"{_PACKAGE}: is not the description of a site's downloads"
        return
    listed = {
        path: (one["bytes"], f"sha256:{one['sha256']}")
        for path, one in site.entries.items()
        if path.startswith("downloads/") and any(path.endswith(end) for end in downloads.FORMATS)
    }
    altered = sorted(
        path for path in stated.keys() | listed.keys() if stated.get(path) != listed.get(path)
    )
    if altered:
        yield f"{_PACKAGE}: describes {altered[0]} otherwise than the manifest"
    if croissant != expected.encode():
        yield f"{_CROISSANT}: differs from {_PACKAGE}"


def _of_copy(site: OpenedSite, path: str, statement: str | None) -> Iterator[str]:
    text, content = site.content(f"{path}.csv"), site.content(f"{path}.parquet")
    if text is None or content is None:
        return
    with scratch.folder() as folder:
        source = folder / "table.parquet"
        source.write_bytes(content)
        try:
            with download_lines.confined(source, folder) as connection:
                expected = _as_csv(connection, str(source), folder / "table.csv", statement)
        except (duckdb.Error, InputRefused):
            yield f"{path}.parquet: is not a table that a site has"
            return
    if text != expected:
        yield f"{path}.csv: differs from {path}.parquet"


def _as_csv(connection: Any, source: str, target: Any, statement: str | None) -> bytes:
    if statement is None:
        result = connection.execute("select * from read_parquet(?)", [source])
        columns = [column[0] for column in result.description]
        return to_csv(columns, result.fetchall()).encode()
    connection.execute(formulas.HARMLESS)
    select = statements.find(statement).select.replace(":source", "$source")
    given = {"source": source, "target": str(target)}
    connection.execute(f"copy ({select}) to $target (format csv)", given)
    return bytes(target.read_bytes())
