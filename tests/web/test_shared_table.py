"""Two people at one screen, in Chromium: beavers, sounds, and bearing off by itself."""

import re

import pytest

from tests.web.table_page import invite, pass_double, press, resign, start_game, type_dice, type_play
from tests.web.waiting import expect, find_box, stop_clock

pytestmark = pytest.mark.slow

TO_ROLL = "4HPwATDgc/ABMA"
LAST_CHECKERS = "5wAAgA0AAAAAAA"
TONES = """
    window.tones = [];
    window.AudioContext = class {
        currentTime = 0;
        destination = null;
        createOscillator() {
            const frequency = { value: 0 };
            const start = () => window.tones.push(frequency.value);
            return { frequency, connect: (next) => next, start, stop() {} };
        }
        createGain() {
            const gain = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
            return { gain, connect: (next) => next };
        }
    };
"""
"""Notes the pitch of each tone in place of playing it."""


def test_a_beaver_turns_the_cube_at_once_and_the_first_side_plays_on_at_four(open_page):
    page = start_game(open_page, how="table", position=TO_ROLL, length="0", beavers=True, otherName="Bob")
    message, cube = page.locator("#message"), page.locator(".cube")
    press(page, "double")
    page.locator("[data-act='beaver']").wait_for()
    expect(cube).to_have_text("2")
    press(page, "beaver")
    expect(message).to_have_text(re.compile("beavers: the cube would be at 4"))
    expect(cube).to_have_text("4")
    expect(page.locator("[data-act='beaver']")).to_have_count(0)
    press(page, "take")
    page.locator("[data-act='roll']").wait_for()
    expect(cube).to_have_text("4")
    expect(cube).not_to_have_class(re.compile("offered"))
    expect(page.locator("[data-act='double']")).to_have_count(0)


def test_two_people_at_one_board_are_told_who_won_by_name(open_page):
    page = start_game(open_page, how="table", position=TO_ROLL, length="1", name="You", otherName="Bob")
    resign(page)
    press(page, "accept")
    end = page.locator("dialog.end")
    expect(end.locator("p").first).to_have_text("Bob wins the game: 1 point.")
    expect(end.locator("p").nth(1)).to_have_text("Bob wins the match. Score: You 0, Bob 1.")


def test_without_beavers_none_is_offered(open_page):
    page = start_game(open_page, how="table", position=TO_ROLL, length="0", beavers=False)
    press(page, "double")
    page.locator("[data-act='take']").wait_for()
    expect(page.locator("[data-act='beaver']")).to_have_count(0)


def test_sounds_are_off_until_they_are_switched_on(open_page):
    page = open_page("/#/help")
    page.add_init_script(TONES)
    page = start_game(lambda *_, **__: page, how="table", position=TO_ROLL, typedDice=True)
    type_dice(page, "3 1")
    page.locator(".target.movable").first.wait_for(state="attached")
    assert page.evaluate("window.tones") == []
    page.locator("[data-act='options']").click()
    page.get_by_label("Sounds").check()
    page.locator("dialog.options").get_by_role("button", name="Close").click()
    type_play(page, "8/5 6/5")
    page.wait_for_function("() => window.tones.length === 1")
    type_dice(page, "6 4")
    page.wait_for_function("() => window.tones.length === 5")
    assert page.evaluate("window.tones") == [330, 620, 480, 700, 530]


def test_checkers_are_borne_off_by_themselves_to_the_end_of_the_game(open_page):
    page = start_game(
        open_page,
        how="table",
        position=LAST_CHECKERS,
        length="0",
        preferences={"forcedMoves": True, "autoBearOff": True, "autoRoll": True},
        cube=False,
    )
    page.locator("dialog.end").wait_for()
    expect(page.locator("dialog.end")).to_contain_text("wins")
    expect(page.locator(".moves")).to_contain_text("/off")


def test_each_player_is_told_the_result_by_the_seat_whatever_the_names_are(open_page):
    host = start_game(open_page, how="link", length="1", position=TO_ROLL, preferences={"name": "You"})
    bob = invite(open_page, host)
    resign(host)
    press(bob, "accept")
    won, lost = (page.locator("dialog.end p") for page in (bob, host))
    expect(won.first).to_have_text("You win the game: 1 point.")
    expect(won.nth(1)).to_have_text("You win the match. Score: Bob 1, You 0.")
    expect(lost.first).to_have_text("Bob wins the game: 1 point.")
    expect(lost.nth(1)).to_have_text("Bob wins the match. Score: You 0, Bob 1.")


