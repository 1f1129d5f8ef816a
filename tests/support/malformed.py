"""Makes malformed input files of every kind that tracker reads, the same ones each time.

A case is what a command is given: files made from a sound one by one mutation, and the words that
read them. Cases whose mutation leaves the file sound are named in VALID, with the reason.
"""

import gzip
import io
import json
import random
import sqlite3
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb
from bench import quoted_name, quoted_text
from evidence import EMA_FIELDS, FDA_HEADERS, FDA_ROWS, chembl, study

Make = Callable[[Path], None]
Content = bytes | Make


@dataclass(frozen=True)
class Case:
    """A file or folder to be made in an empty folder, and the command that reads it."""

    name: str
    file: str
    content: Content
    words: tuple[str, ...]
    # What the complaint names, where it is not the file itself.
    names: tuple[str, ...] = ()


def _define(kind: str, truth: str = "PATH") -> tuple[str, ...]:
    words = ("benchmark", "define", "new", "--kind", kind, "--item-column", "item")
    return (*words, "--truth", truth)


# Kind of file: its words before and after the path, its sound content, its numeric column.
TABLES: dict[str, tuple[tuple[str, ...], str, int | None]] = {
    "candidates": (
        ("load", "candidates", "PATH", "--set", "new", "--model", "m"),
        "disease_name,drug_name,score\nAsthma,Alpha,0.5\nGout,Beta,0.25\n",
        2,
    ),
    "labels": (
        ("load", "labels", "PATH", "--set", "new"),
        "disease_name,drug_name,label,approval_year\nAsthma,Alpha,4,1999\nGout,Beta,0,\n",
        2,
    ),
    "outcomes": (
        ("load", "outcomes", "PATH", "--slate", "SLATE"),
        "disease_name,drug_name,outcome_type,source,event_date\n"
        "Asthma,Alpha,fda_approved,test,2026-01-01\nAsthma,Beta,phase_advanced,test,2026-02-02\n",
        None,
    ),
    "aliases": (
        ("load", "aliases", "PATH"),
        "entity,name,kind,value\ndrug,Alpha,synonym,Alfa\ndisease,Asthma,synonym,Wheeze\n",
        None,
    ),
    "loo trials": (
        ("retrospective", "loo", "--trials", "PATH", "--candidates", "base", "--labels", "known"),
        "disease_name,drug_name,rank,n_candidates\nMany,D0,1,12\nMany,D1,2,12\n",
        2,
    ),
    "regression truth": (
        _define("regression"),
        "item,t\na,1.5\nb,2.5\nc,3\n",
        1,
    ),
    "binary truth": (
        _define("binary"),
        "item,t\na,1\nb,0\nc,1\n",
        1,
    ),
    "ordinal truth": (
        _define("ordinal"),
        "item,t\na,1\nb,0\nc,2\n",
        1,
    ),
    "multilabel truth": (
        _define("multilabel"),
        "item,label\na,x\nb,y\nc,x\n",
        None,
    ),
    "frequencies": (
        (*_define("multilabel", "TRUTH"), "--labels", "PATH"),
        "label,count\nx,5\ny,3\n",
        1,
    ),
    "regression submission": (
        ("benchmark", "submit", "regression", "PATH", "--submitter", "s", "--track", "test"),
        "item,t\na,1.5\nb,2.5\nc,3\n",
        1,
    ),
    "binary submission": (
        ("benchmark", "submit", "binary", "PATH", "--submitter", "s", "--track", "test"),
        "item,t\na,0.5\nb,0.25\nc,1\n",
        1,
    ),
    "ordinal submission": (
        ("benchmark", "submit", "ordinal", "PATH", "--submitter", "s", "--track", "test"),
        "item,t\na,0.5\nb,0.25\nc,1\n",
        1,
    ),
    "multilabel submission": (
        ("benchmark", "submit", "multilabel", "PATH", "--submitter", "s", "--track", "test"),
        "item,label,rank\na,x,1\nb,y,1\nc,x,1\n",
        2,
    ),
}
# Not numbers, in the ways that one parser or another takes for one.
NUMBERS = (
    "nan",
    "NaN",
    "-inf",
    "Infinity",
    "1e999",
    "2_5",
    "1_000",
    "0x1F",
    "1,5e",
    "\uff11",
    "--1",
    "1e",
    "True",
    "9" * 400,
    "1 2",
    "\u0661",
    "\u00bd",
    "1d",
    "#N/A",
    "'1",
)


