"""What the page shows, offers and keeps: on small screens, without a line, to spectators, after advice."""

import json
import re

import pytest

from tests.web.table_page import (
    begin_game,
    pass_double,
    prefer,
    press,
    resign,
    start_game,
    type_dice,
    type_play,
)
from tests.web.waiting import expect, find_box, visit

pytestmark = pytest.mark.slow

QUICK = {"level": "beginner", "pace": "none"}
TO_ROLL = "4HPwATDgc/ABMA"
ON_THE_BAR = "XGID=-b----D-C---eE---c-e----BA:0:0:1:00:0:0:0:0:10"
SIZES = [(360, 640), (390, 844), (1280, 800)]
LIST_TABLES = """async () => {
    const { listTables } = await import("/page/js/play/known_tables.js");
    return listTables();
}"""


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_after_the_start_of_a_game_the_board_is_in_sight_and_the_focus_on_the_page(open_page, width, height):
    page = start_game(
        open_page, how="table", position=TO_ROLL, options={"width": width, "height": height}, otherName="Bob"
    )
    page.locator("[data-act='roll']").wait_for()
    box = find_box(page.locator("svg.board"))
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= height
    roll = find_box(page.locator("[data-act='roll']"))
    assert roll["y"] + roll["height"] <= height
    assert page.evaluate("document.getElementById('main').contains(document.activeElement)")
    press(page, "double")
    answer = find_box(page.locator("[data-act='drop']"))
    assert answer["y"] + answer["height"] < height + 1


@pytest.mark.parametrize(
    "address",
    ["%E0", "play/%E0%A4%A", "constructor", "analyse/constructor", "analyse/%", "t/%E0/%E0", "progress/%E0"],
)
def test_no_address_leaves_a_dead_page(open_page, address):
    page = open_page("/#/help")
    page.get_by_role("heading", name="Help").wait_for()
    page.evaluate("address => { location.hash = `#/${address}`; }", address)
    expect(page.get_by_role("heading", name="Help")).to_have_count(0)
    expect(page.locator("main")).not_to_be_empty()
    if address == "analyse/constructor":
        expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("position")
    page.get_by_role("link", name="Help").click()
    page.get_by_role("heading", name="Help").wait_for()


def wait_for_failed_connection(page):
    """Wait until the page has tried in vain to connect."""
    with page.expect_event("console", lambda said: "ERR_INTERNET_DISCONNECTED" in said.text):
        pass
    with page.expect_event("console", lambda said: "ERR_INTERNET_DISCONNECTED" in said.text):
        pass


def test_a_table_that_is_opened_without_a_line_comes_to_life_once_the_line_is_back(open_page):
    page = start_game(open_page, how="table", position=TO_ROLL, otherName="Bob")
    table = page.url.split("#")[1]
    visit(page, "#/help")
    page.get_by_role("heading", name="Help").wait_for()
    page.context.set_offline(True)
    page.locator("#banner").wait_for()
    page.evaluate("table => { location.hash = table; }", table)
    page.get_by_text("Opening the table").wait_for()
    wait_for_failed_connection(page)
    page.context.set_offline(False)
    page.locator("[data-act='roll']").click()
    page.locator("#message", has_text="You rolled").wait_for()
    open_page.forgive("ERR_INTERNET_DISCONNECTED")


def test_an_invitation_that_is_opened_without_a_line_is_shown_once_the_line_is_back(open_page):
    ann = start_game(open_page, how="link", length="1")
    bob = open_page("/#/play")
    prefer(bob, name="Bob")
    bob.get_by_role("heading", name="New game").wait_for()
    bob.evaluate('import(new URL("play/table_view.js", document.querySelector("script").src).href)')
    bob.context.set_offline(True)
    bob.locator("#banner").wait_for()
    bob.evaluate(
        "link => { location.hash = link.split('#')[1]; }",
        ann.get_by_label("Link to the open seat").input_value(),
    )
    expect(bob.get_by_role("heading", name="New game")).to_have_count(0)
    wait_for_failed_connection(bob)
    bob.context.set_offline(False)
    bob.get_by_role("textbox").fill("Bob")
    bob.get_by_role("button", name="Sit down").click()
    bob.locator(".player-bar.to-act").wait_for()
    open_page.forgive("ERR_INTERNET_DISCONNECTED")


def test_a_page_that_could_not_be_had_is_opened_once_the_line_is_back(open_page):
    page = open_page("/#/help")
    page.get_by_role("heading", name="Help").wait_for()
    page.context.set_offline(True)
    page.get_by_role("link", name="Progress").click()
    page.get_by_role("button", name="Try again").wait_for()
    page.context.set_offline(False)
    page.get_by_role("heading", name="Progress", exact=True).wait_for()
    open_page.forgive("ERR_INTERNET_DISCONNECTED")


