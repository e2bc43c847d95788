"""`gammond analyse --player`: whose matches, in which order, and what is said of them."""

import csv
import io
import json
import re

import pytest

from gammond.engine.errors import ValueRangeError
from gammond.tools.analyse.player_search import find_player, fold_name
from gammond.tools.common.match_inputs import list_match_inputs
from tests.engine.match_files.played_games import MAT_GAME
from tests.support.commands import make_runner
from tests.tools.analyse.test_html_report import Page

ANN, SPELLED = "Ann Lée", "ann_lee"
GAMES = [
    MAT_GAME,
    MAT_GAME.replace("31: Bar/22 23/22", "31: Bar/22 6/5"),
    MAT_GAME.replace("51: Bar/24* 14/9", "51: Bar/24* 9/4"),
    MAT_GAME.replace("31: Bar/22 23/22", "31: Bar/22 8/7"),
]


def write_match(path, game, ann, other, date="", *, left=True):
    names = (ann, other) if left else (other, ann)
    text = game.replace("michy", f"{names[0]:<5}").replace("Thomas Low", names[1])
    header = f'; [EventDate "{date}"]\n' if date else ""
    path.write_text(f"{header} 5 point match\n\n Game 1\n{text}", "utf-8")


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "matches"
    path.mkdir()
    write_match(path / "a.mat", GAMES[0], ANN, "bob", "2024.03.09")
    write_match(path / "b.mat", GAMES[1], SPELLED, "eve", "2023.12.24", left=False)
    write_match(path / "c.mat", GAMES[2], "eve", "bob", "2024.01.01")
    return path


def search(name, folder):
    said = []
    found = find_player(name, list_match_inputs([str(folder)]), said.append, strict=False)
    return found, said


run = make_runner("analyse", "--plies", "0", "--threads", "1")


@pytest.mark.parametrize("name", [ANN, "ann lee", "ANN-LEE", "lee", "nn_l"])
def test_capitals_accents_and_signs_do_not_count_and_what_was_taken_is_said(folder, name):
    found, said = search(name, folder)
    assert [(match.source.path.name, seat) for match, seat in found.matches] == [("b.mat", 1), ("a.mat", 0)]
    assert said == [f"took for {name!r}: 'Ann Lée' (1 match), 'ann_lee' (1 match)"]


def test_the_exact_name_comes_before_names_that_it_is_a_part_of(folder):
    write_match(folder / "d.mat", GAMES[3], "eve2", "bob")
    found, said = search("eve", folder)
    assert [match.source.path.name for match, _ in found.matches] == ["b.mat", "c.mat"]
    assert said == []
    with pytest.raises(ValueRangeError, match="'ev' is a part of several names: 'eve', 'eve2'; give one"):
        search("ev", folder)


@pytest.mark.parametrize("name", ["zoe", "", "--"])
def test_an_unknown_name_is_answered_with_those_there_are(folder, name):
    with pytest.raises(ValueRangeError, match=r"expected a player of these matches, got .*there are .*'bob'"):
        search(name, folder)


def test_names_fold_to_letters_and_digits():
    assert fold_name("  Zoë-Ann O'Brien 2") == "zoeannobrien2"
    assert fold_name("\u0141\u00f3d\u017a") == fold_name("\u0142ódz")
    assert fold_name("--") == ""


def test_matches_without_a_date_stand_at_the_end_and_copies_are_left_out(folder):
    write_match(folder / "0.mat", GAMES[3], ANN, "zed")
    (folder / "later.mat").write_text((folder / "a.mat").read_text("utf-8"), "utf-8")
    found, said = search(ANN, folder)
    assert [match.source.path.name for match, _ in found.matches] == ["b.mat", "a.mat", "0.mat"]
    assert [match.date for match, _ in found.matches] == ["2023-12-24", "2024-03-09", ""]
    assert f"{folder / 'later.mat'}: left out, for it is the same match as {folder / 'a.mat'}" in said
    assert "1 match without a date stand at the end, in the order of the files" in said


