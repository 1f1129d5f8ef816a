"""Draws the pictures of docs/architecture.md from the code: python docs/draw_architecture.py.

Packages, imports, views and tables are found; what no code states as data, which hash covers
which, is in SEALS, and a test compares each of its lines with the function that it names.
"""

import ast
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from layered_drawing import Box, drawn, levels_of, reachable, reduced

from tracker import schema
from tracker.log import leaf_data
from tracker.slates.frozen import HEADER_FIELDS
from tracker.store import catalog, statements

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "tracker"
PICTURES = ROOT / "docs" / "pictures"

FIRST_FACT, ENDPOINT = "event", "enrichment_vs_matched"
TEXTS, MATCHED = ("trial_condition", "trial_intervention"), "trial_pair"

BY_ROW, BY_CHUNK, BY_COLUMN = "a leaf for each row", "a leaf for many rows", "a leaf by column"
ENTRY, ROOT_HASH, HEAD = "log_entry.leaf_sha256", "log_head.root_sha256", "log_head.head_sha256"
SLATE, MANIFEST = "slate.content_sha256", "publication.manifest_sha256"
LINES, FILES, SITE = "prediction_line", "hashes in the header", "manifest.json"
PROOF, CHECKPOINT, WITNESS = "proof", "checkpoint", "co-signature"
TOKEN, VERIFIERS = "timestamp_token.sha256", "verifiers"
# What is hashed or signed, what holds the result, the function that makes it, and words of it.
SEALS = (
    (BY_ROW, ENTRY, "sealing._append_lines", ("leaves(", "leaf_sha256")),
    (BY_CHUNK, ENTRY, "sealing._append_lines", ("leaves(", "leaf_sha256")),
    (BY_COLUMN, ENTRY, "sealing._append_blocks", ("blocks.leaves(", "leaf_sha256")),
    (ENTRY, ROOT_HASH, "sealing.seal", ("stored_leaves(", "root_of_peaks(", "root_sha256=")),
    (ROOT_HASH, HEAD, "sealing.seal", ('"head_sha256": head_sha256(head_line(head))',)),
    (ROOT_HASH, PROOF, "tree_proofs.prove_each", ("require_root(", "inclusion_paths(")),
    (ROOT_HASH, CHECKPOINT, "checkpoints.signed", ("root_sha256", "key.sign(")),
    (CHECKPOINT, WITNESS, "checkpoints.witness", ("key.cosign(found.note.text",)),
    (LINES, SLATE, "frozen.record", ("incoming_sha256(", "content_sha256")),
    (FILES, SLATE, "frozen.incoming_sha256", ("header_line",)),
    (SLATE, TOKEN, "slates.prove", ("content_sha256", "obtain_tokens(")),
    (HEAD, TOKEN, "log.stamp", ("head_sha256", "obtain_tokens(")),
    (SITE, MANIFEST, "publications.seal", ("manifest_sha256", "publication")),
    (PROOF, VERIFIERS, "tree_proofs.included", ("is_included(",)),
    (WITNESS, VERIFIERS, "checkpoints.verify", ("require_cosignature(",)),
    (TOKEN, VERIFIERS, "log_rule.check_signature", ("timestamps.verify(reply, sha256",)),
)
_SEALED_TEXTS = {
    LINES: ("The canonical lines of a slate's predictions",),
    SLATE: ("SHA-256 of a slate: of its header and its lines",),
    SITE: ("The SHA-256 of every file of a published site",),
    MANIFEST: ("SHA-256 of the manifest",),
    ENTRY: ("SHA-256 of a leaf of the Merkle tree (RFC 9162)",),
    ROOT_HASH: ("The root of the tree over all leaves, after each command that wrote",),
    HEAD: ("SHA-256 of the line that states the root and its instant",),
    PROOF: ("The path from a leaf to the root, and from an earlier root to this one",),
    CHECKPOINT: ("The root in a note that the owner of the log signs",),
    WITNESS: ("A witness signs that the log only grew",),
    TOKEN: ("An authority signs that the hash existed (RFC 3161)",),
}


def pictures() -> dict[str, str]:
    """Return each picture by its file name."""
    return {
        "floors.svg": _floors(),
        "tower.svg": _tower(),
        "matching.svg": _matching(),
        "seals.svg": _seals(),
    }


def layers() -> list[list[str]]:
    """Return the names on each floor of tracker/, the upper first, as import-linter has them."""
    return _layers("tracker")


