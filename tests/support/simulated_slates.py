"""The slates of a simulated world: how they are put into a store, and what is known at each.

Slates frozen on past days are really frozen, under a clock set back.
"""

import csv
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bench import TWINS, published
from simulated_history import AMBIGUOUS, COMMON_CONDITION, FIRST_DAY, World
from simulated_truth import DEFAULT_USES, Keys, Pair, Watch, fold
from simulated_truth import USES as USES_OF_STUDIES
from sqlalchemy import text

from tracker import clock, store
from tracker.slates import freezing, imports, loads, plans
from tracker.slates.aliases import load_aliases

# Recorded in this order; the second load of aliases is between 'planned' and 'later'.
NAMES = ("first", "planned", "later", "replay", "published")
N_FIRST = 2
# How many diseases the slate 'later' is about.
LATER_DISEASES = 5
# What a drug may be used for in a study that counts, where the plan lists something else than the
# default plan; the published slate's plan lists nothing, and so counts every study.
USES = {
    "planned": frozenset({"treatment", "background", "education", "other purpose"}),
    "later": USES_OF_STUDIES - {"treatment", "not stated"},
    "replay": frozenset({"treatment"}),
    "published": USES_OF_STUDIES,
}
# When the slates that are as of an earlier day are put into the store.
_REPLAYED_ON, _IMPORTED_ON = date(2024, 12, 1), date(2024, 12, 24)
_BY_ALIASES = """
update slate set plan = '{"matching": {"kinds": []}}' where origin = 'published'
"""

# The publisher's date is not the store's word alone: an authority has seen the hash.
_PROVED = """
insert into timestamp_token
select 1, content_sha256, created_at, 'A test authority', 'root', null, '', recorded_at
from slate where origin = 'published'
"""


