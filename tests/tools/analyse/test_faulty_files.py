"""`gammond analyse` of files with illegal plays, gaps and results against the rules: all formats say so."""

import csv
import io
import zipfile

import pytest

from gammond.tools import cli
from tests.engine.match_files.faulty_matches import CUT, ILLEGAL, UNFINISHED

RULED_OTHERWISE = ILLEGAL.replace("      Wins 1 point", "      Wins 2 points")
"""The rules give a point for a double that is passed at a cube of 1."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Make the report of a text in a format, once, with the exit status."""
    folder, made = tmp_path_factory.mktemp("faulty"), {}

    def make(text, form):
        if (text, form) not in made:
            source, target = folder / f"{len(made)}.mat", folder / f"{len(made)}.{form}"
            source.write_text(text)
            words = ("--plies", "0", "--threads", "1", "--format", form, "--output", str(target))
            status = cli.main(["analyse", str(source), *words])
            made[text, form] = target.read_text(), status
        return made[text, form]

    return make


def test_illegal_plays_and_results_against_the_rules_end_the_text(reports):
    *_, illegal, result = reports(RULED_OTHERWISE, "text")[0].splitlines()
    assert (
        illegal
        == "Game 1, move 2: bob played 2-1 14/10 (illegal), for which no error is counted; best: 14/11"
    )
    assert result == "Game 2: ann wins 2 points by the file, 1 point by the rules"


def test_the_text_says_what_the_statistics_of_a_cut_game_rest_on(reports):
    said = (
        "Game 2 is cut: move 2 could not be read, and all after it is left out. Its statistics rest on what"
    )
    assert said in " ".join(reports(CUT, "text")[0].split())
    assert " is cut" not in reports(ILLEGAL, "text")[0]


@pytest.mark.parametrize("text", [CUT, ILLEGAL])
def test_statistics_and_what_is_said_before_them_fit_a_terminal_of_80_columns(reports, text):
    heading, statistics, *_ = reports(text, "text")[0].split("\n\n")
    assert max(map(len, f"{heading}\n{statistics}".splitlines())) < 80


def test_the_page_marks_illegal_plays_and_shows_both_results(reports):
    page, _ = reports(RULED_OTHERWISE, "html")
    assert "<h4>2. bob: 2-1 14/10 (illegal)</h4>" in page
    article = page.partition("14/10 (illegal)</h4>")[2].partition("</article>")[0]
    assert "the play that was made is illegal" in article
    assert "<th scope=row>14/11" in article
    assert "(played)" not in article
    assert "ann wins 2 points (gammon) by the file, ann 1 point (single) by the rules" in page


def test_the_page_says_what_is_missing(reports):
    page, _ = reports(CUT, "html")
    assert "<dt>Statistics rest on what could be read</dt><dd>Game 2 is cut: move 2 could not" in page
    assert page.count("<p>Missing: move 2 could not be read, and all after it is left out.</p>") == 1
    assert page.count(", cut</h3>") == 1
    faults = page.partition("<dt>Faults of the file</dt>")[2].partition("</dd>")[0]
    assert "illegal play" in faults
    assert "left out" not in faults


def test_a_table_marks_illegal_plays(reports):
    rows = csv.DictReader(io.StringIO(reports(ILLEGAL, "csv")[0]))
    assert [(row["best"], row["error"]) for row in rows if row["chosen"] == "14/10 (illegal)"] == [
        ("14/11", "0.0")
    ]


@pytest.mark.parametrize(("text", "status"), [(ILLEGAL, 0), (RULED_OTHERWISE, 0), (CUT, 1)])
def test_the_exit_status_says_whether_decisions_were_lost(reports, text, status):
    assert reports(text, "text")[1] == status


def test_an_archive_ends_with_how_its_files_were_read(tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as archive:
        for name, text in {"a.mat": UNFINISHED, "b.mat": CUT, "c.txt": "no match"}.items():
            archive.writestr(name, text)
    words = ("--plies", "0", "--threads", "1", "--format", "json")
    assert cli.main(["analyse", str(tmp_path / "site.zip"), *words]) == 1
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 2
    assert said.err.splitlines()[-3:] == [
        "gammond analyse: 3 files: 1 read whole (1 up to a game without its end), 1 cut, 1 unreadable",
        "gammond analyse: cut by reason: illegal play 1",
        "gammond analyse: unreadable by reason: no match file 1",
    ]


def test_the_matches_of_a_player_end_with_how_the_files_were_read(tmp_path, capsys):
    for name, text in {"a.mat": UNFINISHED, "b.mat": CUT}.items():
        (tmp_path / name).write_text(text)
    words = ("--player", "ann", "--plies", "0", "--threads", "1")
    assert cli.main(["analyse", str(tmp_path), *words]) == 1
    assert (
        "gammond analyse: 2 files: 1 read whole (1 up to a game without its end), 1 cut, 0 unreadable"
        in capsys.readouterr().err
    )
