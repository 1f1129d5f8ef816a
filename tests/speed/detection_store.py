"""A store in which detection has much to find: a slate of a whole matrix, and evidence.

Two releases of ChEMBL (60,000 indications each) and two snapshots of 600,000 studies, one before
and one after the freeze; 50,000 studies state one of some 38,000 reasons for a stop.
"""

from datetime import date
from pathlib import Path

import duckdb
from sqlalchemy import Connection, text

from tracker import store
from tracker.slates import freezing, loads

_RELEASES = """
insert into release by name
select
    release_id,
    if(release_id < 3, 'chembl', 'ctgov') as source,
    cast(release_id as varchar) as version,
    if(release_id % 2 = 1, date '2025-01-01', date '2025-09-01') as released_on,
    now() as ingested_at,
    cast(release_id as varchar) as sha256,
    'benchmark' as origin,
    0 as n_rows
from range(1, 5) as made (release_id)
"""
# Half the second release's indications are as they were; a tenth of the studies changed.
_INDICATIONS = """
insert into indication by name
select
    row_number() over () as indication_id,
    made_release.release_id,
    cast(made.i as varchar) as source_key,
    'CHEMBL' || (hash(made.i) % :n_molecules) as chembl_id,
    null as parent_chembl_id,
    'EFO:' || (hash(made.i, 1) % 5000) as efo_id,
    'disease ' || (hash(made.i, 1) % 5000) as efo_term,
    'disease ' || (hash(made.i, 1) % 5000) as folded_efo_term,
    if(made.i % 2 = 0, hash(made.i, 2), hash(made.i, made_release.release_id)) % 5 as max_phase
from range(60000) as made (i)
cross join range(1, 3) as made_release (release_id)
"""
_TRIALS = """
insert into trial by name
select
    row_number() over () as trial_id,
    cast(if(made.i < 600000, 3, 4) as integer) as release_id,
    printf('NCT%08d', made.i % 600000) as nct_id,
    '' as source_key,
    'INTERVENTIONAL' as study_type,
    [0.5, 1, 2, 3, 4][1 + made.i % 5] as reached_phase,
    ['RECRUITING', 'COMPLETED', 'TERMINATED'][1 + made.i // 5 % 3] as overall_status,
    date '2010-01-01' + cast(hash(made.i, 2) % 6000 as integer) as start_date,
    'day' as start_precision,
    date '2010-01-01' + cast(hash(made.i, 3) % 5600 as integer) as first_posted_on,
    cast(made.i as varchar) as content_sha256,
    ['TREATMENT', 'PREVENTION', 'DIAGNOSTIC', null][1 + made.i % 4] as primary_purpose,
    if(
        made.i // 5 % 3 = 2 and made.i % 4 = 0,
        ['Sponsor decision, site ', 'Slow accrual, arm ', 'Lack of efficacy in cohort ',
            'Adverse events in group '][1 + made.i % 7 % 4] || (hash(made.i, 4) % 38000),
        null
    ) as why_stopped
from range(660000) as made (i)
"""
_CONDITIONS = """
insert into trial_condition by name
select
    trial.trial_id,
    made.n as position,
    'disease ' || (hash(trial.nct_id, made.n) % 40000) as name,
    'disease ' || (hash(trial.nct_id, made.n) % 40000) as folded_name,
    false as is_mesh_term
from trial
cross join range(1, 3) as made (n)
"""
_INTERVENTIONS = """
insert into trial_intervention by name
select
    trial.trial_id,
    made.n as position,
    'drug ' || (hash(trial.nct_id, made.n, 1) % 40000) as name,
    'drug ' || (hash(trial.nct_id, made.n, 1) % 40000) as folded_name,
    false as is_other_name,
    false as is_mesh_term
from trial
cross join range(1, 3) as made (n)
"""
_ALIASES = """
insert into drug_alias by name
select 'chembl_id' as kind, 'CHEMBL' || drug_id as value, drug_id, added_at
from drug_alias
where kind = 'name'
"""


def freeze_more(path: Path, n_more: int) -> None:
    """Freeze further slates of the candidates, each a little shorter than the one before."""
    with store.writer(path, run_checks=False) as connection:
        for place in range(1, n_more + 1):
            freezing.freeze(
                connection,
                candidates="whole",
                labels="known",
                top_k=50 - place,
                replay_as_of=date(2025, 3, 1),
            )


def make_store(path: Path, folder: Path, n_diseases: int, n_drugs: int) -> None:
    """Make a store with a slate of the whole matrix and evidence of official size."""
    with duckdb.connect(config={"memory_limit": "4GB"}) as maker:
        maker.execute("select setseed(0.5)")
        maker.sql(
            f"select 'disease ' || d as disease_name, 'drug ' || g as drug_name, "  # noqa: S608 - names of the test's own
            f"random() as score from range({n_diseases}) a (d), range({n_drugs}) b (g)"
        ).to_parquet(str(folder / "candidates.parquet"))
        maker.sql(
            f"select 'disease ' || d as disease_name, 'drug ' || g as drug_name, "  # noqa: S608 - names of the test's own
            f"hash(d, g) % 5 as label from range({n_diseases}) a (d), range({n_drugs}) b (g) "
            "where hash(g, d) % 500 < 1"
        ).to_parquet(str(folder / "labels.parquet"))
    with store.writer(path, run_checks=False) as connection:
        loads.load_candidates(connection, folder / "candidates.parquet", "whole", "v1")
        loads.load_labels(connection, folder / "labels.parquet", "known")
        connection.execute(text(_ALIASES))
        freezing.freeze(
            connection, candidates="whole", labels="known", replay_as_of=date(2025, 3, 1)
        )
    with store.writer(path, run_checks=False) as connection:
        _add_evidence(connection, n_drugs)


def _add_evidence(connection: Connection, n_drugs: int) -> None:
    connection.execute(text(_RELEASES))
    connection.execute(text(_INDICATIONS), {"n_molecules": 2 * n_drugs})
    for statement in (_TRIALS, _CONDITIONS, _INTERVENTIONS):
        connection.execute(text(statement))