def test_who_gives_no_name_is_a_guest_and_no_player_of_the_lists(open_page):
    page = start_game(
        open_page, how="engine", level="beginner", pace="none", length="1", preferences={"name": ""}
    )
    expect(page.locator(".player-name").last).to_have_text("Guest")
    expect(page.locator(".player-bar").last).to_contain_text("you")
    resign(page)
    page.locator("dialog.end").get_by_role("link", name="Progress").click()
    expect(page.get_by_text("Enter a name to see its games.")).to_be_visible()
    expect(page.locator(".top-list a", has_text=re.compile("^(Guest|You|Friend)$"))).to_have_count(0)


@pytest.mark.parametrize("size", [(360, 640), (1280, 800)])
def test_a_double_is_answered_apart_from_other_buttons_after_a_moment_and_passed_by_two_presses(
    open_page, size
):
    size = dict(zip(("width", "height"), size, strict=True))
    page = start_game(open_page, how="table", position=TO_ROLL, length="0", otherName="Bob", options=size)
    before = [find_box(page.locator(f".main-buttons [data-act='{act}']")) for act in ("double", "roll")]
    stop_clock(page)
    press(page, "double")
    button = page.locator("[data-act='drop']")
    box = find_box(button)
    for other in before:
        apart = box["y"] >= other["y"] + other["height"] or box["x"] + box["width"] <= other["x"]
        assert apart, (box, other)
    page.clock.run_for(450)
    for act in ("drop", "take"):
        page.locator(f"[data-act='{act}']").evaluate("button => button.click()")
    expect(button).to_have_text("Pass")
    page.clock.run_for(100)
    button.click()
    expect(button).to_have_text("Pass for good?")
    expect(page.locator("#live")).to_contain_text("Press again to pass and lose the game.")
    page.locator("[data-act='options']").focus()
    expect(button).to_have_text("Pass")
    pass_double(page)
    page.locator("dialog.end").wait_for()


def test_the_keys_of_a_double_are_deaf_as_its_buttons_are_and_a_held_key_passes_nothing(open_page):
    page = start_game(open_page, how="table", position=TO_ROLL, length="0", otherName="Bob")
    drop, take = (page.locator(f"[data-act='{act}']") for act in ("drop", "take"))
    stop_clock(page)
    press(page, "double")
    take.wait_for()
    page.clock.run_for(450)
    for key in "pt":
        page.keyboard.press(key)
    expect(drop).to_have_text("Pass")
    page.clock.run_for(100)
    for _ in range(6):
        page.keyboard.down("p")  # the key is held: it repeats
    page.keyboard.up("p")
    expect(drop).to_have_text("Pass for good?")
    expect(take).to_be_visible()
    page.keyboard.press("p")
    page.locator("dialog.end").wait_for()


def test_how_much_is_resigned_is_asked_by_buttons_that_are_deaf_at_first(open_page):
    page = start_game(open_page, how="table", position=TO_ROLL, length="0", otherName="Bob")
    page.evaluate(
        """() => {
            document.querySelector("[data-act='resign']").click();
            for (const each of document.querySelectorAll("dialog.resign button")) each.click();
        }"""
    )
    dialog = page.locator("dialog.resign")
    expect(dialog).to_be_visible()
    expect(page.locator("#message")).not_to_contain_text("resigns")
    dialog.get_by_role("button", name="a single game").click()
    expect(page.locator("#message")).to_contain_text("resigns")


def test_where_the_cube_is_is_said_and_the_board_names_cube_and_dice(open_page):
    page = start_game(
        open_page, how="table", position=TO_ROLL, length="5", name="Ann", otherName="Bob", typedDice=True
    )
    live, board = page.locator("#live"), page.locator("svg.board")
    page.keyboard.press("s")
    expect(live).to_contain_text("The cube is in the middle at 1.")
    expect(board.get_by_role("img", name="Cube at 1, in the middle")).to_be_attached()
    press(page, "double")
    expect(board.get_by_role("img", name="Cube offered at 2")).to_be_attached()
    press(page, "take")
    type_dice(page, "3 1")
    expect(board.get_by_role("img", name="Dice 3-1")).to_be_attached()
    page.locator("body").press("s")
    expect(live).to_contain_text(re.compile("(Ann|Bob) holds the cube at 2."))
