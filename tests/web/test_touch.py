"""Checkers dragged by a finger on a phone, on every board, with touch events as a screen sends them."""

import re

import pytest

from tests.web.table_page import prefer, press, start_game, type_dice
from tests.web.waiting import WAIT_MS, expect, find_box, visit

pytestmark = pytest.mark.slow

PHONE = {"width": 360, "height": 640, "has_touch": True, "is_mobile": True, "device_scale_factor": 3}
TO_PLAY = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10"
STEPS = 8


def find_middle(page, target):
    """Return the middle of a place of the board, which is scrolled into sight."""
    place = page.locator(target)
    place.scroll_into_view_if_needed()
    box = find_box(place)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, start, end, *, scrolls=False):
    """Drag a finger from one place of the board to another; the page scrolls meanwhile, or it does not."""
    find_middle(page, start)
    (to_x, to_y), (x, y) = find_middle(page, end), find_middle(page, start)
    before = page.evaluate("scrollY")
    devtools = page.context.new_cdp_session(page)

    def send(kind, *points):
        devtools.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
        )

    send("touchStart", (x, y))
    for step in range(1, STEPS + 1):
        share = step / STEPS
        send("touchMove", (x + share * (to_x - x), y + share * (to_y - y)))
        page.wait_for_timeout(20)
    if scrolls:
        page.wait_for_function("before => scrollY - before > 50", arg=before, timeout=WAIT_MS)
    else:
        assert page.evaluate("scrollY") == before
    send("touchEnd")


@pytest.mark.parametrize("variant", ["backgammon", "hypergammon"])
def test_checkers_are_dragged_by_a_finger_at_a_table(open_page, variant):
    page = start_game(open_page, how="table", variant=variant, typedDice=True, cube=False, options=PHONE)
    type_dice(page, "3 1")
    page.locator(".target.movable").first.wait_for(state="attached")
    start, end = ("p13", "p10") if variant == "backgammon" else ("p24", "p21")
    if page.locator(f"[data-place='{start}'].movable").count() == 0:  # the other side began
        start, end = ("p12", "p15") if variant == "backgammon" else ("p1", "p4")
    drag(page, f"[data-place='{start}']", f"[data-place='{end}']")
    expect(page.locator("[data-act='back']")).to_be_enabled()
    press(page, "back")
    expect(page.locator("[data-act='back']")).to_be_disabled()


def test_animals_are_dragged_by_a_finger_at_a_table(open_page):
    page = start_game(open_page, how="table", variant="barca", options=PHONE)
    page.locator(".target.movable").first.wait_for(state="attached")
    drag(page, "[data-place='e2']", "[data-place='e4']")
    expect(page.locator(".moves")).to_contain_text("e2-e4")


def test_checkers_are_dragged_by_a_finger_where_a_position_is_analysed_and_set_up(open_page):
    page = open_page("/#/help", **PHONE)
    prefer(page)
    visit(page, f"#/analyse/{TO_PLAY}")
    page.locator(".target.movable").first.wait_for(state="attached")
    drag(page, "[data-place='p13']", "[data-place='p10']")
    expect(page.get_by_role("button", name="Take back")).to_be_visible()
    page.get_by_role("button", name="Take back").click()
    page.get_by_role("button", name="Set up").click()
    drag(page, "[data-place='p6']", "[data-place='p4']")
    expect(page).to_have_url(re.compile(re.escape("XGID=-b--A-D-")))


def test_animals_are_dragged_by_a_finger_where_barca_is_analysed(open_page):
    page = open_page("/#/analyse/barca", **PHONE)
    page.locator(".target.movable").first.wait_for(state="attached")
    drag(page, "[data-place='e2']", "[data-place='e4']")
    expect(page.locator(".line-of-moves")).to_contain_text("e2-e4")


def test_a_finger_on_a_board_where_nothing_can_be_moved_scrolls_the_page(open_page):
    page = start_game(open_page, how="table", position="4HPwATDgc/ABMA", options=PHONE)
    page.locator("[data-act='roll']").wait_for()
    drag(page, "[data-place='p6']", "[data-place='p19']", scrolls=True)
