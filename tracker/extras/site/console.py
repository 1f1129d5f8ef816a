"""The SQL page of a site: its questions, and DuckDB-Wasm, which publishing adds.

DuckDB-Wasm is in neither the repository nor the package: its files come from npm or from a folder,
and must be those of the one version that assets/console.js was written for. Later versions fetch an
extension from elsewhere before they can read Parquet; this one includes it.
"""

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from tracker import formulas, scratch
from tracker.errors import CheckFailed, InputRefused, RefusedForNow
from tracker.extras.site import downloads
from tracker.extras.site.files import Files
from tracker.extras.site.layout import CONSOLE_POLICY, Site, script
from tracker.extras.site.slate_pages import Summary
from tracker.files import archives
from tracker.progress import Progress
from tracker.reports.pages.page import Listing, Page
from tracker.rows import Rows

PATH = "console/index.html"
_PACKAGE = "@duckdb/duckdb-wasm"
_VERSION = "1.28.0"
# The SHA-256 of each file, by its name in the package's folder dist.
_ENGINE = {
    "duckdb-browser-eh.worker.js": (
        "f47868c8ae4f4014a20e6aafb756ef047e4507dd64e966c7f2329ea2fe966bed"
    ),
    "duckdb-eh.wasm": "053f5ea4c3db0dab0b5d49851befaf36ae3a2cffd6d2a1e39f9178f3c48dbbe2",
}
_NPM_SECONDS = 900

# Returns the files of DuckDB-Wasm by name.
Engine = Callable[[], dict[str, bytes]]


@dataclass(frozen=True)
class Question:
    """A question about the published tables, and the SQL that answers it."""

    question: str
    sql: str


QUESTIONS = (
    Question(
        "How has each slate done so far, compared with equally popular drugs?",
        """select model_version as model, frozen_on, verdict, n_hits, n_counted,
    round(enrichment_vs_matched, 2) as enrichment, round(low, 2) as low, round(high, 2) as high,
    title
from slate
order by frozen_on, title""",
    ),
    Question(
        "Do the first ranks have more clinical activity after the freeze than the later ones?",
        """with active as (
    select distinct o.slate_id, o.disease_identifier, o.drug_identifier
    from outcome o join slate s using (slate_id)
    where o.event_date > s.frozen_on
)
select left(p.slate_id, 8) as slate, least((p.rank - 1) // 5, 5) * 5 + 1 as from_rank,
    count(*) as n_predictions, count(a.slate_id) as n_active,
    round(100.0 * n_active / n_predictions, 1) as percent
from prediction p
left join active a using (slate_id, disease_identifier, drug_identifier)
group by all
order by all""",
    ),
    Question(
        "Which predictions had an event first?",
        """select o.event_date, o.outcome_type, o.drug_name, o.disease_name, p.rank, p.tier
from outcome o
join slate s using (slate_id)
join prediction p using (slate_id, disease_identifier, drug_identifier)
where o.event_date > s.frozen_on
order by o.event_date, p.rank, o.drug_name, o.disease_name, o.outcome_type, o.slate_id
limit 20""",
    ),
    Question(
        "Which drugs are predicted for most diseases, and have events in how many?",
        """select p.drug_name, count(distinct p.disease_identifier) as n_predicted,
    count(distinct o.disease_identifier) as n_with_outcome
from prediction p
left join outcome o using (slate_id, disease_identifier, drug_identifier)
group by p.drug_name
order by n_predicted desc, p.drug_name
limit 20""",
    ),
    Question(
        "How has the hit rate of the high tier changed from update to update?",
        """select left(slate_id::text, 8) as slate, recorded_at, value, low, high, n
from scoreboard
where metric = 'hit_rate' and tier = 'high'
    and evidence_window = 'prospective' and population = 'novel'
order by slate, recorded_at""",
    ),
)


def engine(folder: Path | None, progress: Progress) -> dict[str, bytes]:
    """Return the files of DuckDB-Wasm by name, from a folder, or from npm without one.

    In the folder they may be below `dist`, as in the package. Raises InputRefused if a file is
    absent or has an unknown hash, RefusedForNow if npm does not deliver.
    """
    found = _from_npm(progress) if folder is None else _from_folder(folder)
    return _known("npm" if folder is None else str(folder), found)


def engine_of(content: Callable[[str], bytes | None]) -> dict[str, bytes]:
    """Return the files of DuckDB-Wasm of a site, whose files `content` returns.

    Raises CheckFailed if a file is absent or has an unknown hash.
    """
    given = {name: content(f"console/{name}") for name in _ENGINE}
    try:
        return _known("the site", {name: one for name, one in given.items() if one is not None})
    except InputRefused as error:
        raise CheckFailed(str(error)) from error


