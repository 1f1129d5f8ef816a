"""The store's tables: facts only, no definitions. Views live in sql/ (tracker.store.catalog).

alembic compares the migrations with this metadata, so a column added here without a migration
fails the tests. One module for each part of the store.
"""

from tracker.schema.backtests import *
from tracker.schema.base import *
from tracker.schema.benchmarks import *
from tracker.schema.entities import *
from tracker.schema.estimates import *
from tracker.schema.evaluations import *
from tracker.schema.evidence import *
from tracker.schema.log import *
from tracker.schema.matches import *
from tracker.schema.rounds import *
from tracker.schema.slates import *
from tracker.schema.timestamps import *
from tracker.schema.vocabularies import *
