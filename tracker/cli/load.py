"""tracker load: candidates, labels, aliases and outcomes from files."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tracker.api.choices import CHOICES, Choice
from tracker.cli import completion
from tracker.cli.candidate import BESIDE
from tracker.cli.common import Settings, progress
from tracker.cli.options import require_unused
from tracker.cli.terminal import say

if TYPE_CHECKING:
    from tracker.api.loading import Loaded

_FILE = click.Path(path_type=Path)
# The most names in a note; the others are counted.
_MAX_NAMED = 5
_ALLOW_EXTRA = click.option(
    "--allow-extra", is_flag=True, help="Ignore unknown columns instead of refusing them."
)


def _mapped(
    _context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        name, sign, column = one.rpartition("=")
        if not sign or not name.strip() or not column.strip():
            raise click.BadParameter(f"'{one}' is not NAME=COLUMN, such as drug=drug_name")
        if name.strip() in found:
            raise click.BadParameter(f"'{name.strip()}' is mapped twice")
        found[name.strip()] = column.strip()
    return found


_MAP = click.option(
    "--map",
    "renamed",
    multiple=True,
    metavar="NAME=COLUMN",
    callback=_mapped,
    help="Read COLUMN from the file's column NAME, as in drug=drug_name; may be repeated.",
)
_SHARED_IDS = click.option(
    "--shared-ids",
    type=click.Choice(CHOICES),
    default="refuse",
    show_default=True,
    help="What to do when several names share an id and repeat a pair.",
)


@click.group(
    epilog="Example: tracker load candidates scores.csv --set whole --model v1",
    short_help="Load candidates, labels, aliases or outcomes from a file.",
)
def load() -> None:
    """Load a file (CSV, TSV, Parquet or JSON lines): all of it or nothing."""


@load.command(epilog="Example: tracker load candidates scores.parquet --set whole --model v1")
@click.argument("file", type=_FILE)
@click.option("--set", "name", required=True, help="The name of the new candidate set.")
@click.option("--model", required=True, metavar="VERSION", help="The version of the model.")
@click.option(
    "--sealed",
    metavar="[PLACE]",
    is_flag=False,
    flag_value=BESIDE,
    help="Seal the pairs in Parquet files beside the store, or in a place of TRACKER_SEALED.  "
    "[default: beside the store, of more than 5 million pairs]",
)
@click.option("--stored", is_flag=True, help="Keep the pairs in the store, however many.")
@click.option(
    "--lower-is-better",
    is_flag=True,
    help="The scores are ranks or distances: store minus each, so that the highest is the best.",
)
@_MAP
@_SHARED_IDS
@_ALLOW_EXTRA
@click.pass_obj
def candidates(
    settings: Settings, /, file: Path, sealed: str | None, stored: bool, **chosen: Any
) -> None:
    """Load every pair a model scored: disease_name, drug_name, score.

    Columns named disease, drug or prediction are taken for these, which is said; --map names
    others. Optional columns: disease_id (an ontology id such as EFO_0000270), chembl_id. Where
    several names with one id score a pair, --shared-ids merge keeps the highest score. A store with
    sealed sets stays small (docs/guides/scale.md).
    """
    if stored and sealed is not None:
        raise click.UsageError("give --sealed or --stored, not both")
    place = None if sealed is None else sealed == BESIDE or sealed
    with progress() as notify, settings.opened(notify, write=True) as opened:
        loaded = opened.load.candidates(file, sealed=False if stored else place, **chosen)
    _print_loaded("candidates", "score", loaded)


@load.command(
    epilog="Example: tracker load labels known.csv --set 2026q1 --shared-ids merge",
    short_help="Load the known pairs, each with its label.",
)
@click.argument("file", type=_FILE, required=False)
@click.option("--set", "name", required=True, help="The name of the new label set.")
@click.option(
    "--from-evidence",
    is_flag=True,
    help="Label what the ingested releases showed by --as-of, without a file.",
)
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="The day of --from-evidence (default: today).",
)
@_MAP
@_SHARED_IDS
@_ALLOW_EXTRA
@click.pass_obj
def labels(
    settings: Settings,
    file: Path | None,
    name: str,
    from_evidence: bool,
    as_of: datetime | None,
    renamed: dict[str, str],
    shared_ids: Choice,
    allow_extra: bool,
) -> None:
    """Load the known pairs: disease_name, drug_name, label (0 negative .. 4 approved).

    Optional columns: max_phase, approval_year, disease_id, chembl_id. Where several names with one
    id label a pair, --shared-ids merge keeps the highest label and phase.
    """
    if (file is None) != from_evidence:
        raise click.UsageError("give a file or --from-evidence, and not both")
    if from_evidence:
        require_unused(("renamed", "shared_ids", "allow_extra"), "needs a file")
    if as_of is not None and not from_evidence:
        raise click.UsageError("--as-of needs --from-evidence")
    with progress() as notify, settings.opened(notify, write=True) as opened:
        if file is None:
            loaded = opened.load.labels_from_evidence(name, as_of)
        else:
            loaded = opened.load.labels(
                file, name, allow_extra=allow_extra, shared_ids=shared_ids, renamed=renamed
            )
    _print_loaded("labeled pairs", "label", loaded)


@load.command(
    epilog="Example: tracker load aliases synonyms.csv",
    short_help="Load other names and identifiers of drugs and diseases.",
)
@click.argument("file", type=_FILE)
@_ALLOW_EXTRA
@click.pass_obj
def aliases(settings: Settings, file: Path, allow_extra: bool) -> None:
    """Load other names and identifiers: entity (drug or disease), name, kind, value.

    Slates that are already frozen are not matched through them.
    """
    with (
        progress("loading the aliases") as notify,
        settings.opened(notify, write=True) as opened,
    ):
        loaded = opened.load.aliases(file, allow_extra=allow_extra)
    say(f"{loaded.n_added:,} of {loaded.n_rows:,} aliases are new")


@load.command(
    "outcomes",
    epilog="Example: tracker load outcomes events.csv",
    short_help="Append outcomes from a file.",
)
@click.argument("file", type=_FILE)
@click.option(
    "--slate",
    "slate_id",
    metavar="SLATE",
    shell_complete=completion.slates,
    help="Refuse pairs that this slate neither predicts nor scored; match names as it does.",
)
@_MAP
@_ALLOW_EXTRA
@click.pass_obj
def load_outcomes(
    settings: Settings,
    file: Path,
    slate_id: str | None,
    renamed: dict[str, str],
    allow_extra: bool,
) -> None:
    """Append outcomes from a file: disease_name, drug_name, outcome_type, source.

    They count for every slate that contains the pair.

    Optional columns: event_date, first_public_on, observed_at, detail (JSON).
    """
    with (
        progress("loading the outcomes") as notify,
        settings.opened(notify, write=True) as opened,
    ):
        loaded = opened.load.outcomes(file, slate_id, allow_extra=allow_extra, renamed=renamed)
    _print_guessed(loaded)
    say(f"{loaded.n_added:,} of {loaded.n_rows:,} rows are new events")


def _print_guessed(loaded: Loaded) -> None:
    """Say which names in the file were taken for missing columns."""
    if loaded.guessed:
        taken = [f"'{name}' as {column}" for name, column in loaded.guessed.items()]
        say(f"note: read {', '.join(taken)}; --map NAME=COLUMN says otherwise")


def _print_resembling(kind: str, resembling: dict[str, str]) -> None:
    """Say which new names may be a known one in another spelling."""
    n_found, plural = len(resembling), f"{kind}s"
    pairs = [f"'{name}' (known: '{known}')" for name, known in resembling.items()]
    more = f" and {n_found - _MAX_NAMED:,} more" if n_found > _MAX_NAMED else ""
    say(
        f"note: {n_found:,} new {kind if n_found == 1 else plural} may be known under another "
        f"name: {', '.join(pairs[:_MAX_NAMED])}{more}; if so, correct the file or "
        "give both one id, and load it under another --set"
    )


def _print_loaded(what: str, value: str, loaded: Loaded) -> None:
    if loaded.n_added == 0:
        say(f"'{loaded.name}' already holds the same; nothing was added")
        return
    _print_guessed(loaded)
    say(
        f"loaded {loaded.n_added:,} {what} as '{loaded.name}' "
        f"({loaded.n_new_drugs:,} new drugs, {loaded.n_new_diseases:,} new diseases)"
    )
    if loaded.n_repeated:
        rows = "row repeats" if loaded.n_repeated == 1 else "rows repeat"
        say(f"{loaded.n_repeated:,} {rows} another, label and all: taken once")
    if loaded.sealed_at is not None:
        say(f"they are sealed in files in {loaded.sealed_at}, which belong to the store")
    for kind, resembling in loaded.resembling.items():
        if resembling:
            _print_resembling(kind, resembling)
    for one in loaded.kept_apart[:_MAX_NAMED]:
        say(f"note: {one}")
    if len(loaded.kept_apart) > _MAX_NAMED:
        say(f"note: so are {len(loaded.kept_apart) - _MAX_NAMED:,} more names")
    merged = loaded.merged
    if merged is not None:
        names = [
            f"{n_names:,} names of {n_entities:,} {kind if n_entities == 1 else f'{kind}s'}"
            for kind, n_names, n_entities in (
                ("drug", merged.n_drug_names, merged.n_drugs),
                ("disease", merged.n_disease_names, merged.n_diseases),
            )
            if n_names
        ]
        say(
            f"merged {merged.n_merged_rows:,} of {loaded.n_rows:,} rows, keeping the highest "
            f"{value} of a pair: {', '.join(names)} (table merged_name)"
        )
