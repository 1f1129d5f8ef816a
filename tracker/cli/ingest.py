"""tracker ingest and release: evidence from external sources, and the ledger of releases."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tracker import plugins
from tracker.cli.common import Settings, progress
from tracker.cli.options import listing_options
from tracker.cli.output import write_rows
from tracker.cli.terminal import say

if TYPE_CHECKING:
    from tracker.api.ingesting import Ingested

# The entry points of other packages' sources (tracker.evidence.plugin_sources).
SOURCES_GROUP = "tracker.sources"

_RELEASED = click.option(
    "--released",
    "released_on",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="The day the release became public, where the source does not state it.",
)


class _Sources(click.Group):
    """The sources of tracker and of other packages."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all sources."""
        return sorted({*super().list_commands(ctx), *plugins.named(SOURCES_GROUP)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a source; tracker's own takes precedence."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        entry = plugins.named(SOURCES_GROUP).get(cmd_name)
        return None if entry is None else _command_of(entry)


def _command_of(entry: EntryPoint) -> click.Command:
    """Return the command that ingests a file of another package's source."""

    @click.command(
        entry.name,
        help=f"Store the events that {plugins.origin(entry)} reads in FILE.\n\n"
        "They are claims, as those of a file of outcomes: reports count them separately. Rows of "
        "drugs or diseases that the store does not know are left out.",
        epilog=f"Example: tracker ingest {entry.name} FILE",
    )
    @click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
    @click.pass_obj
    def command(settings: Settings, path: Path) -> None:
        with progress() as notify, settings.opened(notify, write=True) as opened:
            done = opened.ingest.source(entry.name, path)
        say(
            f"{done.source}: {done.n_added:,} new events; {done.n_named:,} of {done.n_rows:,} rows "
            "are of drugs and diseases in the store"
        )

    return command


@click.group(
    cls=_Sources,
    epilog="Example: tracker ingest chembl chembl_36.db",
    short_help="Store a release of a source of evidence.",
)
def ingest() -> None:
    """Store a release of evidence: all of it or nothing, the same content once."""


@ingest.command(epilog="Example: tracker ingest chembl chembl_36.db")
@click.argument("target", metavar="FILE_OR_URL")
@click.option("--version", metavar="V", help="The version, where the source does not state it.")
@_RELEASED
@click.pass_obj
def chembl(settings: Settings, /, target: str, **stated: Any) -> None:
    """Store the drug indications of a ChEMBL release.

    FILE_OR_URL is an official SQLite dump (or its .tar.gz), the SQLAlchemy URL of a ChEMBL
    database, or a CSV, TSV, Parquet or JSON lines file with the web service's columns
    molecule_chembl_id, efo_id, efo_term, max_phase_for_ind and, if any, mesh_id, mesh_heading,
    parent_molecule_chembl_id, drugind_id. Names and synonyms of the store's drugs become aliases;
    slates frozen before are not matched through them.
    """
    with progress() as notify, settings.opened(notify, write=True) as opened:
        done = opened.ingest.chembl(target, **stated)
    _print_ingested(done, "indications")


@ingest.command(epilog="Example: tracker ingest trials studies/ --released 2026-01-15")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@_RELEASED
@click.option(
    "--complete/--partial",
    "is_complete",
    default=None,
    help="Treat the snapshot as complete: studies missing from PATHS are recorded as removed. "
    "AACT files are complete by default.",
)
@click.pass_obj
def trials(settings: Settings, /, paths: tuple[Path, ...], **stated: Any) -> None:
    """Store the studies of ClinicalTrials.gov that are new or changed.

    PATHS are JSON of the API version 2 (a study, an array, a page of results, or one study a
    line), folders or zips of such files, or one folder or zip of AACT's pipe-delimited files. All
    together are one release; without --released its date is the latest in the names of PATHS
    (2026-01-15 or 20260115), else today (UTC). A study's date without a day counts as the first
    of its month. Files of past versions, as refresh fetch takes them from the registry's history
    (trial-history-*.jsonl), are known by their content and may come in any order.
    """
    with progress() as notify, settings.opened(notify, write=True) as opened:
        done = opened.ingest.trials(*paths, **stated)
    _print_ingested(done, "studies")


@ingest.command(
    epilog="Example: tracker ingest fda drugsatfda.zip",
    short_help="Store what is new in the FDA's submissions and products.",
)
@click.argument("path", type=click.Path(path_type=Path))
@_RELEASED
@click.option(
    "--partial",
    "is_partial",
    is_flag=True,
    help="Treat PATH as a part, such as the results of an openFDA search: missing records are not "
    "recorded as removed, and slates are not followed until its date.",
)
@click.pass_obj
def fda(settings: Settings, /, path: Path, **stated: Any) -> None:
    """Store the FDA's submissions and products that are new or changed.

    PATH is the Drugs@FDA zip or openFDA drugsfda JSON (also zipped). Without --released the date
    is that of the source: its newest file, or last_updated. JSON with fewer records than it states
    that there are is partial without being told.
    """
    with progress() as notify, settings.opened(notify, write=True) as opened:
        done = opened.ingest.fda(path, **stated)
    _print_ingested(done, "submissions and products")


@ingest.command(
    epilog="Example: tracker ingest ema medicines_output_medicines_en.xlsx",
    short_help="Store what is new in EMA's table of medicines.",
)
@click.argument(
    "paths", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@_RELEASED
@click.pass_obj
def ema(settings: Settings, /, paths: tuple[Path, ...], **stated: Any) -> None:
    """Store the products of EMA's table of medicines that are new or changed.

    FILE is the table as EMA publishes it: the spreadsheet (.xlsx), or JSON. Several are releases of
    their own, stored in the order of their dates. Without --released the date is that above the
    table, or the timestamp of the JSON, else that of the file's name. Generics, hybrids,
    biosimilars and veterinary medicines are stored, but make no event.
    """
    with progress() as notify, settings.opened(notify, write=True) as opened:
        done = opened.ingest.ema(*paths, **stated)
    for one in done:
        _print_ingested(one, "medicines")


@ingest.command(
    epilog="Example: tracker ingest ictrp ICTRP-Results.xml",
    short_help="Store what is new in the world's registries of trials.",
)
@click.argument(
    "paths", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@_RELEASED
@click.option(
    "--complete",
    "is_complete",
    is_flag=True,
    help="Treat FILE as complete: studies missing from it are recorded as removed.",
)
@click.pass_obj
def ictrp(settings: Settings, /, paths: tuple[Path, ...], **stated: Any) -> None:
    """Store the studies of WHO's registry platform ICTRP that are new or changed.

    FILE is what the search portal exports as XML, or a weekly file: CSV or a spreadsheet (.xlsx),
    also with .gz. Several are releases of their own, stored in the order of their dates. Without
    --released the date is the day of export that the file states, else that of its name. A study
    that several registries have counts once; one that ClinicalTrials.gov has shown, by its own
    record.
    """
    with progress() as notify, settings.opened(notify, write=True) as opened:
        done = opened.ingest.ictrp(*paths, **stated)
    for one in done:
        _print_ingested(one, "studies")


@ingest.command(
    epilog="Example: tracker ingest vocabulary doid.obo",
    short_help="Store a release of a vocabulary.",
)
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--source", metavar="NAME", help="Name to use instead of the file's own.")
@_RELEASED
@click.pass_obj
def vocabulary(settings: Settings, /, path: Path, **stated: Any) -> None:
    """Store a release of a vocabulary: its terms, names, parents and mappings.

    FILE is OBO (.obo), OBO Graphs JSON (.json), mappings in SSSOM (.sssom.tsv), the descriptors
    of MeSH (.xml), DrugBank's open vocabulary (.csv), or a CSV or TSV file with the columns
    term_id, name and scope (label, exact, broad, narrow or related); also with .gz. Without
    --released the date is that of the file's header, or else of its name. Releases may come in any
    order, and a slim beside its vocabulary is kept as well.
    """
    with progress() as notify, settings.opened(notify, write=True) as opened:
        done = opened.ingest.vocabulary(path, **stated)
    name = f"{done.source} {done.version} ({done.released_on})"
    if not done.is_new:
        say(f"{name} is already in the store; nothing was added")
        return
    say(
        f"ingested {name}: {done.n_terms:,} terms, {done.n_names:,} names, "
        f"{done.n_parents:,} parents, {done.n_mappings:,} mappings"
    )
    for remark in done.remarks:
        say(f"note: {remark}")


@click.group(epilog="Example: tracker release list", short_help="List the releases in the store.")
def release() -> None:
    """Show the ledger of releases."""


@release.command(
    "list",
    epilog="Example: tracker release list --format csv",
    short_help="List the releases: what each had, and what was new.",
)
@listing_options
@click.pass_obj
def list_releases(settings: Settings, form: str, output: Path | None) -> None:
    """List the releases by source and date: what each contained and what was new in it."""
    with progress() as notify, settings.opened(notify) as opened:
        rows = opened.releases
    write_rows(rows, form, output, settings)


def _print_ingested(done: Ingested, what: str) -> None:
    from tracker.api.words import SOURCES

    name = f"{SOURCES[done.source]} {done.version}"
    if not done.is_new:
        say(f"{name} ({done.released_on}) is already in the store; nothing was added")
        return
    say(
        f"ingested {name} ({done.released_on}): {done.n_rows:,} {what}, "
        f"{done.n_versions:,} new or changed, {done.n_vanished:,} vanished, "
        f"{done.n_returned:,} returned"
    )
    if done.source == "chembl":
        say(f"{done.n_aliases:,} new drug aliases")
    say(*done.notes)
    if done.remark:
        say(done.remark, err=True)
    if done.n_ambiguous:
        say(f"{done.n_ambiguous:,} names refer to more than one drug and were left out", err=True)
