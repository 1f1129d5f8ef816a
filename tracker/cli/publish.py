"""tracker publish: the static track-record site."""

from pathlib import Path

import click

from tracker.cli.common import Settings, progress


@click.command(epilog="Example: tracker publish --out site/")
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="The folder of the site; an earlier site there is replaced.",
)
@click.pass_obj
def publish(settings: Settings, folder: Path) -> None:
    """Publish every slate as a static site: pages, search, downloads, hashes, a feed.

    The site works from any folder of any web server, or opened as files. The same store gives the
    same bytes.
    """
    # It draws with libraries that take longer to import than most commands take to run.
    from tracker.publishing import site

    with progress() as tell:
        done = site.publish(settings.db, folder, tell)
    click.echo(
        f"published {done.n_slates:,} slates to {done.folder}: {done.n_files:,} files, "
        f"{done.n_bytes / 1e6:,.1f} MB, as known on {done.as_of.date()}"
    )
    click.echo(f"open {done.folder / 'index.html'}", err=True)
