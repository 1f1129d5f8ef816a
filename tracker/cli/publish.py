"""tracker publish: the static track-record site."""

from pathlib import Path

import click

from tracker.cli.common import Settings, progress
from tracker.cli.options import folder_option
from tracker.cli.terminal import say
from tracker.cli.timestamp import authorities_option, configuration_in


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
    from tracker.api.timestamps import authorities_to_ask
    from tracker.api.words import count

    configured = configuration_in(config)
    with progress() as notify, settings.opened(notify, write=True) as opened:
        for one in [] if configured is None else opened.prove(configured):
            words = f"{one.origin}: {one.status}" + (f": {one.problem}" if one.problem else "")
            say(words, err=True)
        done = opened.published(
            folder,
            console_from or has_console,
            authorities=authorities_to_ask((), configured),
        )
    say(
        f"published {count(done.n_slates, 'slate')} to {done.folder}: {done.n_files:,} files, "
        f"{done.n_bytes / 1e6:,.1f} MB, as known on {done.as_of.date()}"
    )
    say(done.words)
    say(f"manifest.json has the SHA-256 {done.manifest_sha256}")
    say(*(f"no timestamp of the publication: {one}" for one in done.unproved), err=True)
    say(*done.proved)
    if done.unsealed is not None:
        say(f"not sealed in the log: {done.unsealed}", err=True)
    say(f"open {done.folder / 'index.html'}", err=True)
