"""Speed of ingestion: a ChEMBL dump of official size, 600,000 studies of AACT, 30,000 diseases.

    .venv/bin/python tests/speed/ingest.py [--molecules 2400000] [--studies 600000]
        [--diseases 30000]

Prints each step as a ratio to a bare read timed in the same run: for ChEMBL, sqlite3 alone
fetching the rows of the same queries; for AACT, DuckDB alone reading every column of the same
files; for a vocabulary (four names a disease), Python alone iterating over the lines. Each is the
best of three, wall clock and the processor's time; an ingestion begins with an empty store and
ends with its swap, so opening, copying, checking and syncing count. Needs about 3 GB of disk in
the folder for temporary files.
"""

import sqlite3
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import NamedTuple

import duckdb
from measuring import peak_memory, read_options, say

from tracker import evidence, store
from tracker.evidence.trials import aact
from tracker.files import archives

N_INDICATIONS = 60_000
N_REFERENCES = 200_000
N_NAMED = 42_000
N_SYNONYMS = 190_000


def main() -> None:
    """Make the files, time each ingestion and its yardstick, print the ratios."""
    options = read_options(__doc__, molecules=2_400_000, studies=600_000, diseases=30_000)
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        folder = Path(name)
        _chembl(folder, options.molecules)
        _aact(folder, options.studies)
        _vocabulary(folder, options.diseases)
    say(peak_memory())


def _chembl(folder: Path, n_molecules: int) -> None:
    dump = folder / "chembl_99.db"
    _make_chembl(dump, n_molecules)
    path = folder / "chembl.duckdb"

    def ingest_once() -> None:
        with store.writer(path) as connection:
            evidence.ingest_chembl(connection, str(dump))

    bare = _best(lambda: _bare_sqlite(dump))
    hashing = _best(lambda: archives.content_sha256([dump]))
    whole = _best(ingest_once, lambda: _empty_store(path))
    again = _best(ingest_once)
    _print("ChEMBL: sqlite3 alone, same queries", bare, bare)
    _print("ChEMBL: SHA-256 of the file", hashing, bare)
    _print("ChEMBL: ingest, hashing included", whole, bare)
    _print("ChEMBL: ingest without hashing", whole - hashing, bare)
    _print("ChEMBL: the same content again", again, bare)


def _aact(folder: Path, n_studies: int) -> None:
    files = folder / "aact"
    files.mkdir()
    _make_aact(files, n_studies)
    path = folder / "aact.duckdb"

    def ingest_once() -> None:
        with store.writer(path) as connection:
            evidence.ingest_trials(connection, [files], released_on=date(2026, 1, 15))

    bare = _best(lambda: _bare_duckdb(files))
    hashing = _best(lambda: archives.content_sha256([files / name for name in aact.FILES]))
    whole = _best(ingest_once, lambda: _empty_store(path))
    _print("AACT: DuckDB alone, all columns", bare, bare)
    _print("AACT: SHA-256 of the files", hashing, bare)
    _print("AACT: ingest, hashing included", whole, bare)
    print(f"AACT: {n_studies / whole.wall:,.0f} studies per second")  # noqa: T201 - prints what it measures
    with (files / "studies.txt").open("a", encoding="utf-8") as handle:
        handle.write("NCT99999999" + "|" * 69 + "\n")
    _print("AACT: a second snapshot, one study new", _timed(ingest_once), bare)


def _vocabulary(folder: Path, n_diseases: int) -> None:
    file = folder / "diseases.obo"
    _make_obo(file, n_diseases)
    path = folder / "vocabulary.duckdb"

    def ingest_once() -> None:
        with store.writer(path) as connection:
            evidence.ingest_vocabulary(connection, file)

    bare = _best(lambda: _bare_lines(file))
    whole = _best(ingest_once, lambda: _empty_store(path))
    again = _best(ingest_once)
    _print("vocabulary: Python alone, all lines", bare, bare)
    _print("vocabulary: ingest, hashing included", whole, bare)
    _print("vocabulary: the same content again", again, bare)


def _empty_store(path: Path) -> None:
    path.unlink(missing_ok=True)
    with store.writer(path):
        pass


_QUERIES = (
    """
select d.drugind_id, m.chembl_id, p.chembl_id, d.efo_id, d.efo_term, d.mesh_id, d.mesh_heading,
    d.max_phase_for_ind
from drug_indication d
left join molecule_dictionary m on m.molregno = d.molregno
left join molecule_hierarchy h on h.molregno = m.molregno
left join molecule_dictionary p on p.molregno = h.parent_molregno
""",
    "select drugind_id, ref_type, ref_id from indication_refs",
    """
select m.chembl_id, p.chembl_id, 'name', m.pref_name
from molecule_dictionary m
left join molecule_hierarchy h on h.molregno = m.molregno
left join molecule_dictionary p on p.molregno = h.parent_molregno
where m.pref_name is not null
""",
    """
select m.chembl_id, p.chembl_id, 'synonym', s.synonyms
from molecule_synonyms s
join molecule_dictionary m on m.molregno = s.molregno
left join molecule_hierarchy h on h.molregno = m.molregno
left join molecule_dictionary p on p.molregno = h.parent_molregno
""",
)


