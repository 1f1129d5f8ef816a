"""Mutates sound files of every kind that tracker reads, by a seed: the same ones each time.

What malformed.py spoils on purpose is spoilt here at random, and more than once. A mutation may
leave a file sound.
"""

import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import malformed
from evidence import OBO, chembl, ema, ema_json, medicine, study
from malformed import Case

N_SEEDS = 300
# The folders that are imported, and with what.
_FOLDERS = {
    "published": ("slate", "import", "PATH"),
    "exported": ("slate", "import", "PATH"),
    "submitted": ("benchmark", "import", "PATH"),
}
_VOCABULARY = ("ingest", "vocabulary", "PATH", "--released", "2025-07-01")


def _zipped(content: bytes, chance: random.Random) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(f"a{chance.randrange(3)}.json"), content)
    return buffer.getvalue()


# What a piece of a file is replaced by, or what is put into it.
PIECES: tuple[Callable[[random.Random], bytes], ...] = (
    lambda _: b'"',
    lambda _: b'""""',
    lambda chance: b'"' * chance.randrange(1, 50),
    lambda _: b"\0",
    lambda chance: bytes(chance.randrange(1, 5000)),
    lambda _: b"\xff",
    lambda _: b"\xed\xa0\x80",
    lambda _: b"\\ud800",
    lambda chance: b"a" * chance.choice((1_001, 99_999, 100_001, 3_000_000)),
    lambda chance: b'"' + b"a\n" * chance.choice((60_000, 1_500_000)),
    lambda chance: b"9" * chance.choice((20, 400, 5_000)),
    lambda chance: chance.choice((b"[", b'{"a":', b"(", b"<a>")) * chance.choice((600, 100_000)),
    lambda _: b"," * 20_000,
    lambda _: b"\t" * 20_000,
    lambda _: b"\n" * 100_000,
    lambda chance: chance.choice((b"\r", b"\r\n", b"\n", b"\v", b"\x1a", b"\x1b[2J")),
    lambda chance: chance.choice((b"NaN", b"-Infinity", b"1e999", b"null", b"true", b"{}", b"[]")),
    lambda chance: chance.choice(
        (b"\xef\xbb\xbf", b"\xff\xfe", b"PK\x03\x04", b"PAR1", b"\x1f\x8b")
    ),
    lambda chance: chance.randbytes(chance.randrange(1, 200)),
)


def mutated(content: bytes, seed: str) -> bytes:
    """Return a file after one to three mutations."""
    chance = random.Random(seed)  # noqa: S311 - the same files each time, no secret
    for _ in range(chance.choice((1, 1, 2, 3))):
        content = _mutated_once(content, chance)
    return content


def _mutated_once(content: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(content) + 1)
    end = min(len(content), start + chance.choice((0, 1, 8, 100)))
    kind = chance.randrange(10)
    if kind == 0:
        return content[:start]
    if kind == 1:
        return content[start:]
    if kind == 2:
        return content[:start] + content[end:]
    if kind == 3:
        return content[:end] + content[start:]
    if kind == 4:
        flipped = bytearray(content)
        for _ in range(chance.choice((1, 3, 30))):
            if flipped:
                flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
        return bytes(flipped)
    if kind == 5:
        # The ends, where Parquet, zip and gzip say what is in the middle.
        at = max(0, len(content) - chance.randrange(1, 300))
        return content[:at] + chance.randbytes(chance.choice((1, 2, 4))) + content[at + 1 :]
    if kind == 6 and len(content) < 1_000_000:
        return content.decode("latin-1").encode(chance.choice(("utf-16", "utf-8", "utf-32")))
    return content[:start] + chance.choice(PIECES)(chance) + content[end:]


def _forms(sound: str) -> dict[str, bytes]:
    """Return a table in each form that may be read, by its suffix."""
    header, *rows = sound.splitlines()
    names = header.split(",")
    records = [dict(zip(names, row.split(","), strict=True)) for row in rows]
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    return {
        ".csv": sound.encode(),
        ".tsv": sound.replace(",", "\t").encode(),
        ".jsonl": lines,
        ".json": json.dumps(records).encode(),
        ".parquet": malformed._parquet(records),
        ".csv.gz": gzip.compress(sound.encode(), mtime=0),
    }


@cache
def _sources() -> dict[str, tuple[tuple[str, ...], dict[str, bytes]]]:
    """Return the words of each source and a sound file in each of its forms."""
    released = ("--released", "2025-07-01")
    studies = [study(number) for number in ("NCT00000001", "NCT00000002")]
    lines = "".join(json.dumps(one) + "\n" for one in studies).encode()
    document = json.dumps(studies).encode()
    chance = random.Random(0)  # noqa: S311 - always the same
    fda = json.dumps(
        {"results": [{"application_number": "NDA000001", "products": [], "submissions": []}]}
    ).encode()
    with TemporaryDirectory() as made:
        folder = Path(made)
        chembl(folder / "a.db")
        ema(folder / "a.xlsx", [medicine()])
        ema_json(folder / "a.json", [medicine()])
        dump, workbook, medicines = (
            (folder / name).read_bytes() for name in ("a.db", "a.xlsx", "a.json")
        )
    aact = malformed._zip({name: text.encode() for name, text in malformed.AACT.items()})
    names = "term_id,name,scope\nDOID:1,Asthma,exact\nDOID:2,Gout,exact\n"
    return {
        "ingest chembl": (
            ("ingest", "chembl", "PATH", "--version", "36", *released),
            {".db": dump, ".tar.gz": gzip.compress(dump, mtime=0)},
        ),
        "ingest trials": (
            ("ingest", "trials", "PATH", *released),
            {
                ".json": document,
                ".jsonl": lines,
                ".zip": _zipped(document, chance),
                ".aact.zip": aact,
            },
        ),
        "ingest fda": (
            ("ingest", "fda", "PATH", *released),
            {".json": fda, ".zip": _zipped(fda, chance)},
        ),
        "ingest ema": (
            ("ingest", "ema", "PATH", *released),
            {".xlsx": workbook, ".json": medicines},
        ),
        "ingest vocabulary": (
            (*_VOCABULARY, "--source", "new"),
            {
                ".obo": OBO.encode(),
                ".csv": names.encode(),
                ".tsv": names.replace(",", "\t").encode(),
            },
        ),
    }


def importers() -> list[str]:
    """Return the names of all importers of single files, and of folders."""
    return [*malformed.TABLES, *_sources(), *_FOLDERS]


def cases(importer: str, folder: Path, seeds: range) -> Iterator[Case]:
    """Yield a mutated file for each seed; `folder` contains the sound folders."""
    if importer in _FOLDERS:
        sound = folder / importer
        names = sorted(path.name for path in sound.iterdir() if path.is_file())
        for seed in seeds:
            name = names[seed % len(names)]
            content = mutated((sound / name).read_bytes(), f"{importer} {seed}")
            make = malformed._copied(sound, {name: content})
            title = f"{importer} {seed}: {name}"
            yield Case(title, "bad", make, _FOLDERS[importer], (name, "bad"))
        return
    if importer in malformed.TABLES:
        words, table, _ = malformed.TABLES[importer]
        forms = _forms(table)
    else:
        words, forms = _sources()[importer]
    for seed in seeds:
        suffix = list(forms)[seed % len(forms)]
        content = mutated(forms[suffix], f"{importer} {seed}")
        yield Case(f"{importer} {seed}", f"bad{suffix}", content, words)
