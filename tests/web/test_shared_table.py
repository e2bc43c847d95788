"""Two people at one screen, in Chromium: beavers, sounds, and bearing off by itself."""

import re

import pytest

from tests.web.table_page import press, start_game
from tests.web.waiting import expect

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


def test_who_has_no_name_is_told_you_win(open_page):
    page = start_game(open_page, how="table", position=TO_ROLL, length="0", name="You", otherName="Bob")
    press(page, "double")
    press(page, "drop")
    expect(page.locator("dialog.end")).to_contain_text("You win the game: 1 point.")


def test_without_beavers_none_is_offered(open_page):
    page = start_game(open_page, how="table", position=TO_ROLL, length="0", beavers=False)
    press(page, "double")
    page.locator("[data-act='take']").wait_for()
    expect(page.locator("[data-act='beaver']")).to_have_count(0)


def test_sounds_are_off_until_they_are_switched_on(open_page):
    page = open_page("/#/help")
    page.add_init_script(TONES)
    page = start_game(lambda *_, **__: page, how="table", position=TO_ROLL, typedDice=True)
    page.locator("#typed-dice").fill("3 1")
    page.locator("#typed-dice").press("Enter")
    page.locator(".target.movable").first.wait_for(state="attached")
    assert page.evaluate("window.tones") == []
    page.locator("[data-act='options']").click()
    page.get_by_label("Sounds").check()
    page.locator("dialog.options").get_by_role("button", name="Close").click()
    page.locator("#typed-play").fill("8/5 6/5")
    page.locator("#typed-play").press("Enter")
    page.wait_for_function("() => window.tones.length === 1")
    page.locator("#typed-dice").fill("6 4")
    page.locator("#typed-dice").press("Enter")
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
    page.locator("dialog.end").wait_for(timeout=90_000)
    expect(page.locator("dialog.end")).to_contain_text("wins")
    expect(page.locator(".moves")).to_contain_text("/off")
