"""The folder that teams take: the question, its files, how to take part, and a page."""

from pathlib import Path

from sqlalchemy import Connection

from tracker.extras.rounds import board, questions, round_page
from tracker.extras.rounds.questions import FILES, QUESTION, Round
from tracker.files import exports
from tracker.reports.pages import formats

EXPLANATION, PAGE = "README.txt", "index.html"
_EXPLANATION = """\
Round {name}: rank drugs for {n_diseases:,} diseases.

question.json   the question: plan, length of lists, deadline, what could be detected
candidates.csv  every pair that may be ranked, with a score to fill in
labels.csv      what was known on {labels_as_of}: 0 a negative, 1 to 3 the phase, 4 approved
probe.csv       known drugs of five diseases: the answers to try a submission with
index.html      the same in words

Predict. Write predictions.csv with the columns disease_name, drug_name and score, of which the
highest is the best. The {top_k:,} best of each disease count, without pairs that labels.csv knows
(1 to 4). A disease with fewer is refused, unless it has no more candidates; one that is left out
counts as misses.

Deposit by {deadline}. Send reply.tsr, the name of your team and that of your model:

    openssl ts -query -data predictions.csv -sha256 -cert -out query.tsq
    curl -s -H 'Content-Type: application/timestamp-query' --data-binary @query.tsq \\
        http://timestamp.digicert.com > reply.tsr

Keep predictions.csv as it is: sha256sum predictions.csv is what the reply dates. A later reply
for the same model replaces it until the deadline, and the board says so.

Reveal. After the deadline send predictions.csv. It is ranked, frozen, and judged like all others.
"""


def write(connection: Connection, found: Round, folder: Path) -> None:
    """Write what explains the question to the question's folder."""
    question = found.question
    values = {**question, "deadline": questions.shown(found.deadline)}
    (folder / EXPLANATION).write_text(_EXPLANATION.format_map(values), encoding="utf-8")
    drawn = round_page.build(board.asked(connection, found))
    (folder / PAGE).write_text(formats.render(drawn, "html"), encoding="utf-8")
    exports.keep_line_ends(folder)


def refuse_foreign_content(folder: Path) -> None:
    """Raise InputRefused if a folder contains anything but a question."""
    own = (QUESTION, *FILES, EXPLANATION, PAGE)
    exports.refuse_foreign_content(folder, own, lambda _: questions.read(folder))
