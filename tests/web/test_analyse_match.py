"""The analysis of a match file, in Chromium."""

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.engine.match_files.faulty_matches import GAP, ILLEGAL
from tests.engine.match_files.sgf.test_positions import SAVED_WITH_DICE
from tests.engine.match_files.test_position_report import XG_CUBE, XG_PLAYS
from tests.web.waiting import check_widths, expect, find_box, open_tab, visit

pytestmark = pytest.mark.slow

MATCH = """; [Player 1 "Ann"]
; [Player 2 "Bob"]
; [EventDate "2025.11.08"]

 3 point match

 Game 1
 Ann : 0                        Bob : 0
  1) 53: 24/21 13/8             44: 24/20 24/20 8/4* 8/4
  2) 51: 25/20 8/7              31: 8/5* 6/5
  3) 36: 25/22 13/7              Doubles => 2
; Too early, she thought
  4)  Takes                     41: 13/9 6/5
  5) 41: 13/9 9/8               56: 13/8 9/3*
  6) 64:                        63: 13/7 6/3
  7) 14: 25/24 6/2              34: 8/4 5/2
  8) 62: 8/2 6/4                61: 13/7 4/3
  9) 35: 8/3 4/1                25: 20/15 15/13
 10) 34: 8/5* 5/1               65: 25/20 20/14
 11) 64: 8/2 7/3                66: 14/8 13/7 13/7 8/2
 12) 12: 13/11 13/12            24: 7/3 7/5
 13) 53: 11/6 7/4               63: 7/4
 14) 64: 24/18* 12/8
      Wins 2 points

 Game 2
 Ann : 2                        Bob : 0
  1) 52: 24/22 13/8             45: 24/20 13/8
  2) 66: 13/7 13/7 7/1* 7/1     61:
  3) 53: 13/8 8/5*              52: 25/20* 25/23
"""


@pytest.fixture
def match_file(tmp_path):
    """The file of a short match with a game that is not finished."""
    path = tmp_path / "ann-bob.mat"
    path.write_text(MATCH, encoding="utf-8")
    return path


def open_match(page, path):
    page.set_input_files("#match-file", path)
    page.locator(".summary .main-row").wait_for()
    page.locator(".match-head [role=status]").filter(has_text="Analysed at 2-ply").wait_for()
    return page


def test_a_match_file_shows_ratings_games_and_facts(open_page, match_file):
    page = open_match(open_page("/#/analyse/match"), match_file)
    expect(page.locator(".match-head")).to_contain_text("Ann \N{EN DASH} Bob, match to 3: 2\N{EN DASH}0")
    expect(page.locator(".summary")).to_contain_text("Performance rating (PR)")
    expect(page.locator(".match-games tbody tr")).to_have_count(2)
    expect(page.locator(".match-games")).to_contain_text("Ann wins 2 points (single)")
    expect(page.locator(".match-facts")).to_contain_text("2025.11.08")
    expect(page.locator(".issues summary")).to_have_text("Faults of the file: 1")


def test_errors_are_listed_by_size_player_and_kind_and_shown_on_the_board(open_page, match_file):
    page = open_match(open_page("/#/analyse/match"), match_file)
    open_tab(page, "Errors")
    page.get_by_label("Size").select_option("0.0005")
    rows = page.locator(".error-row")
    expect(rows.nth(2)).to_be_visible()
    total = rows.count()
    sizes = [float(text[1:]) for text in page.locator(".error-size").all_inner_texts()]
    assert sizes == sorted(sizes, reverse=True)
    page.get_by_label("Player").select_option("0")
    expect(rows.filter(has_text=", Bob")).to_have_count(0)
    of_ann = rows.count()
    page.get_by_label("Player").select_option("1")
    expect(rows).to_have_count(total - of_ann)
    page.get_by_label("Player").select_option("")
    expect(rows).to_have_count(total)
    page.get_by_label("Kind").select_option("doubling")
    expect(rows.filter(has_not_text="doubl")).to_have_count(0)
    page.get_by_label("Kind").select_option("plays")
    rows.first.click()
    expect(page.locator(".decision h2")).to_contain_text(rows.first.locator(".error-where").inner_text())
    expect(page.locator(".decision .made")).to_have_count(1)
    expect(page.locator("path.arrow.best").first).to_be_attached()


