"""The page of progress in a real browser: history, PR over time, lists, records, removal, accounts."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs the extra 'web'")

from gammond.engine.match_analysis.statistics import RatingTotal
from gammond.engine.match_files.reading import read_matches
from gammond.protocol.archive.database import ArchiveDatabase
from gammond.protocol.archive.records import ArchivedAnalysis, SeatRating, make_record
from tests.protocol.archive.kept_games import START_S, make_engine, make_game, make_match_game, make_person
from tests.web.table_page import begin_game
from tests.web.waiting import check_widths, expect

pytestmark = pytest.mark.slow

GAMES = 26
DAY_S = 86_400


def rate(counted, rating):
    """The rating of a seat with about this PR."""
    loss = rating / 500
    losses = [loss * (2 if place % 4 == 0 else 0.667) for place in range(counted)]
    total = RatingTotal(counted, sum(losses), sum(losses), sum(each * each for each in losses))
    return SeatRating(total, errors=3, blunders=1, luck_points=0.25 - rating / 40, luck_mwc=None)


def fill(file):
    """Write an archive: Ann improves, Bob plays once, two levels play each other."""
    database = ArchiveDatabase(file)
    with database.write():
        for number in range(1, GAMES + 1):
            times = {"started_s": START_S + number * DAY_S, "ended_s": START_S + number * DAY_S + 900}
            seats = (make_person("Ann"), make_engine("expert" if number % 3 else "beginner"))
            game = make_game("ANN", number, winner=(number % 3 == 0 and 1) or 0, seats=seats, **times)
            _put(database, game, rate(60, 16 - number / 3 + number % 4), rate(60, 4))
        _put(
            database,
            make_game("BOB", seats=(make_person("Bob"), make_person("Ann")), winner=1, has_help=True),
            rate(40, 20),
            rate(40, 9),
        )
        _put(database, make_match_game(1, [0]), None, None)
        barca = {"game": "barca", "variant": "barca", "text_format": "text", "text": "e2-e5", "kind": "holes"}
        _put(database, make_game("BARCA", **barca), None, None)
        for number in (1, 2):
            dora = make_game("DORA", number, winner=number - 1, seats=(make_person("Dora"), make_engine()))
            _put(database, dora, rate(60, 8), rate(60, 4))
    database.close()


def _put(database, game, one, two):
    record = make_record(game)
    number = database.put_game(game, record)
    if one is not None:
        database.put_analysis(
            number, ArchivedAnalysis("for a test", record.text, b"{}", (one, two)), record.text
        )
    else:
        database.fail_analysis(number, "for a test")


@pytest.fixture(scope="module")
def kept(start_server, tmp_path_factory):
    """A server with kept games."""
    file = tmp_path_factory.mktemp("kept") / "games.sqlite"
    fill(file)
    return start_server("--archive", str(file))


@pytest.fixture(scope="module")
def with_accounts(start_server, tmp_path_factory):
    """A server on which people register."""
    pytest.importorskip("argon2", reason="needs the extra 'web'")
    return start_server("--accounts", "--archive", str(tmp_path_factory.mktemp("known") / "games.sqlite"))


@pytest.fixture
def open_progress(open_page, kept):
    """Open the page of progress."""

    def open_(path="/Ann", **options):
        page = open_page(f"/#/progress{path}", url=kept, **options)
        page.wait_for_selector("h1:has-text('Progress')")
        return page

    return open_


def test_a_name_has_its_results_its_rating_over_time_and_its_games(open_progress):
    page = open_progress()
    facts = page.locator(".facts")
    expect(facts).to_contain_text("19 won, 8 lost")
    expect(facts).to_contain_text("±")
    expect(page.get_by_role("img", name="PR of 26 games")).to_be_visible()
    expect(page.locator(".rating-plot .dot")).to_have_count(26)
    rows = page.locator(".games tbody tr")
    expect(rows).to_have_count(20)
    expect(rows.first).to_contain_text("not finished")
    expect(rows.nth(1)).to_contain_text("with help")


def test_older_games_come_by_a_button(open_progress):
    page = open_progress()
    page.get_by_role("button", name="Older games").click()
    expect(page.locator(".games tbody tr")).to_have_count(28)
    expect(page.get_by_role("button", name="Older games")).to_be_hidden()
    expect(page.locator("#live")).to_contain_text("8 more games")


def test_the_lists_have_players_and_levels_and_lead_to_their_games(open_progress):
    page = open_progress("/Bob")
    lists = page.locator("section", has=page.get_by_role("heading", name="Top lists"))
    expect(lists.get_by_role("link", name="Ann")).to_be_visible()
    expect(lists).to_contain_text("Expert")
    lists.get_by_label("Time").select_option("week")
    expect(lists).to_contain_text("Nobody yet.")
    lists.get_by_label("Time").select_option("all")
    lists.get_by_role("link", name="Ann").click()
    expect(page.get_by_role("heading", name="Ann", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("#/progress/Ann/backgammon$"))


def test_a_record_is_saved_as_a_file_of_its_format(open_progress):
    page = open_progress()
    for ending in ("mat", "sgf", *(["ogxm"] if find_spec("ogxm") else [])):
        with page.expect_download() as started:
            page.locator(".games tbody tr").nth(2).get_by_role("link", name=f".{ending}").click()
        assert started.value.suggested_filename.endswith(f".{ending}")
        match = read_matches(Path(started.value.path()).read_bytes())[0]
        assert match.names[0] == "Ann"


def test_another_game_and_another_name_are_chosen_by_keyboard(open_progress):
    page = open_progress()
    page.get_by_label("Games of").fill("Bob")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Bob", exact=True)).to_be_visible()
    page.get_by_label("Games of").fill("Ann")
    page.get_by_role("combobox", name="Game").select_option("barca")
    expect(page.locator(".games tbody tr")).to_have_count(1)
    expect(page.get_by_role("link", name=".txt")).to_be_visible()


def test_an_unknown_name_is_told_how_games_come_here(open_progress):
    page = open_progress("/Nobody%20else")
    expect(page.get_by_text("No finished game of Nobody else is kept here yet")).to_be_visible()


def test_a_game_is_opened_in_the_analysis_by_its_link(open_page, kept):
    page = open_page("/#/help", url=kept)
    answer = page.evaluate("async () => (await fetch('/api/v1/games')).json()")
    page.goto(f"{kept}/#/analyse/game/{answer['games'][-1]['id']}")
    page.locator(".summary .main-row").wait_for()
    expect(page.locator(".match-head h2")).to_contain_text("Ann")


def test_a_game_is_removed_by_who_has_its_seat_after_a_question_and_all_is_counted_anew(open_page, kept):
    page = open_page("/", url=kept)
    known = [{"table": "DORA", "tokens": ["secret"], "title": "", "at": 1, "watch": None, "invitation": None}]
    page.evaluate("value => localStorage.setItem('gammond.tables', value)", json.dumps(known))
    page.evaluate("location.hash = '#/progress/Dora'")
    expect(page.locator(".facts")).to_contain_text("1 won, 1 lost")
    expect(page.get_by_role("img", name="PR of 2 games")).to_be_visible()
    row = page.locator(".top-list tr", has_text="Dora")
    expect(row).to_contain_text("1\N{EN DASH}1")
    lost = page.locator(".games tbody tr", has_text="lost")
    lost.get_by_role("button", name="Remove").click()
    lost.get_by_role("button", name="Remove for good?").click()
    expect(page.locator("#live")).to_contain_text("The game is removed.")
    expect(page.locator(".games tbody tr")).to_have_count(1)
    expect(page.locator(".facts")).to_contain_text("1 won, 0 lost")
    expect(page.get_by_role("img", name="PR of 1 games")).to_be_visible()
    expect(row).to_contain_text("1\N{EN DASH}0")
    assert page.evaluate("document.querySelector('.own-games').contains(document.activeElement)")


def test_a_game_of_others_has_no_button_to_remove_it(open_progress):
    page = open_progress()
    expect(page.locator(".games tbody tr").first).to_be_visible()
    expect(page.get_by_role("button", name="Remove")).to_have_count(0)


def test_everybody_can_use_it_at_each_width_in_light_and_dark(open_progress, check_accessibility):
    page = open_progress()
    page.wait_for_selector(".rating-plot svg")
    page.wait_for_selector(".games tbody tr")
    for width, scheme in ((320, "light"), (360, "dark"), (800, "light"), (1400, "dark")):
        check_widths(page, (width,))
        check_accessibility(page, schemes=(scheme,))


def test_without_an_archive_the_page_says_so(open_page, start_server):
    page = open_page("/#/progress", url=start_server("--archive", "off"))
    expect(page.get_by_text("This server keeps no games.")).to_be_visible()


def register(page, name):
    """Make an account."""
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_text(f"Logged in as {name}.")).to_be_visible()


def test_who_registers_logs_out_and_in_and_changes_the_password(
    open_page, with_accounts, check_accessibility
):
    page = open_page("/#/progress", url=with_accounts)
    page.get_by_label("Password").wait_for()
    check_accessibility(page)
    register(page, "Ann")
    page.get_by_text("Password and other browsers").click()
    page.get_by_label("Old password").fill("correct horse")
    page.get_by_label("New password").fill("another horse")
    page.keyboard.press("Enter")
    expect(page.locator("#live")).to_contain_text("The password is changed.")
    page.get_by_role("button", name="Log out", exact=True).click()
    expect(page.get_by_role("button", name="Log in")).to_be_visible()
    page.get_by_label("Password").fill("another horse")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Logged in as Ann.")).to_be_visible()
    assert page.evaluate("document.cookie") == ""
    page.reload()
    expect(page.get_by_text("Logged in as Ann.")).to_be_visible()


def test_two_tables_by_a_link_one_after_the_other_for_who_has_an_account_and_for_a_guest(
    open_page, with_accounts
):
    ann, guest = (open_page("/#/progress", url=with_accounts) for _ in range(2))
    register(ann, "Cleo")
    invitations = []
    for _ in range(2):
        begin_game(ann, how="link", name="Cleo")
        invitations.append(ann.get_by_label("Link to the open seat").input_value())
        guest.goto(invitations[-1])
        sit_down = guest.get_by_role("button", name="Sit down")
        guest.locator("form").filter(has=sit_down).get_by_role("textbox").fill("Dora")
        sit_down.click()
        for page in (ann, guest):
            expect(page.locator(".player-name").filter(has_text="Cleo")).to_be_visible()
            expect(page.locator(".player-name").filter(has_text="Dora")).to_be_visible()
    assert len(set(invitations)) == 2


def test_a_wrong_password_is_said_and_the_name_is_nobody_elses(open_page, with_accounts):
    register(open_page("/#/progress", url=with_accounts), "Bob")
    other = open_page("/#/progress", url=with_accounts)
    other.get_by_label("Name", exact=True).fill("Bob")
    other.get_by_label("Password").fill("wrong password")
    other.get_by_role("button", name="Log in").click()
    expect(other.get_by_role("alert")).to_have_text("expected the name of an account and its password")
    other.get_by_role("button", name="Register").click()
    expect(other.get_by_role("alert")).to_contain_text("this name has an account")
    open_page.forgive("status of 4")