def frozen_on(world: World) -> dict[str, date]:
    """Return the slates' freeze dates.

    Two of them are the very days of a release, two within the interval of a ChEMBL release that
    has news.
    """
    days = [release.day for release in world.releases]
    return {
        "first": FIRST_DAY - timedelta(days=30),
        "loose": FIRST_DAY - timedelta(days=30),
        "planned": days[len(days) // 3] + timedelta(days=1),
        "later": days[len(days) * 5 // 8] + timedelta(days=2),
        "replay": _day_of(world, "ctgov", 4),
        "published": _day_of(world, "chembl", 6),
    }


def _day_of(world: World, source: str, number: int) -> date:
    return [release.day for release in world.releases if release.source == source][number]


@dataclass(frozen=True)
class Alias:
    """A row of an aliases file, or a name of two, put into the store without one."""

    entity: str
    name: str
    kind: str
    value: str


@dataclass(frozen=True)
class Cast:
    """The predictions, knowledge and names of a world's users."""

    candidates: dict[Pair, float]
    labels: dict[Pair, int]
    published: list[tuple[Pair, float]]
    aliases: tuple[list[Alias], list[Alias]]


def cast(world: World, seed: int) -> Cast:
    """Return predictions, labels and two loads of aliases for a world."""
    chance = random.Random(f"cast {seed}")  # noqa: S311 - chance, not secrecy
    pairs = [(disease.name, drug.name) for disease in world.diseases for drug in world.drugs]
    candidates = {pair: round(chance.uniform(0.2, 1), 6) for pair in pairs if chance.random() < 0.9}
    labels = {pair: chance.choice((0, 0, 1, 2, 3, 4)) for pair in chance.sample(pairs, 60)}
    scored = sorted(chance.sample(pairs, 60))
    early: list[Alias] = []
    late: list[Alias] = []
    for number, disease in enumerate(world.diseases):
        early.append(Alias("disease", disease.name, "synonym", f"{disease.name} of old"))
        late.append(Alias("disease", disease.name, "synonym", f"{disease.name} OF LATE"))
        if number % 4 != 2 and number % 3:
            early.append(Alias("disease", disease.name, "mesh_id", disease.mesh_id[5:]))
        if number % 4 != 1 and number % 3 != 1:
            late.append(Alias("disease", disease.name, "mondo_id", disease.mondo_id))
    for number, drug in enumerate(world.drugs):
        early.append(Alias("drug", drug.name, "synonym", f"Old  {drug.name}"))
        late.append(Alias("drug", drug.name, "synonym", f"Late {drug.name}"))
        if drug.parent and number % 20 < 10:
            early.append(Alias("drug", drug.name, "parent_chembl_id", drug.parent))
        elif drug.parent:
            late.append(Alias("drug", drug.name, "parent_chembl_id", drug.parent))
        if drug.salts:
            late.append(Alias("drug", drug.name, "synonym", f"{drug.name} salt 1"))
    early += [Alias("disease", d.name, "shared", COMMON_CONDITION) for d in world.diseases[:2]]
    names = [drug.name for drug in world.drugs]
    early += [Alias("drug", name, "shared", AMBIGUOUS[0]) for name in names[2:4]]
    early.append(Alias("drug", names[7], "shared", AMBIGUOUS[1]))
    late.append(Alias("drug", names[8], "shared", AMBIGUOUS[1]))
    return Cast(
        candidates, labels, [(pair, 1 - n / 100) for n, pair in enumerate(scored)], (early, late)
    )


def record(db: Path, world: World, made: Cast, names: Sequence[str] = NAMES) -> None:
    """Put candidates, labels, aliases and the slates into a store, each at its moment."""
    folder = db.parent
    days = frozen_on(world)
    with _clock(days["first"]), store.writer(db) as connection:
        _write_candidates(folder / "candidates.csv", world, made)
        loads.load_candidates(connection, folder / "candidates.csv", "scored", "m")
        _write_labels(folder / "labels.csv", made)
        loads.load_labels(connection, folder / "labels.csv", "known")
        _load_aliases(connection, folder / "early.csv", made.aliases[0])
    for number, name in enumerate(names):
        if number == N_FIRST:
            with _clock(days["planned"]), store.writer(db) as connection:
                _load_aliases(connection, folder / "late.csv", made.aliases[1])
        freeze(db, world, made, name)


def freeze(db: Path, world: World, made: Cast, name: str) -> None:
    """Put one slate into the store on its day; a replay, and a published one, later than that."""
    folder = db.parent
    day = frozen_on(world)[name]
    options: dict[str, Any] = {"candidates": "scored", "labels": "known", "description": name}
    if name != "loose":
        written: dict[str, Any] = {
            "fda_drug_level": name == "planned",
            "matching": {"kinds": []},
        }
        if name in USES:
            written["studies"] = {"uses": sorted(USES[name])}
        options |= {"plan": plans.parse(written, "aliases alone")}
    if name == "planned":
        options |= {"top_k": 5}
    if name == "later":
        named = [disease.name for disease in world.diseases[:LATER_DISEASES]]
        options |= {"labels": None, "diseases": named}
    if name in ("replay", "loose"):
        options |= {"replay_as_of": day}
        day = _REPLAYED_ON if name == "replay" else _IMPORTED_ON
    if name == "published":
        with _clock(_IMPORTED_ON), store.writer(db) as connection:
            imports.import_folder(connection, _published(folder, made, day))
            # Published slates have no plan; the truth of this one, too, is that of aliases alone.
            connection.execute(text(_BY_ALIASES))
            connection.execute(text(_PROVED))
        return
    with _clock(day), store.writer(db) as connection:
        freezing.freeze(connection, **options)


def watches(world: World, made: Cast, names: Sequence[str] = NAMES) -> list[Watch]:
    """Return the facts that the truth needs about each slate."""
    candidates = frozenset(made.candidates)
    later = {disease.name for disease in world.diseases[:LATER_DISEASES]}
    pairs = {
        "later": frozenset(pair for pair in candidates if pair[0] in later),
        "published": frozenset(pair for pair, _ in made.published),
    }
    known = {pair: float(label) for pair, label in made.labels.items()}
    days = frozen_on(world)
    found = []
    for number, name in enumerate(names):
        drug_keys, disease_keys = _keys(world, made, n_loads=1 if number < N_FIRST else 2)
        found.append(
            Watch(
                name,
                days[name],
                pairs.get(name, candidates),
                {} if name in ("later", "published") else known,
                drug_keys,
                disease_keys,
                is_drug_level=name == "planned",
                uses=USES.get(name, DEFAULT_USES),
            )
        )
    return found


def _keys(world: World, made: Cast, n_loads: int) -> tuple[dict[str, Keys], dict[str, Keys]]:
    """The names by which evidence refers to drugs and diseases after so many loads of aliases.

    Of those that a record uses, one that a later load makes ambiguous is used last.
    """
    drugs: dict[str, dict[str, int]] = {drug.name: {fold(drug.name): 0} for drug in world.drugs}
    diseases: dict[str, dict[str, int]] = {one.name: {fold(one.name): 0} for one in world.diseases}
    for drug in world.drugs:
        drugs[drug.name] |= {drug.chembl_id: 0} if drug.is_given else {}
    for disease in world.diseases:
        given = (disease.given or "").replace("_", ":")
        if given:
            diseases[disease.name][f"MESH:{given}" if given.startswith("D") else given] = 0
    shared: set[str] = set()
    shared_later: set[str] = set()
    # Names and given identifiers came with the candidates, before any load of aliases.
    for number, load in enumerate(made.aliases, start=1):
        for alias in load:
            value = alias.value if alias.kind.endswith("_id") else fold(alias.value)
            value = f"MESH:{value}" if alias.kind == "mesh_id" else value
            keys = drugs if alias.entity == "drug" else diseases
            if alias.kind == "shared" and any(value in held for held in keys.values()):
                (shared if number <= n_loads else shared_later).add(value)
            if number <= n_loads:
                keys[alias.name].setdefault(value, number)
    last = len(made.aliases) + 1

    def usable(keys: dict[str, dict[str, int]]) -> dict[str, Keys]:
        return {
            name: {
                key: last if key in shared_later else number
                for key, number in held.items()
                if key not in shared
            }
            for name, held in keys.items()
        }

    return usable(drugs), usable(diseases)


@contextmanager
def _clock(day: date) -> Iterator[None]:
    """Let the store take a day's noon for the present."""
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "read", lambda: noon)
        yield


def _write(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def _write_candidates(path: Path, world: World, made: Cast) -> None:
    diseases = {disease.name: disease.given for disease in world.diseases}
    drugs = {drug.name: drug.chembl_id if drug.is_given else None for drug in world.drugs}
    rows = [
        (disease, drug, score, diseases[disease] or "", drugs[drug] or "")
        for (disease, drug), score in made.candidates.items()
    ]
    _write(path, ("disease_name", "drug_name", "score", "disease_id", "chembl_id"), rows)


def _write_labels(path: Path, made: Cast) -> None:
    rows = [(disease, drug, label) for (disease, drug), label in made.labels.items()]
    _write(path, ("disease_name", "drug_name", "label"), rows)


def _load_aliases(connection: Any, path: Path, aliases: Sequence[Alias]) -> None:
    rows = [(a.entity, a.name, a.kind, a.value) for a in aliases if a.kind != "shared"]
    _write(path, ("entity", "name", "kind", "value"), rows)
    load_aliases(connection, path)
    for alias in aliases:
        if alias.kind == "shared":
            # The tracker adds no name of two drugs or diseases, but a store may contain one.
            statement = (
                "insert into {0}_alias by name select 'synonym' as kind, :value as value, "
                "{0}_id, :now as added_at from {0} where name = :name"
            )
            connection.execute(
                text(statement.format(alias.entity)),
                {"value": fold(alias.value), "name": alias.name, "now": store.now(connection)},
            )


def _published(folder: Path, made: Cast, day: date) -> Path:
    rows = ", ".join(
        f"('{TWINS[0]}', '{disease}', '{drug}', {score}, {rank})"
        for rank, ((disease, drug), score) in enumerate(made.published, start=1)
    )
    header = "slate_id, disease_name, drug_name, repurposing_score, rank"
    record_of = {"slate_id": TWINS[0], "created_at": f"{day}T09:00:00+00:00"}
    published(f"from (values {rows}) as t ({header})", [record_of])(folder / "published")
    return folder / "published"
