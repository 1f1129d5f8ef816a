"""tracker publish and verify-site: the static track-record site and its verification."""

from pathlib import Path

import click

from tracker.cli.common import Settings, Sha256, progress
from tracker.cli.terminal import say, say_command
from tracker.cli.timestamps import authorities_option, configuration_in


@click.command(epilog="Example: tracker publish --out site/")
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="The folder of the site; an earlier site there is replaced.",
)
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
    help="The same, with the npm package @duckdb/duckdb-wasm 1.28.0 unpacked in this folder.",
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
    server. The same store yields the same bytes. If a configuration names timestamping authorities,
    slates without a timestamp get one first, and so does the log.
    """
    # Imported here: the drawing libraries take longer to import than most commands take to run.
    from tracker import refresh
    from tracker.site import publishing

    configured = configuration_in(config)
    with progress() as notify:
        if configured is not None:
            asked = refresh.prove(configured, db=settings.db, wait=settings.wait, progress=notify)
            for one in asked:
                words = f"{one.origin}: {one.status}" + (f": {one.problem}" if one.problem else "")
                say(words, err=True)
        done = publishing.publish(settings.db, folder, notify, console_from or has_console)
    say(
        f"published {done.n_slates:,} slates to {done.folder}: {done.n_files:,} files, "
        f"{done.n_bytes / 1e6:,.1f} MB, as known on {done.as_of.date()}"
    )
    say(done.words)
    say(f"open {done.folder / 'index.html'}", err=True)


@click.command("verify-site", epilog="Example: tracker verify-site site/")
@click.argument("site", metavar="URL_OR_DIR")
@click.option(
    "--sha256",
    type=Sha256(),
    metavar="HASH",
    help="The hash of a slate that you were given elsewhere, when it was frozen.",
)
@click.option(
    "--against",
    metavar="OLDER",
    help="An older copy of the site, or its downloads/head.json: no slate may be missing since.",
)
def verify_site(site: str, sha256: str | None, against: str | None) -> None:
    """Verify a published site without relying on its scripts.

    With --sha256, the hash of this slate is recomputed from its published rows, and its page and
    downloads are compared with them. Without, every file is compared with the site's own manifest
    and every slate recomputed, which proves only that the site is consistent with itself. Either
    way the register is checked: numbers without gaps, slates in the log, timestamps. Exits with
    code 4 and the first differences, one per line.
    """
    from tracker.site import verification

    with progress() as notify:
        done = verification.verify(site, sha256, notify, against)
    say("checked:", *(f"  {line}" for line in done.checked))
    say("not checked:", *(f"  {line}" for line in done.not_checked))
    for line, command in done.commands:
        say_command(f"  {line}", command)