def test_a_roll_without_a_move_is_passed_by_enter_wherever_the_focus_is(open_page):
    page = start_game(open_page, how="table", position=ON_THE_BAR, typedDice=True, otherName="Bob")
    type_dice(page, "6 6")
    page.locator("[data-act='play']").wait_for()
    page.locator("[data-place='p6']").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".moves")).to_contain_text("no move")
    visit(page, "#/analyse/" + ON_THE_BAR.replace(":00:", ":66:"))
    page.get_by_role("button", name="No move: pass the turn").wait_for()
    page.locator("[data-place='p6']").press("Enter")
    expect(page).to_have_url(re.compile(":-1:00:"))


def test_spectators_see_no_button_that_the_server_refuses_them(open_page):
    ann = start_game(open_page, how="table", position=TO_ROLL, otherName="Bob")
    ann.locator("[data-act='roll']").click()
    ann.locator("#message", has_text="You rolled").wait_for()
    play = ann.evaluate("document.querySelector('.target.movable').dataset.place")
    assert play
    ann.locator("[data-act='move-for-me']").click()
    ann.locator(".moves li .tiny").first.wait_for()
    watching = ann.evaluate(LIST_TABLES)[0]["watch"]
    eve = open_page(f"/#/t/{ann.url.split('/')[-2]}/{watching}")
    eve.get_by_text("You are watching.").wait_for()
    expect(eve.locator(".moves li")).to_have_count(ann.locator(".moves li").count())
    expect(eve.locator(".moves .tiny")).to_have_count(0)
    acts = eve.locator("[data-act]:enabled:visible").all()
    assert {each.get_attribute("data-act") for each in acts} <= {"options"}


def test_what_was_given_up_offers_nothing_to_take_back(open_page):
    page = start_game(open_page, variant="barca", how="table", otherName="Bob")
    page.locator("[data-place='e2']").click(force=True)
    page.locator("[data-place='e4']").click(force=True)
    page.locator(".moves li .tiny").first.wait_for()
    resign(page)
    page.locator("dialog.end").get_by_role("button", name="Close").click()
    expect(page.locator("[data-act='undo']")).to_be_disabled()
    expect(page.locator(".moves .tiny")).to_have_count(0)


def test_the_sides_keep_their_colours_where_the_system_sets_colours(open_page):
    page = start_game(
        open_page, how="table", position=TO_ROLL, otherName="Bob", options={"forced_colors": "active"}
    )
    press(page, "double")
    page.locator("[data-act='take']").click()
    page.locator(".moves .side-disc.seat1").wait_for()
    read = "found => found.map(each => getComputedStyle(each).backgroundColor)"
    for discs in (".player-bar .side-disc", ".moves .side-disc"):
        assert len(set(page.eval_on_selector_all(discs, read))) == 2
    visit(page, "#/analyse/XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10")
    page.locator(".bar-side .dot").first.wait_for()
    assert len(set(page.eval_on_selector_all(".bar-side .dot", read))) == 2


def test_keys_of_unfinished_games_outlast_any_number_of_other_tables(open_page):
    page = open_page("/#/help")
    kept = page.evaluate(
        """async () => {
            const { findTable, keepTable, listTables, markOver } =
                await import("/page/js/play/known_tables.js");
            const own = { tokens: ["key"], isSeat: true, title: "Ann against Bob" };
            const watched = { tokens: ["watch"], isSeat: false };
            keepTable({ table: "friend", ...own });
            for (let number = 0; number < 30; number++) keepTable({ table: `watched${number}`, ...watched });
            for (let number = 0; number < 300; number++) {
                keepTable({ table: `engine${number}`, ...own });
                markOver(`engine${number}`, true);
            }
            const count = listTables().length;
            return { friend: findTable("friend"), count, last: !!findTable("engine299") };
        }"""
    )
    assert kept["friend"]["tokens"] == ["key"]
    assert kept["last"]
    assert kept["count"] < 250


def test_who_opens_the_own_table_to_watch_keeps_the_keys_of_the_seat(open_page):
    ann = start_game(open_page, how="link", length="1")
    (known,) = ann.evaluate(LIST_TABLES)
    table, seat = known["table"], known["tokens"]
    for address in (f"#/t/{table}/{known['watch']}", f"#/t/{table}/"):
        visit(ann, "#/help")
        ann.get_by_role("heading", name="Help").wait_for()
        visit(ann, address)
        ann.locator(".table .board").wait_for()
        ann.locator("#message", has_text="Waiting").wait_for()
        (known,) = ann.evaluate(LIST_TABLES)
        assert set(seat) <= set(known["tokens"])
        assert known["isSeat"]
        assert known["title"] != table


def test_games_to_go_on_with_are_those_that_the_server_still_has(open_page):
    page = start_game(open_page, how="table", position=TO_ROLL, otherName="Bob")
    (known,) = page.evaluate(LIST_TABLES)
    gone = [{**known, "table": f"gone{number}", "title": f"gone {number}"} for number in range(8)]
    page.evaluate("tables => localStorage.setItem('gammond.tables', JSON.stringify(tables))", [*gone, known])
    visit(page, "#/play")
    page.locator("summary", has_text="Opened before: 3").click()
    expect(page.locator(".lists a", has_text="gone")).to_have_count(0)
    expect(page.locator(".lists a", has_text="Bob")).to_be_visible()
    page.reload()
    expect(page.locator(".lists a", has_text="Bob")).to_be_visible()
    expect(page.locator(".lists summary")).to_be_hidden()