def test_a_match_of_two_players_with_one_name_is_left_out(folder):
    write_match(folder / "d.mat", GAMES[3], "bob", "Bob")
    found, said = search("bob", folder)
    assert [match.source.path.name for match, _ in found.matches] == ["c.mat", "a.mat"]
    assert any("left out, for both players are called 'bob'" in line for line in said)


def test_json_has_each_match_as_it_is_analysed_alone(folder, capsys):
    said = run(capsys, folder, "--player", "ann lee", "--format", "json", "--window", "8")
    assert "took for 'ann lee'" in said.err
    document = json.loads(said.out)
    assert (document["player"], document["window"]) == (ANN, 8)
    assert [row["date"] for row in document["matches"]] == ["2023-12-24", "2024-03-09"]
    errors = []
    for row, (file, seat) in zip(document["matches"], (("b.mat", 1), ("a.mat", 0)), strict=True):
        alone = json.loads(run(capsys, folder / file, "--format", "json").out)
        player = alone["players"][seat]
        for name in (
            "counted",
            "performance_rating",
            "performance_rating_95",
            "gnubg_error_rate",
            "luck_points",
        ):
            assert row[name] == player[name]
        assert row["opponent"] == alone["names"][1 - seat]
        assert row["score"] == [alone["score"][seat], alone["score"][1 - seat]]
        own = [each for each in alone["decisions"] if each["seat"] == seat]
        errors += [(each["error"], each["counts_for_xg"]) for each in own]
        last = list(errors)
        while sum(counts for _, counts in last) > 8:
            last.pop(0)
        assert row["moving_counted"] == min(8, sum(counts for _, counts in errors))
        mean = 500 * sum(error for error, _ in last) / row["moving_counted"]
        assert row["moving_rating"] == pytest.approx(mean, abs=1e-3)
    counted = sum(counts for _, counts in errors)
    assert document["counted"] == counted
    rating = 500 * sum(error for error, _ in errors) / counted
    assert document["performance_rating"] == pytest.approx(rating, abs=1e-3)


def test_text_and_csv_have_a_row_for_each_match(folder, capsys):
    words = [folder, "--player", ANN]
    document = json.loads(run(capsys, *words, "--format", "json").out)
    lines = run(capsys, *words).out.splitlines()
    assert lines[0].startswith(f"{ANN}: 2 matches, {document['counted']} counted decisions, PR ")
    assert [line.split()[:2] for line in lines[-2:]] == [["2023-12-24", "eve"], ["2024-03-09", "bob"]]
    rows = list(csv.DictReader(io.StringIO(run(capsys, *words, "--format", "csv").out)))
    for row, match in zip(rows, document["matches"], strict=True):
        assert float(row["performance_rating"]) == match["performance_rating"]
        assert (row["opponent"], row["date"], row["won"]) == (match["opponent"], match["date"], "")
        assert [int(row["own_score"]), int(row["other_score"])] == match["score"]


def test_the_page_plots_every_match_and_acts_on_nothing(folder, capsys, tmp_path):
    write_match(folder / "d.mat", GAMES[3], ANN, "</svg><script>x</script>", "2024.05.01")
    report = tmp_path / "ann.html"
    run(capsys, folder, "--player", ANN, "--format", "html", "--output", report)
    document = json.loads(run(capsys, folder, "--player", ANN, "--format", "json").out)
    text = report.read_text("utf-8")
    page = Page(text)
    tags = [tag for tag, _ in page.elements]
    assert tags.count("circle") == 3
    assert "script" not in tags
    assert not page.attributes("src")
    heights = [float(attributes["cy"]) for tag, attributes in page.elements if tag == "circle"]
    ratings = [row["performance_rating"] for row in document["matches"]]
    assert sorted(range(3), key=lambda place: -heights[place]) == sorted(range(3), key=ratings.__getitem__)
    (curve,) = re.findall(r'<polyline class="curve" points="([^"]+)"', text)
    assert len(curve.split()) == 3
    for date in ("2023-12-24", "2024-03-09", "2024-05-01"):
        assert f"<th scope=row>{date}" in text
