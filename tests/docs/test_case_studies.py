"""The case studies run as written, and print what they show."""

import csv
import gzip
import io
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import ictrp
import pytest
from support import ROOT, SHARED, printed, ran, shell

GUIDES = ROOT / "docs" / "guides"
LATE = GUIDES / "case-late-curation.md"
PANDEMIC = GUIDES / "case-pandemic.md"
COMMANDS = re.compile(r"<!-- example: ([\w ]+) -->\n```sh\n(.*?)```", re.DOTALL)
SHOWN = re.compile(r"(?<=```text\n)\$ ([^\n]+)\n(.*?)(?=```)", re.DOTALL)
SCRIPT = "docs/guides/covid_rankings.py"
EXPORTS = SHARED / "ictrp"
real = pytest.mark.skipif(not EXPORTS.is_dir(), reason="../shared is absent")


def output_of(script: str, folder: Path) -> str:
    """Return what the shell of a reader prints, who has the documentation in the folder."""
    if not (folder / "docs").exists():
        (folder / "docs").symlink_to(ROOT / "docs")
    return printed(shell(script, folder))


def commands(page: Path) -> dict[str, str]:
    return dict(COMMANDS.findall(page.read_text(encoding="utf-8")))


def with_output(page: Path, folder: Path) -> str:
    """Return a page with what the command of each block prints now; slates keep their ids."""

    def printed_now(block: re.Match[str]) -> str:
        shown = re.findall(r"^ ([0-9a-f]{8}) ", block[2], re.MULTILINE)
        found = output_of(block[1], folder)
        now = re.findall(r"^ ([0-9a-f]{8}) ", found, re.MULTILINE)
        for new, old in zip(now, shown, strict=False):
            found = found.replace(new, old)
        return f"$ {block[1]}\n{found}"

    written, n_blocks = SHOWN.subn(printed_now, page.read_text(encoding="utf-8"))
    assert n_blocks > 0
    return written


@pytest.mark.slow
def test_late_curation_prints_what_the_page_shows(tmp_path: Path) -> None:
    page = LATE.read_text(encoding="utf-8")
    found = commands(LATE)
    assert list(found) == ["late registry", "late curation"]
    assert f"```text\n{output_of(found['late registry'], tmp_path)}```" in page
    output_of(found["late curation"], tmp_path)
    assert page == with_output(LATE, tmp_path)


