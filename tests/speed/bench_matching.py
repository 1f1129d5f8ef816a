"""Speed of matching: 600,000 studies against 3,000 drugs and 22,000 diseases, at every kind.

    .venv/bin/python tests/speed/bench_matching.py [--studies 600000] [--threads 2] [--steps]

A vocabulary of 30,000 diseases with 120,000 names and parents, one of 20,000 drugs with 70,000
names, and studies whose conditions and interventions are names of these, salted, dosed, combined,
qualified, or of nothing known: 1.2 million conditions with some 150,000 distinct texts, and as many
interventions with some 700,000, much as in the registry. Prints the seconds of the first matching,
of one with nothing new, of one after 1,000 further studies and of one after a new alias, and the
peak memory.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from measuring import read_options, say
from sqlalchemy import Connection, CursorResult, text

from tracker import store
from tracker.evidence import matching
from tracker.store import statements

_MACROS = (
    "create or replace temp macro pick(h, below) as cast(h % below as bigint)",
    # A word of two to four syllables, different for each number.
    """
create or replace temp macro made_word(n, salt) as
concat(
    ['ab', 'cor', 'du', 'el', 'fi', 'gan', 'ho', 'ix', 'jar', 'kel'][1 + pick(hash(n, salt), 10)],
    ['ba', 'ci', 'dro', 'fe', 'go', 'lu', 'mi', 'no', 'pra', 'ta'][1 + pick(hash(n, salt, 1), 10)],
    ['ro', 'sil', 'tu', 'vi', 'xa', 'ze', 'mo', 'lin', 'qua', 're'][1 + n % 10],
    ['nib', 'mab', 'pril', 'statin', 'osis', 'itis', 'oma', 'ol', 'ine', 'an'][1 + n // 10 % 10],
    chr(cast(97 + n // 100 % 26 as integer)),
    chr(cast(97 + n // 2600 % 26 as integer))
)
""",
    """
create or replace temp macro disease_name(n, nth) as
case nth
    when 0 then made_word(n, 'd') || ' disease'
    when 1 then made_word(n, 'd') || ' syndrome of the ' || made_word(n % 500, 'o')
    when 2 then 'chronic ' || made_word(n, 'd') || ', ' || made_word(n % 700, 'q')
    else made_word(n, 'e') || ' type ' || (1 + n % 3)
end
""",
    """
create or replace temp macro drug_name(n, nth) as
case nth
    when 0 then made_word(n, 'g')
    when 1 then made_word(n, 'g') || ' hydrochloride'
    when 2 then made_word(n, 'h') || '-' || (n % 1000)
    else made_word(n, 'i') || ' ' || made_word(n % 900, 'j')
end
""",
)
_RELEASES = """
insert into release by name
select
    release_id,
    ['diseases', 'drugs', 'ctgov'][release_id] as source,
    '1' as version,
    date '2025-01-01' as released_on,
    timestamptz '2025-02-01 00:00:00+00' as ingested_at,
    cast(release_id as varchar) as sha256,
    'benchmark' as origin,
    0 as n_rows
from range(1, 4) as made (release_id)
"""
_VOCABULARIES = (
    "insert into vocabulary_release values (1, 30000, 120000, 30000, 0), (2, 20000, 70000, 0, 0)",
    """
insert into vocabulary_name by name
select
    1 as release_id,
    'MONDO:' || n as term_id,
    if(nth = 0, 'label', 'exact') as scope,
    disease_name(n, nth) as name,
    disease_name(n, nth) as folded_name
from range(30000) as made (n)
cross join range(4) as named (nth)
union all
select
    2 as release_id,
    'DRUGBANK:' || n as term_id,
    if(nth = 0, 'label', 'exact') as scope,
    drug_name(n, nth) as name,
    drug_name(n, nth) as folded_name
from range(20000) as made (n)
cross join range(4) as named (nth)
where nth < 3 or n % 2 = 0
""",
    """
insert into vocabulary_term by name
select
    release_id,
    term_id,
    name as label,
    folded_name as folded_label,
    false as is_obsolete
from vocabulary_name
where scope = 'label'
""",
    """
insert into vocabulary_parent by name
select
    1 as release_id,
    'MONDO:' || n as term_id,
    'MONDO:' || (n // 4) as parent_term_id
from range(1, 30000) as made (n)
""",
)
_ENTITIES = (
    """
insert into disease by name
select n + 1 as disease_id, disease_name(n, 0) as name, 'MONDO:' || n as ontology_id
from range(:n_diseases) as made (n)
""",
    """
insert into disease_alias by name
select 'mondo_id' as kind, ontology_id as value, disease_id,
    timestamptz '2025-01-01 00:00:00+00' as added_at
from disease
union all
select 'name', name, disease_id, timestamptz '2025-01-01 00:00:00+00'
from disease
""",
    """
insert into drug by name
select n + 1 as drug_id, drug_name(n, 0) as name from range(:n_drugs) as made (n)
""",
    """
insert into drug_alias by name
select 'name' as kind, name as value, drug_id,
    timestamptz '2025-01-01 00:00:00+00' as added_at
from drug
""",
)
_STUDIES = (
    """
insert into trial by name
select
    cast(n as integer) as trial_id,
    3 as release_id,
    printf('NCT%08d', n) as nct_id,
    '' as source_key,
    cast(n as varchar) as content_sha256
from range(:first, :last) as made (n)
""",
    """
insert into trial_condition by name
with made as (
    select
        cast(n as integer) as trial_id,
        cast(nth as integer) as position,
        -- Most studies are of the same few thousand diseases.
        disease_name(
            pick(hash(n, nth, 'c'), if(hash(n, nth, 'p') % 8 = 0, 30000, 3000)),
            pick(hash(n, nth), 4)
        ) as name,
        case pick(hash(n, nth, 'f'), 10)
            when 0 then 'stage iv % in adults'
            when 1 then '% and ' || made_word(pick(hash(n, nth), 20), 'w')
            when 2 then '% of the ' || made_word(pick(hash(n, nth), 20), 'w')
            when 3 then 'severe %'
            when 4 then made_word(pick(hash(n, nth), 40000), 'u') || ' surgery'
            else '%'
        end as pattern
    from range(:first, :last) as study (n)
    cross join range(1, 3) as numbered (nth)
)
select
    trial_id,
    position,
    replace(pattern, '%', name) as name,
    replace(pattern, '%', name) as folded_name,
    position = 2 and pick(hash(trial_id), 3) = 0 as is_mesh_term
from made
""",
    """
insert into trial_intervention by name
with made as (
    select
        cast(n as integer) as trial_id,
        cast(nth as integer) as position,
        drug_name(
            pick(hash(n, nth, 'i'), if(hash(n, nth, 'p') % 8 = 0, 20000, 2000)),
            pick(hash(n, nth), 4)
        ) as name,
        case pick(hash(n, nth, 'f'), 12)
            when 0 then '% ' || (pick(hash(n), 900)) || ' mg tablets once daily'
            when 1 then '% plus ' || drug_name(pick(hash(n, nth, 'k'), 2000), 0) || ' (arm a)'
            when 2 then 'placebo to match %'
            when 3 then 'low dose % with ' || made_word(pick(hash(n), 40000), 'w') || ' infusion'
            when 4 then made_word(pick(hash(n), 40000), 'w') || ' training program '
                || made_word(pick(hash(n, nth), 4000), 'v')
            when 5 then made_word(pick(hash(n), 40000), 'w') || ' questionnaire, week '
                || (pick(hash(n, nth), 90)) || ' and telephone follow-up by a nurse'
            when 6 then 'blood samples for ' || made_word(pick(hash(n, nth), 90000), 'v')
            when 7 then '% (' || made_word(pick(hash(n), 40000), 'w') || '-' || (n % 1000)
                || ') 0.5%'
            else '%'
        end as pattern
    from range(:first, :last) as study (n)
    cross join range(1, 3) as numbered (nth)
)
select
    trial_id,
    position,
    replace(pattern, '%', name) as name,
    replace(pattern, '%', name) as folded_name,
    position = 2 as is_other_name,
    false as is_mesh_term
from made
""",
)


def main() -> None:
    """Make the store, time the matching, print seconds and peak memory."""
    options = read_options(
        __doc__, studies=600_000, diseases=22_000, drugs=3_000, threads=2, steps=False
    )
    with tempfile.TemporaryDirectory(prefix="tracker-benchmark-") as name:
        _run(Path(name) / "store.duckdb", options)


def _run(path: Path, options: argparse.Namespace) -> None:
    sizes = {"n_diseases": options.diseases, "n_drugs": options.drugs}
    with store.writer(path, run_checks=False) as connection:
        _execute(connection, *_MACROS, _RELEASES, *_VOCABULARIES)
        _execute(connection, *_ENTITIES, **sizes)
        _execute(connection, *_STUDIES, first=1, last=options.studies + 1)
    before = _peak()
    with store.writer(path, run_checks=False) as connection:
        connection.exec_driver_sql(f"set threads = {options.threads:d}")
        if options.steps:
            _time_steps()
        _time("first matching", connection)
        say(f"peak memory {_peak():.1f} GB ({before:.1f} GB before)")
        _time("nothing new", connection)
        _execute(connection, *_MACROS)
        last = options.studies + 1
        _execute(connection, *_STUDIES, first=last, last=last + 1_000)
        _time("1,000 further studies", connection)
        _execute(connection, "insert into drug_alias values ('synonym', 'made up', 1, now())")
        _time("after a new alias", connection)


def _time(what: str, connection: Connection) -> None:
    started = time.perf_counter()
    found = matching.match_texts(connection)
    spent = time.perf_counter() - started
    say(f"{what}: {spent:.2f} s, {found.n_texts:,} texts, {found.n_matches:,} matches")


def _time_steps() -> None:
    run = statements.run

    def timed(
        connection: Connection, name: str, parameters: Mapping[str, Any] | None = None
    ) -> CursorResult[Any]:
        started = time.perf_counter()
        result = run(connection, name, parameters)
        say(f"  {name:24} {time.perf_counter() - started:7.2f} s  peak {_peak():.1f} GB")
        return result

    statements.run = timed


def _execute(connection: Connection, *queries: str, **parameters: int) -> None:
    for query in queries:
        named = {name: value for name, value in parameters.items() if f":{name}" in query}
        connection.execute(text(query), named)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


if __name__ == "__main__":
    main()
