"""The temporary tables that studies are read into, with the same columns for both forms."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import temp_tables

_STUDY_COLUMNS = (
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
_DETAIL_COLUMNS = (
    "source_key",
    "primary_purpose",
    "why_stopped",
    "results_posted_on",
    "last_known_status",
)
_CONDITION_COLUMNS = ("source_key", "ordinal", "name", "is_mesh_term", "mesh_id")
_INTERVENTION_COLUMNS = (
    "source_key",
    "ordinal",
    "intervention_type",
    "name",
    "is_other_name",
    "is_mesh_term",
    "mesh_id",
)
_ARM_COLUMNS = ("source_key", "arm_number", "arm_type")
# Of a past version of a study: its number, and the day on which it was submitted.
_REVISION_COLUMNS = ("source_key", "version_number", "submitted_on")
# A number by which a registry knows a study; nct_id is the one under which the study is kept.
_NUMBER_COLUMNS = ("nct_id", "number")
_ARM_INTERVENTION_COLUMNS = ("source_key", "arm_number", "ordinal")


def _staged(name: str, columns: Sequence[str]) -> sa.Table:
    kinds: dict[str, Any] = {
        "ordinal": sa.BigInteger,
        "arm_number": sa.BigInteger,
        "is_mesh_term": sa.Boolean,
        "is_other_name": sa.Boolean,
        "version_number": sa.Integer,
        "submitted_on": sa.Date,
    }
    return sa.Table(
        name,
        sa.MetaData(),
        *[sa.Column(column, kinds.get(column, sa.String)) for column in columns],
        prefixes=["TEMPORARY"],
    )


# source_key names the record in its file; a study in several files has a row for each. Words are as
# in the source. Names are trimmed and never empty; MeSH ids are written as in aliases. An
# intervention and its other names have one ordinal, by which an arm refers to it; MeSH terms are
# numbered apart.
STUDY = _staged("staged_study", _STUDY_COLUMNS)
DETAIL = _staged("staged_detail", _DETAIL_COLUMNS)
CONDITION = _staged("staged_condition", _CONDITION_COLUMNS)
INTERVENTION = _staged("staged_intervention", _INTERVENTION_COLUMNS)
ARM = _staged("staged_arm", _ARM_COLUMNS)
REVISION = _staged("staged_revision", _REVISION_COLUMNS)
NUMBER = _staged("staged_number", _NUMBER_COLUMNS)
ARM_INTERVENTION = _staged("staged_arm_intervention", _ARM_INTERVENTION_COLUMNS)


def create(connection: Connection) -> None:
    """Make the tables, empty."""
    temp_tables.recreate(
        connection, STUDY, DETAIL, CONDITION, INTERVENTION, ARM, ARM_INTERVENTION, REVISION, NUMBER
    )