def _bare_sqlite(dump: Path) -> None:
    with sqlite3.connect(dump) as connection:
        for query in _QUERIES:
            cursor = connection.execute(query)
            while cursor.fetchmany(50_000):
                pass


def _bare_duckdb(files: Path) -> None:
    with duckdb.connect(config={"memory_limit": "4GB"}) as connection:
        for name in aact.FILES:
            connection.execute(
                "create table bare as select * from read_csv(?, delim='|', quote='\"', "
                "header=true, all_varchar=true)",
                [str(files / name)],
            )
            connection.execute("drop table bare")


def _bare_lines(file: Path) -> None:
    with file.open(encoding="utf-8") as handle:
        for line in handle:
            line.strip()


def _make_chembl(dump: Path, n_molecules: int) -> None:
    with sqlite3.connect(dump) as connection:
        connection.executescript(
            """
create table version (name varchar(50) primary key, creation_date date, comments varchar(2000));
insert into version values ('ChEMBL_99', '2025-11-01', 'synthetic');
create table molecule_dictionary (molregno bigint primary key, pref_name varchar(255),
    chembl_id varchar(20) not null unique, max_phase numeric(2, 1), therapeutic_flag smallint,
    dosed_ingredient smallint, structure_type varchar(10), chebi_par_id bigint,
    molecule_type varchar(30), first_approval integer, oral smallint, parenteral smallint,
    topical smallint, black_box_warning smallint, natural_product smallint,
    first_in_class smallint, chirality smallint, prodrug smallint, inorganic_flag smallint,
    usan_year integer, availability_type smallint, usan_stem varchar(50), polymer_flag smallint,
    usan_substem varchar(50), usan_stem_definition varchar(1000), indication_class varchar(1000),
    withdrawn_flag smallint, chemical_probe smallint, orphan smallint);
create table molecule_hierarchy (molregno bigint primary key, parent_molregno bigint,
    active_molregno bigint);
create table molecule_synonyms (molregno bigint not null, syn_type varchar(50) not null,
    molsyn_id bigint primary key, res_stem_id bigint, synonyms varchar(250));
create table drug_indication (drugind_id bigint primary key, record_id bigint not null,
    molregno bigint, max_phase_for_ind numeric(2, 1), mesh_id varchar(20) not null,
    mesh_heading varchar(200) not null, efo_id varchar(20), efo_term varchar(200));
create table indication_refs (indref_id bigint primary key, drugind_id bigint not null,
    ref_type varchar(50) not null, ref_id varchar(4000) not null, ref_url varchar(4000) not null);
"""
        )
        connection.executemany(
            "insert into molecule_dictionary values (?, ?, ?, null, 0, 0, 'MOL', null, "
            "'Small molecule', null, 0, 0, 0, 0, -1, -1, -1, -1, -1, null, -1, null, 0, null, "
            "null, null, 0, 0, -1)",
            (
                (i, f"COMPOUND {i}" if i <= N_NAMED else None, f"CHEMBL{i}")
                for i in range(1, n_molecules + 1)
            ),
        )
        connection.executemany(
            "insert into molecule_hierarchy values (?, ?, ?)",
            ((i, i - i % 5 if i % 5 and i > 5 else i, i) for i in range(1, n_molecules + 1)),
        )
        connection.executemany(
            "insert into molecule_synonyms values (?, 'TRADE_NAME', ?, null, ?)",
            ((1 + i % N_NAMED, i, f"Brand {i % 150_000}") for i in range(N_SYNONYMS)),
        )
        connection.executemany(
            "insert into drug_indication values (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    i,
                    i,
                    1 + i % 9000,
                    i % 5,
                    f"D{i % 4000:06}",
                    f"Heading {i % 4000}",
                    f"EFO:{i % 5000:07}",
                    f"term {i % 5000}",
                )
                for i in range(N_INDICATIONS)
            ),
        )
        connection.executemany(
            "insert into indication_refs values (?, ?, 'ClinicalTrials', ?, 'https://example')",
            ((i, i % N_INDICATIONS, f"NCT{i:08}") for i in range(N_REFERENCES)),
        )
    connection.close()