def _known(source: str, found: dict[str, bytes]) -> dict[str, bytes]:
    for name, sha256 in _ENGINE.items():
        if name not in found:
            raise InputRefused(f"{source}: has no {name}, a file of {_PACKAGE} {_VERSION}")
        if hashlib.sha256(found[name]).hexdigest() != sha256:
            raise InputRefused(f"{source}: its {name} is not that of {_PACKAGE} {_VERSION}")
    return found


def write(
    connection: Connection,
    files: Files,
    site: Site,
    summaries: Sequence[Summary],
    program: dict[str, bytes],
) -> None:
    """Write the page, its script, DuckDB, and the list of each table's downloads."""
    tables = _tables(summaries)
    for name, content in program.items():
        files.write_bytes(f"console/{name}", content)
    files.write("assets/console.js", script("console.js"))
    files.write("console/tables.json", json.dumps(tables, indent=1) + "\n")
    sizes = files.listing()
    paths = [part["path"] for parts in tables.values() for part in parts]
    page = Page(
        kicker="Track record",
        title="SQL",
        subtitle="Ask the published tables anything, in this browser. As known on "
        f"{site.as_of[:10]}.",
        listings=[
            Listing(
                "tables",
                "Tables",
                "Read from the downloads of this site. Outcomes are all that is recorded of a "
                "slate's pairs, predicted or not; which of them are hits is counted on the pages "
                "of slates.",
                _columns(connection, files, tables),
            ),
        ],
        facts=[
            ("engine", f"DuckDB-Wasm {_VERSION} (https://duckdb.org), under the MIT license"),
            ("reaches", "the files of this site and nothing else; queries stay in the browser"),
        ],
    )
    console = {
        "questions": QUESTIONS,
        "needs_mark": formulas.NEEDS_MARK,
        "controls": formulas.CONTROLS,
        "n_bytes": sum(map(len, program.values())) + sum(sizes[path]["bytes"] for path in paths),
    }
    files.write(
        PATH,
        site.render(PATH, page, scripts=("console.js",), policy=CONSOLE_POLICY, console=console),
    )


def _tables(summaries: Sequence[Summary]) -> dict[str, list[dict[str, str]]]:
    """Return the Parquet files of each table; a slate's files also name the slate."""
    slates: dict[str, list[dict[str, str]]] = {
        table: [
            {
                "path": f"{downloads.folder_of(one.slate_id)}/{table}s.parquet",
                "slate_id": one.slate_id,
            }
            for one in summaries
        ]
        for table in ("prediction", "outcome")
    }
    return {
        "slate": [{"path": f"{downloads.SLATES}.parquet"}],
        **slates,
        "scoreboard": [{"path": f"{downloads.SCOREBOARD}.parquet"}],
    }


def _columns(connection: Connection, files: Files, tables: dict[str, list[dict[str, str]]]) -> Rows:
    rows = []
    for table, parts in tables.items():
        names = downloads.columns_of(connection, files.folder / parts[0]["path"])
        rows.append((table, ", ".join(["slate_id", *names] if "slate_id" in parts[0] else names)))
    return Rows(["table", "columns"], rows)


def _from_folder(folder: Path) -> dict[str, bytes]:
    if not folder.is_dir():
        raise InputRefused(f"{folder}: no such folder")
    places = (folder, folder / "dist", folder / "package" / "dist")
    return {
        name: archives.read_whole(place / name)
        for place in reversed(places)
        for name in _ENGINE
        if (place / name).is_file()
    }


def _from_npm(progress: Progress) -> dict[str, bytes]:
    """Return the files from npm's configured registry; npm caches them."""
    npm = shutil.which("npm")
    wanted = f"{_PACKAGE}@{_VERSION}"
    if npm is None:
        raise InputRefused(
            f"npm is not installed; unpack {wanted} elsewhere and name its folder with "
            "--console-from"
        )
    progress(f"{wanted} from npm")
    with scratch.folder() as folder:
        command = [npm, "pack", "--silent", "--ignore-scripts", wanted]
        try:
            done = subprocess.run(  # noqa: S603 - fixed words, without a shell
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                timeout=_NPM_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise RefusedForNow(f"npm did not deliver {wanted} in {_NPM_SECONDS} s") from error
        packed = sorted(folder.glob("*.tgz"))
        if done.returncode or not packed:
            said = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[0]
            raise RefusedForNow(f"npm does not deliver {wanted}: {said}")
        return archives.tar_contents(packed[0], tuple(_ENGINE))
