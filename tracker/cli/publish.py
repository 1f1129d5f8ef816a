"""tracker publish: the static track-record site, and its verification for tracker verify."""

from pathlib import Path

import click
from click.core import ParameterSource

from tracker.cli.common import Command, Settings, Sha256, folder_option, progress
from tracker.cli.terminal import say, say_command
from tracker.cli.timestamp import (
    authorities_option,
    configuration_in,
    configured_authorities,
)


@click.command(
    epilog="Example: tracker publish -o site/", short_help="Publish all slates as a static site."
)
@folder_option(required=True, help="The folder of the site; an earlier site there is replaced.")
@click.option(
    "--console",
    "has_console",
    is_flag=True,
    help="Add a page with SQL over the published tables; DuckDB-Wasm (18 MB) comes from npm.",
)
@click.option(
    "--console-from",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Like --console, with DuckDB-Wasm from this folder: npm's @duckdb/duckdb-wasm 1.28.0.",
)
@authorities_option
@click.pass_obj
def publish(
    settings: Settings,
    folder: Path,
    *,
    has_console: bool,
    console_from: Path | None,
    config: Path | None,
) -> None:
    """Publish every slate as a static site: pages, search, downloads, hashes, a feed.

    Of a slate under embargo the site has the number, hash and date, and nothing in it.

    The site works from any folder of a web server or opened as files; the page with SQL needs a web
    server. The same store yields the same bytes. The hash of their manifest is sealed in the log of
    the store before the site is shown, unless the store cannot be written. If a configuration names
    timestamping authorities, slates without a timestamp get one first, and so do the log and, at
    the end, the publication.
    """
    # Imported here: the drawing libraries take longer to import than most commands take to run.
    from tracker.extras import refresh
    from tracker.extras.site import publishing
    from tracker.log import timestamp_proofs
    from tracker.reports.words import count

    configured = configuration_in(config)
    with progress() as notify:
        if configured is not None:
            asked = refresh.prove(configured, db=settings.db, wait=settings.wait, progress=notify)
            for one in asked:
                words = f"{one.origin}: {one.status}" + (f": {one.problem}" if one.problem else "")
                say(words, err=True)
        done = publishing.publish(
            settings.db,
            folder,
            notify,
            console_from or has_console,
            wait=settings.wait,
            authorities=configured_authorities(configured),
        )
    say(
        f"published {count(done.n_slates, 'slate')} to {done.folder}: {done.n_files:,} files, "
        f"{done.n_bytes / 1e6:,.1f} MB, as known on {done.as_of.date()}"
    )
    say(done.words)
    say(f"manifest.json has the SHA-256 {done.manifest_sha256}")
    for stamp in done.obtained:
        if stamp.verified is None:
            say(f"no timestamp of the publication: {stamp.problem}", err=True)
        else:
            say(
                timestamp_proofs.published_by(stamp.verified.generated_at, stamp.verified.authority)
            )
    if done.unsealed is not None:
        say(f"not sealed in the log: {done.unsealed}", err=True)
    say(f"open {done.folder / 'index.html'}", err=True)


def site_options(command: Command) -> Command:
    """Add the options that say what a site is compared with."""
    for option in (
        click.option(
            "--render",
            "is_drawn",
            is_flag=True,
            help="Draw the site again from the store and compare every byte.",
        ),
        click.option(
            "--against",
            metavar="OLDER",
            help="An older copy of the site, or a head of its log: no slate may be missing since.",
        ),
        click.option(
            "--sha256",
            type=Sha256(),
            metavar="HASH",
            help="The hash of manifest.json or of a slate that you were given elsewhere.",
        ),
    ):
        command = option(command)
    return command


def verify_site(
    context: click.Context, site: str, sha256: str | None, against: str | None, *, is_drawn: bool
) -> None:
    """Verify a published site without relying on its scripts.

    Every file is compared with the site's own manifest, and the hash of every slate is recomputed
    from its published rows. With --sha256 of manifest.json, as 'tracker publish' prints it, that
    fixes every byte; of a slate, only its rows and downloads. Without, it proves only that the site
    is consistent with itself. Either way the register is checked: numbers without gaps, slates in
    the log, timestamps. Exits with code 4 and the first differences, one per line.

    With the store, 'tracker --db STORE verify SITE', the manifest must be one that the store
    published. --render shows that the pages say what the store says; it takes the version of
    tracker that published the site, and the store as it was then.
    """
    from tracker.extras.site import verification

    settings: Settings = context.obj
    # TRACKER_DB may name a store that has nothing to do with this site.
    is_given = context.find_root().get_parameter_source("db") is ParameterSource.COMMANDLINE
    with progress() as notify:
        done = verification.verify(
            site,
            sha256,
            notify,
            against,
            settings.db if is_given or is_drawn else None,
            is_drawn=is_drawn,
        )
    say("checked:", *(f"  {line}" for line in done.checked))
    say("not checked:", *(f"  {line}" for line in done.not_checked))
    for line, command in done.commands:
        say_command(f"  {line}", command)