def imports() -> dict[str, set[str]]:
    """Return the names directly below tracker/ with those that their modules import."""
    found: dict[str, set[str]] = {name: set() for row in layers() for name in row}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).with_suffix("").parts[0]
        if name in found:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found[name] |= {one for one in _imported(tree) if one in found and one != name}
    return found


def between(reads: Mapping[str, Collection[str]], first: Iterable[str], last: str) -> set[str]:
    """Return what is read on a way from the first tables to the last view, these included."""
    wanted = {last} | reachable(reads, last)
    readers = {name: {one for one in wanted if name in reads.get(one, ())} for name in wanted}
    return {*first}.union(*(reachable(readers, name) for name in first))


def tower() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return what leads from the events to the endpoint: of the tables kept, and their steps.

    A view whose rows are not kept is a step of those that read it, even through other steps.
    """
    reads = {name: {*names} for name, names in catalog.reads().items()}
    on_the_way = between(reads, [FIRST_FACT], ENDPOINT)
    views = {view.name: view for view in catalog.read_views()}
    shown = {
        name
        for name in on_the_way
        if name in (FIRST_FACT, ENDPOINT) or (name in views and views[name].stored)
    }
    below: dict[str, set[str]] = {name: set() for name in shown}
    steps: dict[str, set[str]] = {name: set() for name in shown}
    for name in shown:
        pending = reads.get(name, set()) & on_the_way
        while pending:
            for one in pending & shown:
                below[one].add(name)
            steps[name] |= pending - shown
            unread = pending - shown
            pending = {one for step in unread for one in reads[step]} & on_the_way
    return reduced(below), steps


def matching_chain() -> tuple[dict[str, set[str]], dict[str, str]]:
    """Return what leads from the texts of studies to their pairs, and what makes each of it.

    A statement that reads matches which a later one appends reads those of before: no arrow.
    """
    makes = dict.fromkeys(catalog.reads(), "kept")
    reads = {name: {*names} for name, names in catalog.reads().items()}
    appended: set[str] = set()
    for made, statement in _made_by_statements():
        makes[made] = "box" if "Creates" in statement.header else "fact"
        reads[made] = {*statement.reads}
        appended |= {made} if "Writes" in statement.header else set()
    for name, names in reads.items():
        names -= {one for one in names & appended if name in reachable(reads, one)}
    shown = between(reads, TEXTS, MATCHED)
    below = {name: {one for one in shown if name in reads.get(one, ())} for name in shown}
    return reduced(below), {name: makes.get(name, "fact") for name in shown}


def leaf_forms() -> dict[str, list[str]]:
    """Return the sealed tables by the form of their leaves."""
    names = [table.name for table in leaf_data.tables()]
    by_chunk = [name for name in names if name not in leaf_data.BY_ROW | leaf_data.BY_COLUMN]
    return {
        BY_ROW: sorted(leaf_data.BY_ROW),
        BY_CHUNK: by_chunk,
        BY_COLUMN: sorted(leaf_data.BY_COLUMN),
    }


def sealed_by() -> dict[str, set[str]]:
    """Return what each hash or signature is covered by: SEALS, and the leaves of stored columns.

    What a head leads to is stored as well, and covered by later heads: no arrow.
    """
    below: dict[str, set[str]] = {}
    for source, target, _, _ in SEALS:
        below.setdefault(source, set()).add(target)
        below.setdefault(target, set())
    after_head = reachable(below, BY_ROW)
    for name in sorted(below.keys() - after_head):
        table = name.partition(".")[0]
        below[name] |= {form for form, tables in leaf_forms().items() if table in tables}
    return below


def _floors() -> str:
    # Packages, and modules with a floor of their own; the others stand together at the bottom.
    floors = [
        [name for name in row if len(row) == 1 or (PACKAGE / name).is_dir()] for row in layers()
    ]
    floors = [row for row in floors if row]
    levels = {name: n for n, row in enumerate(floors) for name in row}
    shown = [*levels]
    shared = sorted(name for row in layers() for name in row if name not in levels)
    imported = imports()
    below = reduced({name: imported[name] & {*shown} for name in shown})
    boxes = {name: Box(name, tuple(_described(name)), wrap=31) for name in shown}
    every = "modules that packages above them share"
    boxes[every] = Box(every, (", ".join(shared),), "plain", 60)
    return drawn(
        "The packages of tracker, each on its floor, and what they import",
        boxes,
        {**below, every: set()},
        {**levels, every: len(floors)},
    )


def _tower() -> str:
    below, steps = tower()
    titles = _titles()
    boxes = {}
    for name in below:
        text = [titles[name]]
        if steps[name]:
            text.append(f"through {', '.join(sorted(steps[name]))}")
        kind = {FIRST_FACT: "fact", ENDPOINT: "goal"}.get(name, "kept")
        boxes[name] = Box(name, tuple(text), kind, 29)
    return drawn(
        "The views between the table event and the primary endpoint",
        boxes,
        below,
        levels_of(below),
        (("fact", "facts"), ("kept", "view whose rows are kept"), ("goal", "computed when asked")),
    )


def _matching() -> str:
    below, kinds = matching_chain()
    titles = _titles()
    boxes = {name: Box(name, (titles[name],), kinds[name], 34) for name in below}
    return drawn(
        "The views and statements between the texts of studies and their pairs",
        boxes,
        below,
        levels_of(below),
        (("fact", "stored"), ("box", "made for one run of matching"), ("kept", "view")),
    )


def _seals() -> str:
    below = sealed_by()
    forms = leaf_forms()
    texts = {
        **_SEALED_TEXTS,
        FILES: (", ".join(name for name in HEADER_FIELDS if name.endswith("_sha256")),),
        BY_ROW: (f"of {len(forms[BY_ROW])} tables:", ", ".join(forms[BY_ROW])),
        BY_CHUNK: (
            f"up to {leaf_data.CHUNK_ROWS:,}, of {len(forms[BY_CHUNK])} tables:",
            ", ".join(forms[BY_CHUNK]),
        ),
        BY_COLUMN: (f"up to {leaf_data.CHUNK_ROWS:,} rows:", ", ".join(forms[BY_COLUMN])),
        VERIFIERS: (
            "tracker check",
            "tracker verify",
            ", ".join(sorted(path.name for path in verifiers())),
        ),
    }
    wide = {BY_ROW: 36, BY_CHUNK: 36}
    boxes = {
        name: Box(
            name,
            texts[name],
            "fact" if name in forms else "goal" if name == VERIFIERS else "box",
            wide.get(name, 27),
        )
        for name in below
    }
    return drawn(
        "What is sealed by what, from the rows of a store to those who verify",
        boxes,
        below,
        levels_of(below),
    )


def _titles() -> dict[str, str]:
    """Return what each table, each view and what each statement of matching makes is said to be."""
    return {
        **{
            made: statement.header["Title"]
            for made, statement in _made_by_statements()
            if "Creates" in statement.header
        },
        **{view.name: view.header["Title"] for view in catalog.read_views()},
        **{name: table.comment or "" for name, table in schema.metadata.tables.items()},
    }


def _made_by_statements() -> Iterator[tuple[str, statements.Statement]]:
    """Yield the table that each statement of matching makes or appends to."""
    for path in sorted((ROOT / "sql" / "statements" / "matching").glob("*.sql")):
        statement = statements.read(path)
        made = statement.header.get("Writes") or statement.header.get("Creates")
        if made is not None:
            yield made, statement


def verifiers() -> list[Path]:
    """Return the scripts that verify without a store, which come with exports and sites."""
    return [path for path in PACKAGE.rglob("verify*") if path.suffix == ".js" or _runs(path)]


def _runs(path: Path) -> bool:
    """Whether a file is a script, which Python runs by itself."""
    return path.suffix == ".py" and '__name__ == "__main__"' in path.read_text(encoding="utf-8")


def _layers(container: str) -> list[list[str]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = [
        one
        for one in settings["tool"]["importlinter"]["contracts"]
        if one["type"] == "layers" and one["containers"] == [container]
    ]
    return [[name.strip() for name in row.split("|")] for row in contract["layers"]]


def _described(name: str) -> Iterator[str]:
    """Yield the first line of what a package says of itself, and the packages within it."""
    folder = PACKAGE / name
    path = folder / "__init__.py" if folder.is_dir() else PACKAGE / f"{name}.py"
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    yield said.splitlines()[0].replace("`", "")
    inner = sorted(one.parent.name for one in folder.glob("*/__init__.py"))
    if name == "extras":
        yield from (" | ".join(row) for row in _layers(f"tracker.{name}"))
    elif inner:
        yield f"with {', '.join(inner)}"


def _imported(tree: ast.AST) -> Iterator[str]:
    """Yield the name below tracker/ of each import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for module in modules:
            first, *rest = module.split(".")
            if first == "tracker" and rest:
                yield rest[0]


def main() -> None:
    """Write the pictures."""
    PICTURES.mkdir(exist_ok=True)
    for name, content in pictures().items():
        (PICTURES / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