# AACT's columns, or as many that are not read; the range is bound. One other name in fifty is
# not ASCII, and no two of those are alike.
_FILES = {
    "studies.txt": """
select
    'NCT' || lpad(i::varchar, 8, '0') as nct_id,
    'A study of compound ' || (i % 40000) || ' in term ' || (i % 5000) as brief_title,
    'INTERVENTIONAL' as study_type,
    ['PHASE1', 'PHASE1/PHASE2', 'PHASE3', 'NA'][1 + i % 4] as phase,
    ['COMPLETED', 'RECRUITING', 'UNKNOWN'][1 + i % 3] as overall_status,
    date '2000-01-01' + (i % 9000)::int as start_date,
    left(start_date::varchar, if(i % 5 = 0, 7, 10)) as start_month_year,
    'ACTUAL' as start_date_type,
    start_date + 700 as primary_completion_date,
    primary_completion_date::varchar as primary_completion_month_year,
    start_date + 800 as completion_date,
    completion_date::varchar as completion_month_year,
    start_date - 20 as study_first_posted_date,
    start_date + 900 as last_update_posted_date,
    unnest({fillers})
from range(?) as r (i)
""",
    "conditions.txt": """
select i as id, 'NCT' || lpad((i // 2)::varchar, 8, '0') as nct_id,
    'Term ' || (i % 5000) as name, 'term ' || (i % 5000) as downcase_name
from range(2 * ?) as r (i)
""",
    "browse_conditions.txt": """
select i as id, 'NCT' || lpad((i // 3)::varchar, 8, '0') as nct_id,
    'Heading ' || (i % 4000) as mesh_term, 'heading' as downcase_mesh_term,
    if(i % 3 = 0, 'mesh-list', 'mesh-ancestor') as mesh_type
from range(3 * ?) as r (i)
""",
    "interventions.txt": """
select i as id, 'NCT' || lpad((i // 2)::varchar, 8, '0') as nct_id, 'DRUG' as intervention_type,
    'Compound ' || (i % 40000) as name, 'A description of some length' as description
from range(2 * ?) as r (i)
""",
    "intervention_other_names.txt": """
select i as id, 'NCT' || lpad((i // 2)::varchar, 8, '0') as nct_id, i as intervention_id,
    if(i % 50 = 0, 'Márque ' || i, 'Brand ' || (i % 90000)) as name
from range(2 * ?) as r (i)
""",
}


def _make_aact(files: Path, n_studies: int) -> None:
    """Write the five files in AACT's columns; studies.txt has some seventy, most not read."""
    fillers = ", ".join(f"'column_{n}': 'filler {n}'" for n in range(56))
    with duckdb.connect(config={"memory_limit": "4GB"}) as connection:
        for name, query in _FILES.items():
            filled = query.replace("{fillers}", "{" + fillers + "}")
            connection.sql(filled, params=[n_studies]).to_csv(
                str(files / name), sep="|", header=True
            )


def _make_obo(file: Path, n_diseases: int) -> None:
    """Write diseases of four names each, one in fifty of them not ASCII, in a tree of tens."""
    with file.open("w", encoding="utf-8") as handle:
        handle.write("format-version: 1.4\ndata-version: 2026-01-15\nontology: diseases\n\n")
        for i in range(n_diseases):
            syndrome = "Ménière syndrome" if i % 50 == 0 else "Syndrome"
            handle.write(
                f"[Term]\nid: DIS:{i:07}\nname: disease {i}\n"
                f'def: "A disease of some length in words." [url:http\\://example.org/{i}]\n'
                f'synonym: "{syndrome} {i}" EXACT []\n'
                f'synonym: "disorder number {i}" EXACT []\n'
                f'synonym: "illness {i % 900}" RELATED []\n'
                f"xref: MESH:D{i:06}\nxref: UMLS_CUI:C{i:07}\n"
            )
            handle.write(f"is_a: DIS:{i // 10:07} ! disease {i // 10}\n\n" if i else "\n")


class Seconds(NamedTuple):
    """What something took: by the clock, and of the processor."""

    wall: float
    processor: float

    def __sub__(self, other: "Seconds") -> "Seconds":
        return Seconds(self.wall - other.wall, self.processor - other.processor)


def _best(work: Callable[[], object], prepare: Callable[[], object] = lambda: None) -> Seconds:
    found = []
    for _ in range(3):
        prepare()
        found.append(_timed(work))
    return min(found)


def _timed(work: Callable[[], object]) -> Seconds:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return Seconds(time.perf_counter() - wall, time.process_time() - processor)


def _print(what: str, took: Seconds, yardstick: Seconds) -> None:
    wall, processor = took.wall / yardstick.wall, took.processor / yardstick.processor
    print(  # noqa: T201 - prints what it measures
        f"{what:40} {took.wall:7.2f} s {wall:6.2f}x  "
        f"processor {took.processor:7.2f} s {processor:6.2f}x"
    )


if __name__ == "__main__":
    main()
