"""Ingests releases of evidence: each once, all of it or nothing, changes kept as versions.

The modules of the sources read into temporary tables; the statements here check them and store what
is new. Nothing from an earlier release is changed or removed.
"""

from tracker.evidence.chembl.ingesting import ingest_chembl
from tracker.evidence.ema.ingesting import ingest_ema
from tracker.evidence.fda.ingesting import ingest_fda
from tracker.evidence.ictrp.ingesting import ingest_ictrp
from tracker.evidence.release_ledger import Ingested, releases
from tracker.evidence.trials.ingesting import ingest_trials
from tracker.evidence.vocabularies.ingesting import IngestedVocabulary, ingest_vocabulary

__all__ = [
    "Ingested",
    "IngestedVocabulary",
    "ingest_chembl",
    "ingest_ema",
    "ingest_fda",
    "ingest_ictrp",
    "ingest_trials",
    "ingest_vocabulary",
    "releases",
]