def _table_mutations(sound: str) -> Iterator[tuple[str, str, Content]]:
    """Yield a name, a suffix and content for each way to spoil a table of text."""
    raw = sound.encode()
    header, *rows = sound.splitlines()
    names = header.split(",")
    records = [dict(zip(names, row.split(","), strict=True)) for row in rows]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    packed = gzip.compress(raw, mtime=0)
    yield "empty", ".csv", b""
    yield "blank", ".csv", b" \n\n \n"
    yield "header alone", ".csv", f"{header}\n".encode()
    yield "NUL in the header", ".csv", raw.replace(b",", b"\0,", 1)
    yield "NUL in a cell", ".csv", raw[:-3] + b"\0" + raw[-3:]
    yield "NULs", ".csv", b"\0" * 4096
    yield "Windows-1252", ".csv", raw + b"it\x92s" + b"," * header.count(",") + b"\n"
    yield "Latin-1", ".csv", raw.replace(b"a", b"\xe4", 1)
    yield "Latin-1 in a row", ".csv", raw[:-3] + b"\xe4" + raw[-3:]
    yield "a mark of UTF-16", ".csv", b"\xff\xfe" + raw
    yield "UTF-16", ".csv", sound.encode("utf-16")
    yield "UTF-16 unmarked", ".csv", sound.encode("utf-16-le")
    yield "UTF-16 big", ".csv", b"\xfe\xff" + sound.encode("utf-16-be")
    yield "UTF-32", ".csv", sound.encode("utf-32")
    yield "UTF-7", ".csv", header.replace("_", "+AF8-").replace(",", "+ACw-").encode()
    yield "half a character", ".csv", raw.replace(b"a", b"\xed\xa0\x80", 1)
    yield "overlong", ".csv", raw.replace(b"a", b"\xc1\xa1", 1)
    yield "cut in a character", ".csv", raw + "\u20ac".encode()[:2]
    yield "semicolons", ".csv", raw.replace(b",", b";")
    yield "tabs", ".csv", raw.replace(b",", b"\t")
    yield "commas", ".tsv", raw
    yield "an extra cell", ".csv", raw[:-1] + b",more\n"
    yield "a missing cell", ".csv", raw + b"x\n"
    yield "a column twice", ".csv", f"{header},{names[0]}\nx{sound[len(header) + 1 :]}".encode()
    yield (
        "a column less",
        ".csv",
        "\n".join(line.split(",", 1)[1] for line in [header, *rows]).encode(),
    )
    yield "a column without a name", ".csv", sound.replace(names[0], "", 1).encode()
    yield "a strange column", ".csv", f"{header},colour\n{rows[0]},red\n".encode()
    yield "an open quote", ".csv", raw[:-3] + b'"' + raw[-3:]
    yield "text after a quote", ".csv", f'{header}\n"a"b{rows[0]}\n'.encode()
    yield "an open quote in the header", ".csv", b'"' + raw
    yield "mixed line ends", ".csv", f"{header}\r\n{rows[0]}\n{rows[1]}\r".encode()
    yield "a row twice", ".csv", raw + rows[0].encode() + b"\n"
    yield "a short line", ".csv", raw[: len(header) // 2]
    yield "a longer line", ".csv", raw + b"x" * 3_000_000 + b"\n"
    yield "a million columns", ".csv", _million_columns()
    yield "a million commas", ".csv", raw + b"," * 1_000_000 + b"\n"
    yield "gzip by content", ".csv", packed
    yield "gzip by name", ".csv.gz", raw
    yield "gzip cut short", ".csv.gz", packed[: len(packed) // 2]
    yield "gzip of a wrong sum", ".csv.gz", packed[:-8] + bytes(8)
    yield "gzip with a tail", ".csv.gz", packed + b"tail"
    yield "gzip of nothing", ".csv.gz", gzip.compress(b"", mtime=0)
    yield "a bomb", ".csv.gz", _bomb(raw)
    yield "a bomb of lines", ".jsonl.gz", _bomb(lines.encode())
    yield "a zip", ".csv", _zip({"inside.csv": raw})
    yield "no Parquet", ".parquet", raw
    yield "Parquet by its ends", ".parquet", b"PAR1" + raw + b"PAR1"
    yield "Parquet of a long footer", ".parquet", b"PAR1" + raw + struct.pack("<I", 2**31) + b"PAR1"
    yield "Parquet cut short", ".parquet", _cut(_parquet(records))
    yield "Parquet of lists", ".parquet", _parquet(records, "[{}]")
    yield "Parquet of structs", ".parquet", _parquet(records, "{{'a': {}}}")
    yield "Parquet of bytes", ".parquet", _parquet(records, "cast({} as blob)")
    yield "Parquet of dates", ".parquet", _parquet(records, "date '2020-01-01'")
    yield "Parquet of nothing", ".parquet", _parquet(records, "null")
    yield "Parquet of truth values", ".parquet", _parquet(records, "true")
    yield "Parquet as CSV", ".csv", _parquet(records)
    yield "no JSON", ".jsonl", raw
    yield "JSON cut short", ".jsonl", lines.encode()[:-5]
    yield "JSON of scalars", ".jsonl", b"1\n2\n"
    yield "JSON of arrays", ".jsonl", b"{}\n[1]\n"
    yield "JSON of nothing", ".jsonl", b"{}\n"
    yield "JSON of nulls", ".jsonl", json.dumps(dict.fromkeys(names)).encode()
    yield "JSON of lists", ".jsonl", json.dumps({name: [1] for name in names}).encode()
    yield "JSON of objects", ".jsonl", json.dumps({name: {"a": 1} for name in names}).encode()
    yield "JSON nested deeply", ".jsonl", _deep(names[0])
    yield "JSON with half a character", ".jsonl", lines.replace(": ", ': "\\ud800", "x": ').encode()
    yield "JSON with half a character in a cell", ".jsonl", _json_cell(records, "\\ud800")
    yield "JSON with NUL in a cell", ".jsonl", _json_cell(records, "\\u0000")
    yield "JSON with a key twice", ".jsonl", lines.replace("{", f'{{"{names[0]}": "x", ').encode()
    yield "JSON with a long number", ".jsonl", _json_number(names, "9" * 5000)
    yield "JSON with NaN", ".jsonl", _json_number(names, "NaN")
    yield "JSON with a tail", ".jsonl", lines.encode() + b"}"
    yield "JSON in Latin-1", ".jsonl", lines.encode().replace(b"a", b"\xe4", 1)
    yield "an array cut short", ".json", json.dumps(records).encode()[:-1]
    yield "an array of numbers", ".json", b"[1, 2]"
    yield "an array of arrays", ".json", b"[[1], [2]]"
    yield "an array nested deeply", ".json", b"[" * 100_000
    yield "an array of long numbers", ".json", b"[" + _json_number(names, "9" * 5000) + b"]"
    yield "two arrays", ".json", json.dumps(records).encode() * 2
    yield "a string", ".json", b'"text"'
    yield "no suffix", "", raw
    yield "another suffix", ".xlsx", raw
    yield "a folder", ".csv", _folder
    yield "a link to nowhere", ".csv", lambda path: path.symlink_to("nowhere")
    for seed in range(4):
        yield f"flipped bits {seed}", ".csv", _flipped(raw, seed)
        yield f"flipped bits of Parquet {seed}", ".parquet", _flipped(_parquet(records), seed)
        yield f"flipped bits of gzip {seed}", ".csv.gz", _flipped(packed, seed)


def _folder(path: Path) -> None:
    path.mkdir()


@cache
def _zeros() -> bytes:
    """Pack 60 MB of one line again and again into 60 kB."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as packed:
        for _ in range(60):
            packed.write(b"0\n" * 500_000)
    return buffer.getvalue()


def _bomb(head: bytes) -> bytes:
    return gzip.compress(head, mtime=0) + _zeros()


@cache
def _million_columns() -> bytes:
    return ",".join(f"c{i}" for i in range(1_000_000)).encode()


def _cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _deep(name: str) -> bytes:
    return f'{{"{name}": {"[" * 100_000}'.encode()


def _json_cell(records: list[dict[str, str]], text: str) -> bytes:
    first = next(iter(records[0]))
    return json.dumps({**records[0], first: "@"}).replace("@", text).encode()


def _json_number(names: list[str], number: str) -> bytes:
    return ("{" + ", ".join(f'"{name}": {number}' for name in names) + "}").encode()


def _flipped(content: bytes, seed: int) -> bytes:
    """Flip a bit of every twentieth byte."""
    chance = random.Random(seed)  # noqa: S311 - the same files each time, no secret
    flipped = bytearray(content)
    for _ in range(1 + len(content) // 20):
        flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
    return bytes(flipped)


def _parquet(records: list[dict[str, str]], wrapped: str = "{}") -> bytes:
    """Pack records, each cell wrapped in an expression, as Parquet."""
    columns = [f'{wrapped.format(quoted_name(name))} as "{name}"' for name in records[0]]
    values = ", ".join("(" + ", ".join(map(quoted_text, row.values())) + ")" for row in records)
    source = f"(values {values}) as t ({', '.join(map(quoted_name, records[0]))})"
    return _written(f"select {', '.join(columns)} from {source}")  # noqa: S608 - our own text


def _written(query: str) -> bytes:
    with duckdb.connect() as connection:
        path = Path(str(connection.sql("select 'malformed-' || uuid()").fetchall()[0][0]))
        try:
            connection.sql(query).to_parquet(str(path))
            return path.read_bytes()
        finally:
            path.unlink(missing_ok=True)


def _zip(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


def tables() -> Iterator[Case]:
    """Yield the cases of files of rows."""
    for kind, (words, sound, numeric) in TABLES.items():
        for name, suffix, content in _table_mutations(sound):
            file = f"bad{suffix}"
            yield Case(f"{kind}: {name}", file, content, words)
        if numeric is None:
            continue
        header, row, *rest = sound.splitlines()
        for number in NUMBERS:
            cells = row.split(",")
            cells[numeric] = number
            quoted = [f'"{cell}"' for cell in cells]
            text = "\n".join([header, ",".join(quoted), *rest]) + "\n"
            yield Case(f"{kind}: the number {number[:9]}", "bad.csv", text.encode(), words)
            record = dict(zip(header.split(","), cells, strict=True))
            more = [dict(zip(header.split(","), r.split(","), strict=True)) for r in rest]
            packed = "".join(json.dumps(r) + "\n" for r in [record, *more])
            name = f"{kind}: the number {number[:9]} in JSON"
            yield Case(name, "bad.jsonl", packed.encode(), words)


TOML: dict[str, Content] = {
    "empty key": b" = 1",
    "cut short": b"[[success]]\nmetric = ",
    "Latin-1": b"# \xe4",
    "UTF-16": "tier = 'high'".encode("utf-16"),
    "NULs": bytes(100),
    "a long number": b"horizon_months = " + b"9" * 5000,
    "a long hexadecimal": b"horizon_months = 0x" + b"f" * 5000,
    "deep arrays": b"a = " + b"[" * 20_000,
    "deep tables": b"a = " + b"{a=" * 5000,
    "deep keys": b".".join([b"a"] * 5000) + b" = 1",
    "a key twice": b"tier = 'high'\ntier = 'high'",
    "half a character": b'tier = "\\ud800"',
    "NaN": b"horizon_months = nan\nsettle_seconds = nan",
    "infinity": b"horizon_months = inf\nsettle_seconds = inf",
    "a strange key": b"colour = 'red'",
    "a date": b"horizon_months = 2020-01-01\nsettle_seconds = 2020-01-01",
    "no date": b"horizon_months = 2020-13-41",
    "JSON": b'{"tier": "high"}',
    "a long file": b"#" * 2_000_000,
    "a binary file": bytes(range(256)),
    "wrong types": b"success = 1\nsource = 1",
    "a table for a list": b"[success]\nmetric = 'hit_rate'\n[source]\nkind = 'fda'",
    "a folder": _folder,
}


def toml() -> Iterator[Case]:
    """Yield the cases of plans and configurations."""
    freeze = ("slate", "freeze", "--candidates", "base", "--plan", "PATH")
    for name, content in TOML.items():
        yield Case(f"plan: {name}", "bad.toml", content, freeze)
        yield Case(f"configuration: {name}", "bad.toml", content, ("refresh", "--config", "PATH"))


JSON: dict[str, Content] = {
    "empty": b"",
    "blank": b"  \n",
    "cut short": b'[{"slate_id": "469b',
    "Latin-1": b'["\xe4"]',
    "UTF-16": "[]".encode("utf-16"),
    "NULs": bytes(100),
    "nested deeply": b"[" * 100_000,
    "a long number": b"[" + b"9" * 5000 + b"]",
    "half a character": b'["\\ud800"]',
    "NaN": b'[{"slate_id": NaN}]',
    "infinity": b'{"header": 1e999}',
    "a number": b"1",
    "null": b"null",
    "a text": b'"text"',
    "an empty list": b"[]",
    "an empty object": b"{}",
    "a list of lists": b"[[]]",
    "a list of numbers": b"[1]",
    "two documents": b"{}{}",
    "single quotes": b"{'a': 1}",
    "a folder": _folder,
}


def folders(published: Path, exported: Path) -> Iterator[Case]:
    """Yield the cases of slates published elsewhere and of exports, from sound folders."""
    words = ("slate", "import", "PATH")
    for kind, sound, document in (
        ("published", published, "slates.json"),
        ("exported", exported, "manifest.json"),
    ):
        for name, content in JSON.items():
            change = {document: content}
            yield Case(f"{kind}: {name}", "bad", _copied(sound, change), words, (document, "bad"))
        for table in sorted(path.name for path in sound.glob("*.parquet")):
            whole = (sound / table).read_bytes()
            spoilt: dict[str, Content] = {
                "empty": b"",
                "cut short": _cut(whole),
                "no Parquet": b"text",
                "by its ends": b"PAR1PAR1",
                "other columns": _written("select 1 as x"),
                "nested": _nested(sound / table),
                "a folder": _folder,
                **{f"flipped bits {seed}": _flipped(whole, seed) for seed in range(3)},
            }
            for name, content in spoilt.items():
                yield Case(
                    f"{kind}: {table} {name}",
                    "bad",
                    _copied(sound, {table: content}),
                    words,
                    (table, "bad"),
                )


def _nested(path: Path) -> bytes:
    with duckdb.connect() as connection:
        names = [row[0] for row in connection.sql(f"describe from '{path}'").fetchall()]
    return _written(f"select {', '.join(f'[{n}] as {n}' for n in names)} from '{path}'")  # noqa: S608 - names of the test's own


def _copied(sound: Path, changes: dict[str, Content]) -> Make:
    def make(folder: Path) -> None:
        folder.mkdir()
        for path in sound.iterdir():
            if path.name not in changes:
                (folder / path.name).write_bytes(path.read_bytes())
        for name, content in changes.items():
            write(folder / name, content)

    return make


def write(path: Path, content: Content) -> None:
    """Make the file or folder of a case."""
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        content(path)


def _sqlite(*statements: str) -> Make:
    def make(path: Path) -> None:
        chembl(path)
        with sqlite3.connect(path) as connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()

    return make


def _corrupt(seed: int) -> Make:
    def make(path: Path) -> None:
        chembl(path)
        whole = path.read_bytes()
        path.write_bytes(whole[:100] + _flipped(whole[100:], seed))

    return make


def _stump(path: Path) -> None:
    chembl(path)
    path.write_bytes(_cut(path.read_bytes()))


def sources() -> Iterator[Case]:
    """Yield the cases of evidence: ChEMBL, trials, the FDA and EMA."""
    words = ("ingest", "chembl", "PATH", "--version", "36", "--released", "2025-07-01")
    dumps: dict[str, Content] = {
        "empty": b"",
        "text": b"no database",
        "the head alone": b"SQLite format 3\0",
        "the head and zeros": b"SQLite format 3\0" + bytes(84),
        "cut short": _stump,
        "no molecules": _sqlite("drop table molecule_dictionary"),
        "no indications": _sqlite("drop table drug_indication"),
        "no rows": _sqlite("delete from drug_indication"),
        "no column": _sqlite("alter table drug_indication drop column mesh_id"),
        "a phase in words": _sqlite("update drug_indication set max_phase_for_ind = 'two'"),
        "a phase underscored": _sqlite("update drug_indication set max_phase_for_ind = '0_2'"),
        "a phase beyond": _sqlite("update drug_indication set max_phase_for_ind = 99"),
        "an id of bytes": _sqlite("update molecule_dictionary set chembl_id = x'ff00'"),
        "a name of bytes": _sqlite("update molecule_dictionary set pref_name = x'ff00'"),
        "a name no text": _sqlite(
            "update molecule_dictionary set pref_name = cast(x'ff41' as text)"
        ),
        "a NUL in an id": _sqlite("update molecule_dictionary set chembl_id = char(0)"),
        "a NUL in a term": _sqlite("update drug_indication set efo_term = 'a' || char(0)"),
        "an endless view": _sqlite(
            "drop table drug_indication",
            "create view drug_indication as with recursive r(x) as (select 1 union all "
            "select x + 1 from r) select x as drugind_id from r",
        ),
        **{f"flipped bits {seed}": _corrupt(seed) for seed in range(8)},
    }
    for name, content in dumps.items():
        yield Case(f"ChEMBL: {name}", "bad.db", content, words)
    for name, content in {
        "text": b"no tar",
        "gzip of text": gzip.compress(b"no tar", mtime=0),
        "gzip cut short": gzip.compress(bytes(5000), mtime=0)[:20],
        "gzip of zeros": gzip.compress(bytes(20480), mtime=0),
    }.items():
        yield Case(f"ChEMBL: tar, {name}", "bad.tar.gz", content, words)
    web = "molecule_chembl_id,efo_id,max_phase_for_ind\nCHEMBL25,EFO:0000270,2\n"
    for name, suffix, spoilt in _table_mutations(web + "CHEMBL25,EFO:0000271,3\n"):
        if suffix.endswith((".csv", ".gz")) and not callable(spoilt):
            yield Case(f"ChEMBL table: {name}", f"bad{suffix}", spoilt, words)
    yield from _trials()
    yield from _fda()
    yield from _ema()


def _archives(inside: str, content: bytes) -> dict[str, bytes]:
    """Return the ways to spoil a zip."""
    whole = _zip({inside: content})
    return {
        "cut short": _cut(whole),
        "the head alone": b"PK\x03\x04",
        "the end alone": b"PK\x05\x06" + bytes(18),
        "outside": _zip({f"../{inside}": content}),
        "absolute": _zip({f"/etc/{inside}": content}),
        "a drive": _zip({f"C:\\{inside}": content}),
        "twice": _twice(inside, content),
        "a bomb": _zip({inside: b"0" * 30_000_000}),
        "another file": _zip({"readme.txt": b"text"}),
        "empty member": _zip({inside: b""}),
        "encrypted": _encrypted(whole),
        "text": b"no zip",
        **{f"flipped bits {seed}": _flipped(whole, seed) for seed in range(4)},
    }


def _twice(name: str, content: bytes) -> bytes:
    # Of names of one length, so that the offsets stay right.
    other = name[:-1] + "\x01"
    return _zip({name: content, other: content}).replace(other.encode(), name.encode())


def _encrypted(whole: bytes) -> bytes:
    """Set the flag of encryption in the entry and in the directory."""
    flagged = bytearray(whole)
    flagged[6] |= 1
    flagged[whole.index(b"PK\x01\x02") + 8] |= 1
    return bytes(flagged)


def _study(key: str, value: object) -> bytes:
    document = study()
    document["protocolSection"][key] = value
    return json.dumps(document).encode()


def _trials() -> Iterator[Case]:
    words = ("ingest", "trials", "PATH", "--released", "2025-07-01")
    sound = json.dumps([study()]).encode()
    for name, content in JSON.items():
        if name != "a folder":
            yield Case(f"trials: {name}", "bad.json", content, words)
            yield Case(f"trials: lines, {name}", "bad.jsonl", content, words)
    for key in ("identificationModule", "statusModule", "designModule", "conditionsModule"):
        for name, value in {"text": "x", "a list": [1], "a number": 1}.items():
            content = _study(key, value)
            yield Case(f"trials: {key} is {name}", "bad.json", content, words)
    studies: dict[str, Content] = {
        "an id of another kind": json.dumps(study(1)).encode(),
        "no such id": json.dumps(study("NCT1")).encode(),
        "no such date": json.dumps(study(start="2026-02-30")).encode(),
        "a date in words": json.dumps(study(posted="soon")).encode(),
        "no such phase": json.dumps(study(phases=["PHASE9"])).encode(),
        "a NUL in an id": json.dumps(study("NCT0000000\0")).encode(),
        "half a character in a condition": json.dumps(study(conditions=["\ud800"])).encode(),
        "the mark of UTF-16": b"\xff\xfe" + sound,
        "an empty folder": _folder,
    }
    for name, content in studies.items():
        yield Case(f"trials: {name}", "bad.json", content, words)
    for name, content in _archives("trials.json", sound).items():
        yield Case(f"trials: zip, {name}", "bad.zip", content, words)
    for name, content in _aact().items():
        yield Case(f"trials: AACT, {name}", "bad.zip", content, words, tuple(AACT))


AACT = {
    "studies.txt": "nct_id|brief_title|study_type|phase|overall_status|start_date|start_month_year|"
    "start_date_type|primary_completion_date|primary_completion_month_year|completion_date|"
    "completion_month_year|study_first_posted_date|last_update_posted_date\n"
    "NCT00000001|A|INTERVENTIONAL|PHASE2|RECRUITING|2026-03-31|2026-03|ESTIMATED|||||2025-01-01|"
    "2025-01-02\n",
    "conditions.txt": "id|nct_id|name\n1|NCT00000001|Asthma\n",
    "interventions.txt": "id|nct_id|intervention_type|name\n1|NCT00000001|DRUG|Aspirin\n",
    "intervention_other_names.txt": "nct_id|intervention_id|name\nNCT00000001|1|ASA\n",
    "browse_conditions.txt": "id|nct_id|mesh_term|mesh_type\n1|NCT00000001|Asthma|mesh-list\n",
}


def _aact() -> dict[str, bytes]:
    sound = {name: text.encode() for name, text in AACT.items()}
    spoilt = {}
    for name, content in sound.items():
        for how, changed in {
            "empty": b"",
            "cut short": content[:-1],
            "without a header": content.split(b"\n", 1)[1],
            "Windows-1252": content[:-1] + b"\x92\n",
            "UTF-16": content.decode().encode("utf-16"),
            "an extra cell": content[:-1] + b"|more\n",
            "an open quote": content.replace(b"|", b'|"', 1),
            "NULs": content[:-3] + b"\0" + content[-3:],
            "a column twice": content.replace(b"|nct_id", b"|id", 1).replace(b"name", b"nct_id", 1),
        }.items():
            if changed != content:
                spoilt[f"{name}: {how}"] = _zip({**sound, name: changed})
        spoilt[f"{name}: absent"] = _zip({k: v for k, v in sound.items() if k != name})
    return spoilt


def _ema() -> Iterator[Case]:
    words = ("ingest", "ema", "PATH", "--released", "2025-07-01")
    for name, content in JSON.items():
        yield Case(f"EMA: {name}", "bad.json", content, words)
    record = dict.fromkeys(EMA_FIELDS, "") | {
        "category": "Human",
        "name_of_medicine": "A",
        "ema_product_number": "EMEA/H/C/000001",
        "medicine_status": "Authorised",
    }
    for name, document in {
        "a record of text": {"data": ["x"]},
        "an empty record": {"data": [{}]},
        "data of text": {"data": "x"},
        "no data": {"meta": {}},
        "no record": {"data": []},
        "meta of text and a number for text": {"meta": "x", "data": [{**record, "category": 1}]},
        "a date in words": {"data": [{**record, "marketing_authorisation_date": "soon"}]},
        "a date that is none": {"data": [{**record, "marketing_authorisation_date": "31/02/2020"}]},
        "a category of its own": {"data": [{**record, "category": "Herbal"}]},
        "the same number twice": {"data": [record, record]},
        "a number of zeros": {"data": [{**record, "ema_product_number": " "}]},
    }.items():
        yield Case(f"EMA: {name}", "bad.json", json.dumps(document).encode(), words)
    for name, content in _archives("xl/workbook.xml", b"<workbook/>").items():
        yield Case(f"EMA: workbook, {name}", "bad.xlsx", content, words)


def _fda() -> Iterator[Case]:
    words = ("ingest", "fda", "PATH", "--released", "2025-07-01")
    for name, content in JSON.items():
        yield Case(f"FDA: {name}", "bad.json", content, words)
    record = {"application_number": "NDA1"}
    dated = {"submission_status_date": "soon"}
    for name, document in {
        "a result of text": {"results": ["x"]},
        "no application": {"results": [{}]},
        "a number for text": {"results": [{"application_number": 1}]},
        "submissions of text": {"results": [{**record, "submissions": "x"}]},
        "submissions of numbers": {"results": [{**record, "submissions": [1]}]},
        "a date in words": {"results": [{**record, "submissions": [dated]}]},
        "meta of text": {"meta": "x", "results": []},
        "results of text": {"results": "x"},
    }.items():
        yield Case(f"FDA: {name}", "bad.json", json.dumps(document).encode(), words)
    for name, content in _archives("drugs.json", b'{"results": []}').items():
        yield Case(f"FDA: zip, {name}", "bad.zip", content, words)
    sound = {
        name: "".join(f"{line}\r\n" for line in [FDA_HEADERS[name], *rows]).encode("cp1252")
        for name, rows in FDA_ROWS.items()
    }
    for name, content in sound.items():
        for how, changed in {
            "empty": b"",
            "cut short": content[:-6],
            "without a header": content.split(b"\n", 1)[1],
            "not Windows-1252": content[:-4] + b"\x81" + content[-4:],
            "UTF-16": content.decode("cp1252").encode("utf-16"),
            "a cell less": content + b"x\r\n",
            "an extra cell": content[:-2] + b"\t\t\t\tmore\r\n",
            "commas": content.replace(b"\t", b","),
        }.items():
            changed_zip = _zip({**sound, name: changed})
            yield Case(f"FDA: {name}: {how}", "bad.zip", changed_zip, words)
        absent = _zip({k: v for k, v in sound.items() if k != name})
        yield Case(f"FDA: {name}: absent", "bad.zip", absent, words)
