"""The store's tables: facts only, no definitions. Views live in sql/ (tracker.store.catalog).

alembic compares the migrations with this metadata, so a column added here without a migration
fails the tests. One module for each part of the store.
"""

from tracker.store.schema.backtests import *
from tracker.store.schema.base import *
from tracker.store.schema.benchmarks import *
from tracker.store.schema.entities import *
from tracker.store.schema.estimates import *
from tracker.store.schema.evaluations import *
from tracker.store.schema.evidence import *
from tracker.store.schema.log import *
from tracker.store.schema.matches import *
from tracker.store.schema.rounds import *
from tracker.store.schema.slates import *
from tracker.store.schema.timestamps import *
