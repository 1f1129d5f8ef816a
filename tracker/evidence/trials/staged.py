"""The temporary tables that studies are read into, with the same columns for all registries.

source_key names the record in its file; a study in several files has a row for each. Words are as
in the source. Names are trimmed and never empty; MeSH ids are written as in aliases. An
intervention and its other names have one ordinal, by which an arm refers to it; MeSH terms are
numbered apart.
"""

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import temp_tables
from tracker.temp_tables import define

STUDY = define(
    "staged_study",
    "nct_id",
    "source_key",
    "title",
    "study_type",
    "phase",
    "overall_status",
    "start_date",
    "start_type",
    "primary_completion_date",
    "completion_date",
    "first_posted_on",
    "last_update_posted_on",
)
# What older exports of the registry lack; a study may have a row from each of several files.
DETAIL = define(
    "staged_detail",
    "source_key",
    "primary_purpose",
    "why_stopped",
    "results_posted_on",
    "last_known_status",
)
CONDITION = define(
    "staged_condition",
    *("source_key", "ordinal", "name", "is_mesh_term", "mesh_id"),
    ordinal=sa.BigInteger,
    is_mesh_term=sa.Boolean,
)
INTERVENTION = define(
    "staged_intervention",
    "source_key",
    "ordinal",
    "intervention_type",
    "name",
    "is_other_name",
    "is_mesh_term",
    "mesh_id",
    ordinal=sa.BigInteger,
    is_other_name=sa.Boolean,
    is_mesh_term=sa.Boolean,
)
ARM = define("staged_arm", "source_key", "arm_number", "arm_type", arm_number=sa.BigInteger)
# Of a past version of a study: its number, and the day on which it was submitted.
REVISION = define("staged_revision", "source_key", version_number=sa.Integer, submitted_on=sa.Date)
# A number by which a registry knows a study; nct_id is the one under which the study is kept.
NUMBER = define("staged_number", "nct_id", "number")
ARM_INTERVENTION = define(
    "staged_arm_intervention", "source_key", arm_number=sa.BigInteger, ordinal=sa.BigInteger
)


def create(connection: Connection) -> None:
    """Make the tables, empty."""
    temp_tables.recreate(
        connection, STUDY, DETAIL, CONDITION, INTERVENTION, ARM, ARM_INTERVENTION, REVISION, NUMBER
    )