def test_moves_lead_through_the_games_and_have_the_comments_of_the_file(open_page, match_file):
    page = open_match(open_page("/#/analyse/match"), match_file)
    open_tab(page, "Moves")
    page.get_by_role("button", name="doubles to 2").click()
    title = page.locator(".decision h2")
    expect(page.locator(".decision .comment")).to_have_text("Too early, she thought")
    page.get_by_role("button", name="Next action").click()
    expect(title).to_have_text("Game 1, move 4, Ann: takes")
    page.get_by_role("button", name="Next action").click()
    expect(page.locator(".decision")).to_contain_text("Luck of the roll")
    page.get_by_role("button", name="64: no move").click()
    page.locator("details[data-game='1'] summary").click()
    page.get_by_role("button", name="52: 24/22 13/8").click()
    expect(title).to_have_text(re.compile("^Game 2, move 1, Ann"))
    page.get_by_role("button", name="Previous action").click()
    expect(title).to_have_text(re.compile("^Game 1, move 14, Bob: loses by the result in the file"))


def test_a_take_is_seen_by_the_side_that_answers(open_page, match_file):
    page = open_match(open_page("/#/analyse/match"), match_file)
    open_tab(page, "Moves")
    decision = page.locator(".decision")
    page.get_by_role("button", name="doubles to 2").click()
    expect(decision.locator(".cube-figures tbody th")).to_have_text(
        ["No double", "Double, take", "Double, pass"]
    )
    doubled = decision.locator(".cube-figures td.number").all_inner_texts()
    page.get_by_role("button", name="Next action").click()
    expect(decision.locator(".cube-figures tbody th")).to_have_text(["Take", "Pass"])
    take, take_mwc, passed, pass_mwc = decision.locator(".cube-figures td.number").all_inner_texts()
    turn = str.maketrans({"+": "\N{MINUS SIGN}", "\N{MINUS SIGN}": "+"})
    assert [take, passed] == [doubled[2].translate(turn), doubled[4].translate(turn)]
    assert float(take_mwc.split("\u202f")[0]) + float(doubled[3].split("\u202f")[0]) == pytest.approx(
        100, abs=0.02
    )
    assert float(pass_mwc.split("\u202f")[0]) + float(doubled[5].split("\u202f")[0]) == pytest.approx(
        100, abs=0.02
    )


def test_the_graph_is_walked_over_by_keys_and_clicks(open_page, match_file):
    page = open_match(open_page("/#/analyse/match"), match_file)
    graph = page.get_by_role("slider", name="Match-winning chances of Ann")
    title = page.locator(".decision h2")
    graph.press("End")
    expect(title).to_have_text(re.compile("^Game 2, move 3, Bob"))
    expect(graph).to_have_attribute("aria-valuetext", re.compile("^Game 2, move 3: Ann "))
    graph.press("ArrowLeft")
    expect(title).to_have_text(re.compile("^Game 2, move 3, Ann"))
    box = find_box(graph)
    page.mouse.click(box["x"] + box["width"] * 0.06, box["y"] + box["height"] / 2)
    expect(title).to_have_text(re.compile("^Game 1, move 1, Ann"))


def test_a_decision_goes_over_to_the_analysis_of_its_position_and_the_match_stays(open_page, match_file):
    page = open_match(open_page("/#/analyse/match"), match_file)
    page.get_by_role("button", name="Analyse this position").click()
    page.locator(".advice[data-plies='2']").wait_for()
    expect(page).to_have_url(re.compile(":-1:53:0:0:0:3:10"))
    page.get_by_role("link", name="Match file").click()
    expect(page.locator(".summary .main-row")).to_be_visible()


