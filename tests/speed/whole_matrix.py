"""The files of a whole-matrix model: every drug scored for every disease, by chance."""

from pathlib import Path

import duckdb

MEMORY_LIMIT = "4GB"


def make_files(folder: Path, n_diseases: int, n_drugs: int) -> None:
    """Write candidates, labels and outcomes of a whole matrix as Parquet files."""
    with duckdb.connect(config={"memory_limit": MEMORY_LIMIT}) as maker:
        maker.execute("select setseed(0.5)")
        maker.execute("create table a as from range(?) a (d)", [n_diseases])
        maker.execute("create table b as from range(?) b (g)", [n_drugs])
        maker.execute(
            "create view pair as select 'disease ' || d as disease_name, "
            "'drug ' || g as drug_name, d, g from a, b"
        )
        files = {
            "candidates": "select disease_name, drug_name, random() as score from pair",
            "labels": "select disease_name, drug_name, hash(d, g) % 5 as label from pair "
            "where hash(g, d) % 500 < 1 or g < 3 and hash(g, d) % 100 < 5",
            "outcomes": "select disease_name, drug_name, 'chembl' as source, "
            "if(hash(d, g) % 4 < 3, 'phase_advanced', 'status_transition') as outcome_type, "
            "current_date - cast(hash(d) % 600 as integer) as event_date, "
            "current_date - cast(hash(g) % 500 as integer) as first_public_on "
            "from pair where hash(g, d, 1) % 700 < 1",
        }
        for name, query in files.items():
            maker.sql(query).to_parquet(str(folder / f"{name}.parquet"))