def test_a_game_that_the_server_lacks_is_not_offered(open_page):
    page = open_page("/#/play")
    lacking = page.locator("[name='variant'] option[value='hypergammon']")
    expect(lacking).to_have_text("Hypergammon: not on this server")
    expect(lacking).to_be_disabled()
    page.locator("[name='how']").select_option("table")
    expect(lacking).to_have_text("Hypergammon")
    page.locator("[name='variant']").select_option("hypergammon")
    page.locator("[name='how']").select_option("engine")
    expect(page.locator("[name='variant']")).to_have_value("backgammon")
    visit(page, "#/analyse")
    expect(page.locator(".editor option[value='hypergammon']")).to_be_disabled()


def read_acts(page):
    """Collect what a page asks to be done at tables from here on, but for the seeds of dice."""
    acts = []

    def note(frame):
        said = json.loads(frame) if isinstance(frame, str) and frame.startswith("{") else {}
        if said.get("do") == "act" and not said["act"].endswith("_seed"):
            acts.append(said)

    page.on("websocket", lambda socket: socket.on("framesent", note))
    return acts


def start_with_advice(open_page, **preferences):
    """Begin a game in which 3-1 is to be played; return the page, and what it asks to be done."""
    page = open_page("/#/help")
    acts = read_acts(page)
    prefer(page, **preferences)
    page.reload()
    begin_game(page, position=TO_ROLL, typedDice=True, **QUICK)
    type_dice(page, "3 1")
    page.locator("#typed-play").wait_for()
    return page, acts


def show_hint(page):
    page.locator("[data-act='hint']").click()
    page.locator(".hint-panel .play-row").first.wait_for()
    expect(page.locator(".hint-panel")).to_contain_text(
        "A game with hints counts neither for PR nor for Elo."
    )


def answer_tutor(page, name):
    page.locator(".tutor").get_by_role("button", name=name).click()


PLAYS = {
    "by the button of a hint": (
        *(False, True),
        [show_hint, lambda page: page.locator(".hint-panel .make").first.click()],
    ),
    "by hand after a hint": (False, True, [show_hint, lambda page: type_play(page, "8/5 6/5")]),
    "the better one of the tutor": (
        *(True, True),
        [lambda page: type_play(page, "24/20"), lambda page: answer_tutor(page, "Play the better one")],
    ),
    "once the tutor has named the better one": (
        *(True, True),
        [
            lambda page: type_play(page, "24/20"),
            lambda page: answer_tutor(page, "Take back"),
            lambda page: type_play(page, "8/5 6/5"),
        ],
    ),
    "against the tutor": (
        *(True, False),
        [lambda page: type_play(page, "24/20"), lambda page: answer_tutor(page, "Play it anyway")],
    ),
    "without a word of the tutor": (True, False, [lambda page: type_play(page, "8/5 6/5")]),
}
"""Ways to play: whether there is a tutor, whether it helps, and what is done."""


@pytest.mark.parametrize("way", PLAYS)
def test_a_play_with_the_engines_help_is_not_ones_own_and_any_other_is(open_page, way):
    has_tutor, is_helped, steps = PLAYS[way]
    page, acts = start_with_advice(open_page, tutor=has_tutor)
    for step in steps:
        step(page)
    page.locator(".moves li .tiny").first.wait_for()
    (act,) = [each for each in acts if each["act"] == "play"]
    assert act.get("help", False) is is_helped


def test_a_double_after_a_hint_is_not_ones_own_and_the_next_decision_is(open_page):
    page = open_page("/#/help")
    acts = read_acts(page)
    prefer(page)
    page.reload()
    begin_game(page, how="table", position=TO_ROLL, length="0", otherName="Bob")
    page.locator("[data-act='hint']").click()
    page.locator(".hint-panel td").first.wait_for()
    press(page, "double")
    page.locator("[data-act='hint']").click()
    expect(page.locator(".hint-panel strong")).to_have_text("Beaver")
    expect(page.locator(".hint-panel th")).to_have_text(["Beaver", "Pass"])
    expect(page.locator(".hint-panel td").last).to_have_text("\N{MINUS SIGN}1.000")
    pass_double(page)
    page.locator("dialog.end").wait_for()
    assert [(each["act"], each.get("help", False)) for each in acts] == [("double", True), ("drop", True)]


def test_the_buttons_of_the_tutor_are_deaf_to_the_second_press_of_done(open_page):
    page, acts = start_with_advice(open_page, tutor=True)
    page.evaluate(
        """() => {
            const tutor = document.querySelector(".tutor");
            const press = (_, observer) => {
                observer.disconnect();
                tutor.querySelectorAll("button").forEach((each) => each.click());
            };
            new MutationObserver(press).observe(tutor, {attributes: true});
        }"""
    )
    type_play(page, "24/20")
    expect(page.locator(".tutor")).to_be_visible()
    page.locator(".tutor").get_by_role("button", name="Take back").click()
    expect(page.locator(".tutor")).to_be_hidden()
    assert [each["act"] for each in acts] == ["dice"]