def save(page, name):
    with page.expect_download() as download:
        page.get_by_role("button", name=name, exact=True).click()
    return download.value.suggested_filename, Path(download.value.path()).read_text("utf-8", "replace")


def test_a_match_is_downloaded_with_its_analysis_as_far_as_the_format_has_a_place_for_it(
    open_page, match_file
):
    page = open_match(open_page("/#/analyse/match"), match_file)
    name, text = save(page, "Report (HTML)")
    assert (name, "<html" in text) == ("ann-bob.html", True)
    name, text = save(page, ".mat")
    assert (name, "3 point match" in text) == ("ann-bob.mat", True)
    name, text = save(page, "JSON")
    assert (name, json.loads(text)[0]["names"]) == ("ann-bob.json", ["Ann", "Bob"])
    name, text = save(page, ".sgf")
    assert (name, "AN[gammond " in text, "2C" in text) == ("ann-bob.sgf", True, True)
    if find_spec("ogxm"):
        name, text = save(page, ".ogxm")
        assert (name, text.startswith("OGXM")) == ("ann-bob.ogxm", True)
    else:
        page.get_by_role("button", name=".ogxm", exact=True).click()
        expect(page.get_by_text("need the package ogxm")).to_be_visible()


def test_the_analysis_of_a_file_is_shown_beside_that_of_the_page_and_in_its_place(
    open_page, match_file, tmp_path
):
    page = open_match(open_page("/#/analyse/match"), match_file)
    sources = page.locator(".verdict-source")
    expect(sources).to_have_count(0)
    analysed = tmp_path / "analysed.sgf"
    content = save(page, ".sgf")[1]
    analysed.write_text(content, encoding="utf-8")
    page.get_by_role("button", name="Another file").click()
    open_match(page, analysed)
    page.get_by_text("Analysed at 2-ply").wait_for()
    # The file has the very analysis that the page makes.
    expect(page.locator(".verdict-source:visible")).to_have_count(0)
    expect(page.get_by_label("Analysis by")).to_be_hidden()
    analysed.write_text(content.replace("AN[gammond", "AN[Somebody"), encoding="utf-8")
    page.get_by_role("button", name="Another file").click()
    open_match(page, analysed)
    expect(sources).to_have_text([re.compile(r"^gammond\??$"), re.compile(r"^Somebody\??$")])
    expect(page.locator(".decision .play-list ol")).to_have_count(2)
    expect(page.locator(".summary")).to_contain_text("PR by Somebody")
    open_tab(page, "Errors")
    page.get_by_label("Size").select_option("0.0005")
    expect(page.locator(".error-where").first).to_contain_text("\N{MIDDLE DOT} Somebody \N{MINUS SIGN}0.")
    open_tab(page, "Summary")
    page.get_by_label("Analysis by").select_option("file")
    expect(sources).to_have_text([re.compile(r"^Somebody\??$"), re.compile(r"^gammond\??$")])
    expect(page.locator(".summary")).to_contain_text("PR by gammond")


def test_a_match_is_pasted_where_a_position_was_expected(open_page):
    page = open_page("/#/analyse")
    page.get_by_label("Position or match as text").fill(MATCH)
    page.get_by_role("button", name="Open").click()
    page.locator(".summary .main-row").wait_for()
    expect(page).to_have_url(re.compile("#/analyse/match$"))


def test_a_file_with_a_position_is_shown_as_one_and_of_several_one_is_chosen(open_page):
    page = open_page("/#/analyse")
    page.get_by_label("Position or match as text").fill(SAVED_WITH_DICE)
    page.get_by_role("button", name="Open").click()
    expect(page).to_have_url(re.compile(":0:0:1:31:2:1:0:5:"))
    visit(page, "#/analyse")
    page.get_by_label("Position or match as text").fill(XG_PLAYS + XG_CUBE)
    page.get_by_role("button", name="Open").click()
    page.get_by_role("button", name="XGID=").nth(1).click()
    expect(page).to_have_url(re.compile(":0:0:1:00:3:6:0:7:"))


