"""Cost of a round: files of many teams checked and frozen, the board, the page, and the memory.

    .venv/bin/python tests/speed/bench_rounds.py [--teams 50] [--diseases 4000] [--drugs 250]

Each team ranks all candidates and is judged by lists of 50: 200,000 predictions of 4,000 diseases.
Time passes by a false clock, and 3 in 1,000 pairs have a trial that begins after the deadline.
Prints seconds of wall time, which needs an idle machine, and the peak memory of the process.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import authority
import numpy as np
import pandas as pd
from measuring import peak_memory, read_options, say
from sqlalchemy import text

import tracker
from tracker import clock
from tracker.api.stores import Store
from tracker.files import sha256_of

OF_1000_HITS, SHARE_OF_LABELS = 3, 0.004
TOP_K = 50
_EVENTS = text(
    "insert into event by name select row_number() over () as event_id, disease_id, drug_id, "
    "'trial_started' as event_type, 2.0 as phase, started as event_date, "
    "started as public_after, started + 1 as public_by, 'ctgov' as source, "
    "concat('NCT', lpad(cast(row_number() over () as varchar), 8, '0')) as record, "
    "cast(:now as timestamptz) as observed_at, cast(:now as timestamptz) as recorded_at, "
    "'detected' as event_origin, 'name' as match_kind from (select *, "
    "cast(:after as date) + 30 + cast(hash(disease_id, drug_id) % 300 as integer) as started "
    "from candidate where hash(drug_id, disease_id, 7) % 1000 < :of_1000 and candidate_set_id = 1)"
)
HOUR, YEAR = timedelta(hours=1), timedelta(days=400)


def main() -> None:
    """Make the world, play the round, print what each step took."""
    options = read_options(__doc__, teams=50, diseases=4_000, drugs=250)
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        folder = Path(name)
        rng = np.random.default_rng(1)
        pairs = _pairs(options.diseases, options.drugs)
        _write(pairs, folder / "candidates.parquet", score=0.0)
        known = pairs[rng.random(len(pairs)) < SHARE_OF_LABELS]
        known.assign(label=2).to_csv(folder / "labels.csv", index=False)
        files = [folder / f"team{number}.parquet" for number in range(options.teams)]
        novel = pairs.drop(known.index)
        for file in files:
            _write(_lists(novel, rng), file)
        with tracker.open(folder / "store.duckdb", write=True) as opened:
            _play(opened, folder, files)
    say(peak_memory())


def _play(opened: Store, folder: Path, files: list[Path]) -> None:
    stamping = authority.make(folder / "authority")
    opened.load.candidates(folder / "candidates.parquet", "whole", model="none")
    opened.load.labels(folder / "labels.csv", "known")
    opened.timestamps.trust(stamping.root, "Benchmark")
    begun = clock.read()
    _timed(
        "round new",
        lambda: opened.round.new(
            "speed",
            folder / "question",
            candidates="whole",
            labels="known",
            deadline=begun + HOUR,
            top_k=TOP_K,
        ),
    )
    for number, file in enumerate(files):
        token = file.with_suffix(".tsr")
        token.write_bytes(stamping.of(sha256_of(file)))
        opened.round.deposit("speed", token, team=f"team {number}", model="v1")
    with mock.patch.object(clock, "read", return_value=begun + YEAR):
        _happen(opened, begun)
        _timed(f"round reveal, {len(files)} files", lambda: opened.round.reveal("speed", *files))
        _timed("round close", lambda: opened.round.close("speed"))
        made = _timed("board", lambda: opened.round.board("speed"))
        html = _timed("page", lambda: made.text("html"))
    say(f"page of {len(html) / 1e6:.1f} MB")


def _pairs(n_diseases: int, n_drugs: int) -> pd.DataFrame:
    disease, drug = np.divmod(np.arange(n_diseases * n_drugs), n_drugs)
    names = {
        "disease_name": [f"disease {number}" for number in range(n_diseases)],
        "drug_name": [f"drug {number}" for number in range(n_drugs)],
    }
    return pd.DataFrame(
        {
            "disease_name": np.array(names["disease_name"])[disease],
            "drug_name": np.array(names["drug_name"])[drug],
        }
    )


def _lists(pairs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return the best 50 of each disease by scores without skill."""
    scored = pairs.assign(score=rng.random(len(pairs)))
    order = scored.groupby("disease_name")["score"].rank(ascending=False)
    return scored[order <= TOP_K]


def _write(pairs: pd.DataFrame, path: Path, **columns: float) -> None:
    pairs.assign(**columns).to_parquet(path, index=False)


def _happen(opened: Store, begun: datetime) -> None:
    """Record that trials of some candidates have begun."""
    with opened.writing() as connection:
        given = {"after": begun.date(), "of_1000": OF_1000_HITS, "now": clock.now(connection)}
        connection.execute(_EVENTS, given)


def _timed(step: str, run: Callable[[], Any]) -> Any:
    started = time.perf_counter()
    result = run()
    say(f"{step:<30} {time.perf_counter() - started:8.1f} s")
    return result


if __name__ == "__main__":
    main()
