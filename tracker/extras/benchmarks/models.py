"""What a submitter states of the model behind a submission: frozen and hashed with it."""

from dataclasses import asdict, dataclass, fields
from datetime import date
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy import Connection

from tracker import schema
from tracker.errors import InputRefused

_LONGEST = 500


@dataclass(frozen=True)
class Model:
    """A model; `trained_until` is the last day of the data that it was trained on."""

    model: str
    model_version: str | None = None
    link: str | None = None
    license: str | None = None
    trained_until: date | None = None

    @property
    def header(self) -> dict[str, str | None]:
        """The fields as the hash of a submission covers them."""
        day = self.trained_until.isoformat() if self.trained_until else None
        return {**asdict(self), "trained_until": day}


def stated(
    model: str | None,
    model_version: str | None,
    link: str | None,
    license_name: str | None,
    trained_until: date | None,
) -> Model | None:
    """Return the model that options state, if any; InputRefused for facts without a name."""
    facts = (model_version, link, license_name, trained_until)
    if model is not None:
        return Model(model, *facts)
    if any(fact is not None for fact in facts):
        raise InputRefused("what is said of a model needs its name: give --model NAME")
    return None


def check(model: Model, today: date) -> None:
    """Raise InputRefused unless texts are printable, the link is http(s), and no date is to come.

    A link of another scheme could run a script on a page.
    """
    texts = {
        "model": model.model,
        "model version": model.model_version,
        "link": model.link,
        "license": model.license,
    }
    for noun, text in texts.items():
        if text is None:
            continue
        if not text.strip():
            raise InputRefused(f"the {noun} cannot be empty")
        if len(text) > _LONGEST:
            raise InputRefused(f"the {noun} is longer than {_LONGEST} characters")
        if not text.isprintable():
            raise InputRefused(f"the {noun} contains a line end or another control character")
    if model.link is not None and not _is_web_address(model.link):
        raise InputRefused(f"the link '{model.link}' is not an address of http or https")
    if model.trained_until is not None and model.trained_until > today:
        raise InputRefused(f"the training data cannot end in the future ({model.trained_until})")


def _is_web_address(link: str) -> bool:
    try:
        parts = urlsplit(link)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and " " not in link
    except ValueError:
        return False


def record(connection: Connection, submission_id: int, model: Model) -> None:
    """Store the model of a submission."""
    row = {"submission_id": submission_id, **asdict(model)}
    connection.execute(schema.submission_model.insert(), row)


def find(connection: Connection, submission_id: int) -> Model | None:
    """Return the model of a submission, None if none was stated."""
    return of_submissions(connection, [submission_id]).get(submission_id)


def of_submissions(connection: Connection, submissions: list[int]) -> dict[int, Model]:
    """Return the models of submissions that have one."""
    table = schema.submission_model
    wanted = sa.select(table.c.submission_id, *[table.c[one.name] for one in fields(Model)]).where(
        table.c.submission_id.in_(submissions)
    )
    return {number: Model(*facts) for number, *facts in connection.execute(wanted)}