def test_a_deeper_analysis_tells_its_progress_and_can_be_stopped(open_page, match_file):
    page = open_match(open_page("/#/analyse/match"), match_file)
    before = page.locator(".summary .main-row").inner_text()
    page.get_by_label("Depth").select_option("3")
    page.get_by_role("button", name="Analyse", exact=True).click()
    stop = page.get_by_role("button", name="Stop")
    stop.wait_for()
    stop.click()
    page.locator(".match-head [role=status]").filter(has_text="Stopped").wait_for()
    expect(page.locator(".summary .main-row")).to_have_text(before, use_inner_text=True)


def test_a_file_that_is_no_match_is_refused_in_the_words_of_the_server(open_page, tmp_path):
    page = open_page("/#/analyse/match")
    path = tmp_path / "letter.txt"
    path.write_text("Dear Bob, shall we play?", encoding="utf-8")
    page.set_input_files("#match-file", path)
    alert = page.get_by_role("alert").filter(visible=True)
    expect(alert).to_contain_text("xpected a match file")
    open_page.forgive("status of 4")  # Chromium reports the status of the answer


def test_everybody_can_use_the_analysis_of_a_match_at_each_width_in_light_and_dark(
    open_page, check_accessibility, match_file
):
    page = open_page("/#/analyse/match")
    page.locator("#match-file").wait_for(state="attached")
    check_accessibility(page, schemes=("light", "dark"))
    open_match(page, match_file)
    for tab in ("Summary", "Errors", "Moves"):
        open_tab(page, tab)
        check_accessibility(page, schemes=("light", "dark"))
        check_widths(page)


FAULTY = (
    ILLEGAL.replace("      Wins 1 point", "      Wins 2 points")
    + """
 Game 3
 ann : 4                              bob : 0
  1) 31: 8/5 6/5                      64: 24/14
  2) 52: 12/9 7/5
                                      Wins 1 point
"""
)
"""An illegal play, a result against the rules, and a game that is cut."""


def test_illegal_plays_cut_games_and_both_results_are_shown(open_page, tmp_path):
    path = tmp_path / "faulty.mat"
    path.write_text(FAULTY, encoding="utf-8")
    page = open_match(open_page("/#/analyse/match"), path)
    expect(page.locator(".match-games")).to_contain_text(
        "ann wins 2 points (gammon) by the file; ann wins 1 point (single) by the rules"
    )
    cut = page.locator("[role=tabpanel]:visible .missing")
    expect(cut).to_contain_text("Game 3 is cut: move 2 could not be read, and all after it is left out.")
    open_tab(page, "Moves")
    expect(page.locator(".move-list .missing")).to_have_count(1)
    page.get_by_role("button", name="21: 14/10 (illegal)").click()
    expect(page.locator(".decision h2")).to_contain_text("14/10 (illegal)")
    expect(page.locator(".verdict").last).to_have_text(
        re.compile(r"Illegal: no error is counted\. Best: .*\. Done: 14/10\.")
    )
    expect(page.locator(".decision .made")).to_have_count(0)
    expect(page.locator("path.arrow.blunder").first).to_be_attached()
    expect(page.locator("path.arrow.best").first).to_be_attached()
    page.get_by_role("button", name="Next action").click()
    expect(page.locator(".decision h2")).to_contain_text("43: 13/6")


def test_a_position_in_the_place_of_a_play_is_shown_where_it_stands(open_page, tmp_path):
    path = tmp_path / "gap.mat"
    path.write_text(GAP, encoding="utf-8")
    page = open_match(open_page("/#/analyse/match"), path)
    open_tab(page, "Moves")
    page.get_by_role("button", name="11: position set by the file").click()
    expect(page.locator(".decision h2")).to_contain_text("11: position set by the file")
    page.get_by_role("button", name="Next action").click()
    expect(page.locator(".decision h2")).to_contain_text("21: 14/11")