def write_ranks(path: Path, lines: Sequence[Sequence[str]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8", newline="") as handle:
        rows = csv.writer(handle, delimiter="\t")
        rows.writerow(["DrugBank_ID", "DrugBank_name", "acRank", "A1", "D1"])
        rows.writerows(lines)


def test_a_file_of_candidates_for_each_ranking(tmp_path: Path) -> None:
    """Without drugs that have no name, or no rank there; the consensus is no ranking."""
    lines = [
        ("DB1", "arvexil", "1", "2", "1"),
        ("DB2", "", "2", "1", "2"),
        ("DB3", "b", "3", "", "9"),
    ]
    write_ranks(tmp_path / "ranks.tsv.gz", lines)
    told = output_of(f"python3 {SCRIPT} ranks.tsv.gz out", tmp_path)
    assert told == "3 drugs, 1 left out without a name\nA1: 1 drugs\nD1: 2 drugs\n"
    written = {path.name: path.read_text() for path in (tmp_path / "out" / "rankings").iterdir()}
    header = "disease_name,drug_name,score\n"
    assert written == {
        "A1.csv": f"{header}COVID-19,arvexil,2\n",
        "D1.csv": f"{header}COVID-19,arvexil,1\nCOVID-19,b,9\n",
    }
    names = (tmp_path / "out" / "names.csv").read_text().splitlines()
    assert names[:2] == ["entity,name,kind,value", "disease,COVID-19,synonym,2019-nCoV"]


def test_a_table_of_another_form_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ranks.tsv").write_text("drug\tA1\nx\t1\n")
    done = ran(sys.executable, ROOT / SCRIPT, tmp_path / "ranks.tsv", tmp_path)
    assert done.returncode == 1
    assert done.stderr.endswith("ranks.tsv: no column DrugBank_ID, DrugBank_name\n")


@pytest.mark.slow
def test_the_pandemic_of_an_invented_spring(tmp_path: Path) -> None:
    """The commands of the page: one drug known, one announced by the freeze, one a hit."""
    drugs = [f"{one}{two}vexil" for one in "bdfgklmnprst" for two in ("an", "el", "ir", "om", "ul")]
    drugs += [f"{drug}on" for drug in drugs]
    lines = [(f"DB{n}", drug, str(n), str(n), str(121 - n)) for n, drug in enumerate(drugs, 1)]
    write_ranks(tmp_path / "ranks.tsv.gz", lines)
    (tmp_path / "drugbank_vocabulary.csv").write_text(
        "DrugBank ID,Accession Numbers,Common name,CAS,UNII,Synonyms,Standard InChI Key\n"
        f"DB00002,,{drugs[1]},,,Ocravine,\n"
    )
    (tmp_path / "early").mkdir()
    (tmp_path / "late").mkdir()
    told = [
        study("ISRCTN00000001", drugs[0], "20200310", "4/7/2020"),
        study("ISRCTN00000002", drugs[2], "20200412", "4/22/2020"),
        study("ISRCTN00000003", "Ocravine", "20200505", "6/19/2020"),
    ]
    ictrp.table(tmp_path / "early" / "a.csv", told[:1])
    ictrp.table(
        tmp_path / "late" / "b.csv", [{**one, "Export date": "4/22/2020"} for one in told[:2]]
    )
    ictrp.table(tmp_path / "late" / "c.csv", [{**one, "Export date": "6/19/2020"} for one in told])
    shown = output_of(commands(PANDEMIC)["pandemic"], tmp_path)
    assert "1 candidate known at the freeze was left out before ranking" in shown
    assert "1 of 99 novel predictions of the high tier came true" in " ".join(shown.split())
    assert shown.count("replay: inconclusive") == 2


def study(number: str, drug: str, registered: str, exported: str) -> dict[str, object]:
    day = f"{registered[6:]}/{registered[4:6]}/{registered[:4]}"
    return ictrp.record(
        number,
        Condition="2019-nCoV pneumonia",
        Intervention=drug,
        Date_registration3=registered,
        Date_enrollement=day,
        Export_date=exported,
    )


@real
def test_the_published_rankings(tmp_path: Path) -> None:
    ranks = SHARED / "covid19" / "ranks.tsv.gz"
    told = output_of(f"python3 {SCRIPT} {ranks} .", tmp_path)
    assert told.startswith("7,796 drugs, 205 left out without a name\nA1: 1,515 drugs\n")
    assert len(list((tmp_path / "rankings").iterdir())) == 12


@real
@pytest.mark.exhaustive
def test_the_figures_of_the_pandemic_are_those_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "ranks.tsv.gz").symlink_to(SHARED / "covid19" / "ranks.tsv.gz")
    name = "drugbank_vocabulary.csv"
    (tmp_path / name).symlink_to(SHARED / "vocabularies" / name)
    for folder, days in (("early", ("03-18", "04-07")), ("late", ("04-22", "06-19"))):
        (tmp_path / folder).mkdir()
        for export in EXPORTS.iterdir():
            if any(day in export.name for day in days):
                (tmp_path / folder / export.name).symlink_to(export)
    found = commands(PANDEMIC)
    output_of(found["pandemic"], tmp_path)
    output_of(found["weeks"], tmp_path)
    page = PANDEMIC.read_text(encoding="utf-8")
    assert page == with_output(PANDEMIC, tmp_path)
    assert re.findall(r"^\| [ADP]\d .*$", page, re.MULTILINE) == figures(tmp_path)


def figures(folder: Path) -> list[str]:
    """Return the lines of the page's table, from a store that its commands left behind."""
    query = (
        "select model_version, n_predictions, n_hits, expected_hits, enrichment_vs_matched "
        "from model_slate order by model_version"
    )
    listed = output_of(f"tracker --db covid.duckdb sql '{query}' --format csv", folder)
    assessed = output_of("tracker --db covid.duckdb assess --format csv", folder)
    judged = {row["model_version"]: row for row in csv.DictReader(io.StringIO(assessed))}
    lines = []
    for row in csv.DictReader(io.StringIO(listed)):
        model = row["model_version"]
        ranked = (folder / "rankings" / f"{model}.csv").read_text(encoding="utf-8")
        low, high, verdict = (judged[model][name] for name in ("low", "high", "verdict"))
        cells = [
            model,
            f"{len(ranked.splitlines()) - 1:,}",
            f"{row['n_hits']} of {row['n_predictions']}",
            f"{float(row['expected_hits']):.1f}",
            f"{float(row['enrichment_vs_matched']):.2f}",
            f"{float(low):.2f} to {float(high):.2f}" if low else "\N{EN DASH}",
            verdict,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines
