"""tracker spark: freezes and evaluations of candidates that Spark reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tracker.cli.common import Settings
from tracker.cli.retrospective import evaluate
from tracker.cli.slate import freeze

_SPARK_OPTIONS = (
    click.Option(
        ["--scratch"],
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        metavar="FOLDER",
        help="Where the tables are put for Spark to read; every worker must see it.  "
        "[default: TRACKER_TEMP, or the system's]",
    ),
    click.Option(
        ["--master"],
        default="local[*]",
        show_default=True,
        metavar="URL",
        help="local[N], spark://HOST:PORT, or sc://HOST:PORT for Spark Connect.",
    ),
)


@click.group(
    epilog="Example: tracker spark freeze --candidates whole --labels 2026q1 --description Q1",
    short_help="Freeze and evaluate candidates on Apache Spark.",
)
def spark() -> None:
    """Freeze and evaluate candidates that Apache Spark reads; the rows are those of DuckDB.

    Needs Java 17, and pip install '.[spark]' in a checkout.
    """


def _on_spark(original: click.Command, what: str, example: str) -> click.Command:
    """Return a copy of a command whose candidates Spark reads."""

    def run(settings: Settings, /, master: str, scratch: Path | None, **chosen: Any) -> None:
        click.get_current_context().obj = replace(settings, spark=master, scratch=scratch)
        if original.callback is not None:
            original.callback(**chosen)

    return click.Command(
        original.name,
        params=[*original.params, *_SPARK_OPTIONS],
        callback=click.pass_obj(run),
        help=what,
        epilog=f"Example: {example}",
    )


spark.add_command(
    _on_spark(
        evaluate,
        "Evaluate scores as 'tracker retrospective evaluate' does.",
        "tracker spark evaluate --candidates whole --labels 2026q1",
    )
)
spark.add_command(
    _on_spark(
        freeze,
        "Freeze a slate as 'tracker slate freeze' does.",
        "tracker spark freeze --candidates whole --labels 2026q1 --description 'Q1'",
    )
)
