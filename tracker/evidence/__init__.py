"""Ingests releases of evidence: each once, all of it or nothing, changes kept as versions.

The sources modules read into temporary tables; the statements here judge what is there and store
what is new. Nothing that an earlier release said is changed or removed.
"""

from tracker.evidence.chembl.ingesting import ingest_chembl
from tracker.evidence.fda.ingesting import ingest_fda
from tracker.evidence.release_ledger import Ingested, releases
from tracker.evidence.trials.ingesting import ingest_trials

__all__ = ["Ingested", "ingest_chembl", "ingest_fda", "ingest_trials", "releases"]
