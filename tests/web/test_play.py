"""Games at the tables of the page, in Chromium."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from gammond.protocol.archive.archive import GameArchive
from gammond.protocol.archive.options import ArchiveOptions
from gammond.protocol.tables.dice import make_commitment, make_roll
from tests.protocol.tables.visiting import PERSON, Site
from tests.web.table_page import (
    MAY_ACT,
    BreakableSockets,
    begin_game,
    invite,
    list_acts,
    move_checkers,
    play_turn,
    play_until,
    prefer,
    press,
    resign,
    start_game,
    take_turn,
    type_dice,
    type_play,
    wait_for_change,
    wait_for_turn,
)
from tests.web.waiting import check_widths, expect, find_box, visit

pytestmark = pytest.mark.slow

QUICK = {"level": "beginner", "pace": "none"}
SCARED_MOUSE = "4ee4/4mml3/10/10/5l4/4M5/10/10/3L1ML3/4EE4 w"
ALMOST_WON = "2l1ee4/4m5/5l4/3L6/10/5m4/3L1M4/10/4M5/4EE4 w"
"""White wins by f4-g4."""
LAST_CHECKERS = "5wAAgA0AAAAAAA"
"""Few checkers are left on either side, and no contact."""
ON_THE_BAR = "XGID=-b----D-C---eE---c-e----BA:0:0:1:00:0:0:0:0:10"
"""The start, but for one checker of the side on roll that was hit."""


def is_below(page, square, other):
    """Whether a square of Barca is drawn below another."""
    boxes = [find_box(page.locator(f"[data-place='{each}']")) for each in (square, other)]
    return boxes[0]["y"] > boxes[1]["y"]


def reach_play(page):
    """Roll until checkers are to be moved."""
    play_until(page, lambda page: page.locator(".target.movable").count() > 0)


def test_a_match_of_3_points_against_the_engine_is_played_through_with_the_cube(open_page):
    page = start_game(open_page, length="3", **QUICK)
    done, games = [], 0
    while True:
        done += play_until(page, lambda page: page.locator("dialog.end").count() > 0, doubles=True)
        games += 1
        title = page.locator("dialog.end h2").inner_text()
        if title == "Match over":
            break
        assert games < 10
        page.locator("dialog.end [data-act='next']").click()
        page.locator("dialog.end").wait_for(state="detached")
    assert {"double", "take"} & set(done)
    assert "done" in done
    points = [
        int(found) for found in re.findall(r"\d+", page.locator("dialog.end").inner_text().split("Score")[1])
    ]
    assert max(points) >= 3
    page.locator("dialog.end").get_by_role("link", name="New game").click()
    page.get_by_role("heading", name="New game").wait_for()
    expect(page.get_by_role("heading", name="Go on with")).to_have_count(0)
    expect(page.locator("[name='length']")).to_have_value("3")


def test_checkers_are_dragged_put_back_and_dragged_again(open_page):
    page = start_game(open_page, **QUICK)
    reach_play(page)
    start = find_box(page.locator(".target.movable").first)
    middle = (start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 30, middle[1] + 20, steps=4)
    goal = find_box(page.locator(".target.legal").first)
    page.mouse.move(5, 5, steps=4)
    page.mouse.up()
    back = page.locator("[data-act='back']")
    expect(back).to_be_disabled()
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(goal["x"] + goal["width"] / 2, goal["y"] + goal["height"] / 2, steps=6)
    page.mouse.up()
    expect(back).to_be_enabled()
    for _ in range(4):  # a place that several dice reach is as many moves
        if back.is_enabled():
            press(page, "back")
    expect(back).to_be_disabled()


def test_a_frame_of_a_drag_costs_less_than_a_sixtieth_of_a_second(open_page):
    page = start_game(open_page, **QUICK)
    reach_play(page)
    box = find_box(page.locator(".target.movable").first)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})  # without what other processes take

    def read_busy_s():
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "TaskDuration")

    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    before = read_busy_s()
    for step in range(120):
        page.mouse.move(box["x"] + 10 + 2 * step, box["y"] + 10 + step % 40)
    busy_s = (read_busy_s() - before) / 120
    page.mouse.up()
    assert busy_s < 1 / 60


def test_a_play_that_is_typed_counts_as_one_that_is_moved(open_page):
    page = start_game(
        open_page, position="4HPwATDgc/ABMA", preferences={"confirmPlay": True}, typedDice=True, **QUICK
    )
    type_dice(page, "3 1")
    page.locator(".moves li", has_text="…").wait_for()
    type_play(page, "8/5 6/4")
    page.locator("#message.failure").wait_for()
    type_play(page, "8/5 6/5")
    page.locator(".moves li", has_text="8/5 6/5").wait_for()
    expect(page.locator(".player-bar .last-action").last).to_have_text("3-1: 8/5 6/5")
    type_dice(page, "6 4")
    page.locator(".last-to").first.wait_for()
    expect(page.locator(".player-bar .last-action").first).to_have_text(re.compile("6-4: .+"))
    assert page.locator(".last-to").count() == page.locator(".last-from").count() > 0


def test_a_play_is_undone_done_again_and_played_from_an_earlier_place(open_page):
    page = start_game(open_page, **QUICK)
    reach_play(page)
    play_turn(page)
    wait_for_turn(page)
    moves = page.locator(".moves li .tiny").count()
    page.locator("[data-act='undo']").click()
    page.wait_for_function("most => document.querySelectorAll('.moves li .tiny').length < most", arg=moves)
    page.locator("[data-act='redo']").click()
    page.wait_for_function("most => document.querySelectorAll('.moves li .tiny').length >= most", arg=moves)
    page.locator(".moves li .tiny").first.click()
    page.wait_for_function("() => document.querySelectorAll('.moves li .tiny').length <= 2")


def test_the_engine_moves_for_the_person_and_hints_show_the_best_play(open_page):
    page = start_game(open_page, **QUICK)
    reach_play(page)
    page.keyboard.press("h")
    page.locator(".hint-panel .play-row").first.wait_for()
    expect(page.locator("path.arrow.best").first).to_be_attached()
    count = page.locator(".moves li .tiny").count()
    page.locator("[data-act='move-for-me']").click()
    page.wait_for_function("count => document.querySelectorAll('.moves li .tiny').length > count", arg=count)


def test_a_checker_that_cannot_move_says_why_when_it_is_pressed(open_page):
    page = start_game(open_page, how="table", position=ON_THE_BAR, typedDice=True, otherName="Bob")
    pressed = page.locator("[data-place='p6']")
    message = page.locator("#message")
    pressed.click(force=True)
    expect(message).to_have_text("Type the dice first.")
    type_dice(page, "6 6")
    page.locator("[data-act='play']").wait_for()
    pressed.click(force=True)
    expect(message).to_have_text("No checker can move: press Go on.")
    press(page, "play")
    type_dice(page, "3 1")
    page.locator(".target.movable").first.wait_for(state="attached")
    page.locator("[data-place='p1']").click(force=True)
    expect(message).to_have_text(
        re.compile(r"These are the checkers of \w+; yours are the (light|dark) ones\.")
    )
    expect(page.locator("#live")).to_contain_text("These are the checkers of")
    page.locator(".target.movable").first.click(force=True)
    page.locator("[data-place='p1']").click(force=True)
    expect(message).to_have_text("The checker cannot go there with this roll.")


def test_why_a_checker_cannot_move_is_told_from_board_and_dice(open_page):
    page = open_page("/#/help")
    cases = [
        ({6: 1}, {}, 6, [], "played"),
        ({0: 1, 6: 1}, {}, 0, [3], "off"),
        ({25: 1, 6: 1}, {}, 6, [3], "bar"),
        ({6: 1}, {22: 2, 24: 3}, 6, [3, 5], "blocked"),
        ({13: 1, 3: 1}, {23: 2}, 3, [1, 5], "home"),
        ({5: 1, 3: 1}, {23: 2}, 3, [1, 4], "highest"),
        ({6: 1}, {22: 2}, 6, [3, 5], "both"),
    ]
    asked = [
        [*([row.get(place, 0) for place in range(26)] for row in (own, theirs)), point, dice]
        for own, theirs, point, dice, _ in cases
    ]
    told = page.evaluate(
        """async asked => {
            const { explainRefusal } = await import("/page/js/board/refusal.js");
            return asked.map(each => explainRefusal(...each));
        }""",
        asked,
    )
    assert told == [reason for *_, reason in cases]


def test_the_last_play_is_marked_where_its_checkers_left_and_where_they_are(open_page):
    page = open_page("/#/help")
    found = page.evaluate(
        """async () => {
            const { countMoved } = await import("/page/js/board/last_play.js");
            const { left, reached } = countMoved([[13, 7], [7, 5], [6, 5]]);
            return [[...left], [...reached]];
        }"""
    )
    assert found == [[[13, 1], [6, 1]], [[5, 2]]]


def test_the_first_roll_is_announced_with_who_begins(open_page):
    page = start_game(open_page, how="table", name="Ann", otherName="Bob")
    page.locator("#live", has_text=re.compile(r"(Ann|Bob) begins with \d-\d\.")).wait_for(state="attached")


def test_a_checker_on_the_bar_is_said_to_enter_first(open_page):
    page = start_game(open_page, how="table", position=ON_THE_BAR, typedDice=True)
    type_dice(page, "3 1")
    page.locator("#message", has_text="You rolled 3-1. Enter from the bar first.").wait_for()
    page.locator(".target.movable").first.click(force=True)
    page.locator(".target.legal").first.click(force=True)
    page.locator("#message", has_text="You rolled 3-1. Move your checkers.").wait_for()


def test_the_tutor_says_what_a_play_costs_before_it_counts(open_page):
    page = start_game(
        open_page, position="4HPwATDgc/ABMA", typedDice=True, preferences={"tutor": True}, **QUICK
    )
    type_dice(page, "3 1")
    type_play(page, "24/20")
    tutor = page.locator(".tutor")
    expect(tutor).to_contain_text(
        re.compile(r"24/20 costs 0\.\d+ points \((error|blunder), 2-ply\)\. Better: 8/5 6/5")
    )
    loss = re.findall(r"0\.\d+", tutor.inner_text())[0]
    expect(page.locator(".player-bar .pips").last).to_have_text("163 pips")
    expect(page.locator("path.arrow.best")).to_have_count(2)
    tutor.get_by_role("button", name="Take back").click()
    expect(tutor).to_be_hidden()
    expect(page.locator(".player-bar .pips").last).to_have_text("167 pips")
    page.locator("[data-act='hint']").click()
    expect(page.locator(".hint-panel [data-play='24/20'] .play-loss")).to_have_text(f"\N{MINUS SIGN}{loss}")
    page.locator(".hint-panel [data-play='24/20'] + .make").click()
    expect(tutor).to_be_visible()
    expect(tutor).to_contain_text(loss)
    tutor.get_by_role("button", name="Take back").click()
    expect(tutor).to_be_hidden()
    expect(page.locator(".moves li", has_text="24/20")).to_have_count(0)
    type_play(page, "8/5 6/5")
    page.locator(".moves li", has_text="8/5 6/5").wait_for()


def test_the_buttons_of_the_tutor_name_the_cube_actions(open_page):
    page = start_game(open_page, position="4HPwATDgc/ABMA", preferences={"tutor": True}, **QUICK)
    press(page, "double")
    tutor = page.locator(".tutor")
    expect(tutor).to_contain_text("Better: No double.")
    expect(tutor.get_by_role("button")).to_have_text(["Roll", "Take back", "Double anyway"])
    tutor.get_by_role("button", name="Roll").click()
    page.locator("#message", has_text="You rolled").wait_for()


def test_a_network_that_is_gone_is_said_at_once_and_the_game_goes_on_after_it(open_page):
    ann = start_game(open_page, how="link", length="1")
    bob = invite(open_page, ann)
    ann.locator(".player-bar.to-act").wait_for()
    bob.context.set_offline(True)
    bob.locator("#banner").wait_for()
    expect(ann.locator(".player-bar").first).to_contain_text("away")
    bob.context.set_offline(False)
    bob.locator("#banner").wait_for(state="hidden")
    expect(ann.locator(".player-bar").first).not_to_contain_text("away")
    open_page.forgive("ERR_INTERNET_DISCONNECTED")


def test_two_people_play_by_a_link_through_a_connection_that_is_lost(open_page):
    ann = start_game(open_page, how="link", length="1")
    invitation = ann.get_by_label("Link to the open seat").input_value()
    bob = open_page("/#/help")
    sockets = BreakableSockets(bob)
    prefer(bob, name="Bob")
    bob.goto(invitation)
    bob.reload()
    expect(bob.get_by_role("heading", name="Ann invites you to play.")).to_be_visible()
    expect(bob.get_by_text("match to 1 point")).to_be_visible()
    expect(ann.locator(".player-bar .pips").first).to_have_text("")
    bob.get_by_role("button", name="Sit down").click()
    for page in (ann, bob):
        page.locator(".player-bar.to-act").wait_for()
    expect(bob.locator(".player-name")).to_have_text(["Ann", "Bob"])
    first = ann.locator(".player-bar.to-act .player-name").inner_text()
    for _ in range(2):
        take_turn({"Ann": ann, "Bob": bob}[first])
        take_turn({"Ann": bob, "Bob": ann}[first])
    if first == "Bob":
        take_turn(bob)
    expect(bob.locator(".player-bar.to-act .player-name")).to_have_text("Ann")
    wait_for_turn(ann)
    expect(bob.locator(".moves li")).to_have_count(ann.locator(".moves li").count())
    sockets.cut()
    bob.locator("#banner").wait_for()
    unseen = bob.locator(".moves").inner_text()
    take_turn(ann)
    expect(ann.locator(".moves")).not_to_have_text(unseen, use_inner_text=True)
    expect(bob.locator(".moves")).to_have_text(unseen, use_inner_text=True)
    expect(bob.locator(".main-buttons")).to_be_empty()
    sockets.mend()
    bob.locator("#banner").wait_for(state="hidden")
    wait_for_turn(bob)
    take_turn(bob)
    wait_for_turn(ann)
    for part in (".moves li", ".moves li .tiny"):
        expect(bob.locator(part)).to_have_count(ann.locator(part).count())


def test_nobody_else_can_sit_down_by_a_link_and_spectators_only_watch(open_page):
    ann = start_game(open_page, how="link", length="1")
    invitation = ann.get_by_label("Link to the open seat").input_value()
    watching = ann.get_by_label("Link for watching").input_value()
    ann.get_by_text(re.compile(r"works on this computer alone.*--web 0\.0\.0\.0:\d+ ")).wait_for()
    bob = open_page("/#/help")
    prefer(bob, name="Bob")
    bob.goto(invitation)
    bob.get_by_role("textbox").fill("Bob")
    bob.get_by_role("button", name="Sit down").click()
    bob.locator(".player-bar.to-act").wait_for()
    eve = open_page("/#/help")
    eve.goto(watching)
    eve.get_by_text("You are watching.").wait_for()
    expect(eve.locator(".main-buttons")).to_be_empty()
    expect(eve.locator(".target.movable")).to_have_count(0)
    expect(ann.locator("#message")).not_to_have_text(eve.locator("#message").inner_text())
    expect(bob).to_have_url(re.compile(r"/t/[\w-]+/[\w-]+$"))
    expect(bob).not_to_have_url(re.compile(re.escape(invitation.split("/")[-2])))


def test_in_barca_squares_to_go_to_are_green_and_a_scared_mouse_is_red_and_moves_first(open_page):
    page = start_game(open_page, variant="barca", position=SCARED_MOUSE, level="easy", pace="none")
    page.locator(".target.movable").first.wait_for(state="attached")
    expect(page.locator(".b-scared")).to_have_count(1)
    expect(page.locator(".target.movable")).to_have_count(1)
    expect(page.locator(".target.movable")).to_have_attribute("data-place", "e5")
    page.locator("[data-place='d2']").click(force=True)
    expect(page.locator("#message")).to_have_text("A scared animal must go first.")
    address = page.get_by_role("link", name="Analyse this position").get_attribute("href")
    assert address.startswith("#/analyse/barca/4ee4")
    page.locator("[data-place='e5']").click(force=True)
    page.locator(".target.legal").nth(3).wait_for(state="attached")
    goals = page.eval_on_selector_all(".target.legal", "found => found.map(each => each.dataset.place)")
    expect(page.locator(".b-valid")).to_have_count(len(goals))
    assert not {"e6", "e7", "f5", "g5"} & set(goals)
    expect(page.locator(".mark.feared.cross")).to_have_count(4)
    expect(page.locator("[data-place='e6']")).to_have_attribute("aria-label", re.compile("fears"))
    page.get_by_role("button", name="Hide valid moves").click()
    expect(page.locator(".b-valid, .mark.feared, .target.legal")).to_have_count(0)
    page.get_by_role("button", name="Show valid moves").click()
    expect(page.locator(".b-valid")).to_have_count(len(goals))
    page.locator(f"[data-place='{goals[0]}']").click(force=True)
    page.locator(".moves li .tiny").first.wait_for()
    page.locator(".moves li .tiny").nth(1).wait_for()


def test_the_seats_of_barca_are_white_in_turn_and_each_sees_its_side_below(open_page):
    page = start_game(open_page, variant="barca", how="table", position=ALMOST_WON)
    expect(page.locator("[data-place='f4']")).to_have_class(re.compile("movable"))
    assert is_below(page, "e1", "e10")
    page.locator("[data-place='f4']").click(force=True)
    page.locator("[data-place='g4']").click(force=True)
    page.locator("dialog.end [data-act='next']").click()
    expect(page.locator("[data-place='e2']")).to_have_class(re.compile("movable"))
    expect(page.locator("[data-place='e1']")).to_have_attribute("aria-label", re.compile("white elephant"))
    assert is_below(page, "e10", "e1")
    bars = page.locator(".player-bar")
    expect(bars.nth(1).locator(".side-disc")).to_have_class("side-disc seat1")
    expect(bars.nth(0)).to_have_class(re.compile("to-act"))
    page.locator("[data-place='e9']").click(force=True)
    expect(page.locator("#message")).to_contain_text("white")
    page.locator("[data-place='e2']").click(force=True)
    page.locator("[data-place='e5']").click(force=True)
    expect(page.locator(".moves .side-disc")).to_have_class("side-disc small seat0")


def test_a_game_is_begun_and_played_by_keys_only(open_page):
    page = open_page("/#/help")
    prefer(page)
    visit(page, "#/play")
    page.reload()
    page.get_by_role("heading", name="New game").wait_for()
    press_tab_until(page, "document.activeElement.type === 'submit'")
    page.keyboard.press("Enter")
    page.locator(".table .board").wait_for()
    for _ in range(3):
        acts = wait_for_turn(page)
        before = page.locator("#message").inner_text()
        if "take" in acts:
            page.keyboard.press("t")
        elif "roll" in acts:
            page.keyboard.press("r")
        else:
            break
        wait_for_change(page, before)
    press_tab_until(page, "document.activeElement.hasAttribute('data-place')")
    for _ in range(4):
        if "done" in list_acts(page):
            break
        go_to(page, "can move to")
        page.keyboard.press("Enter")
        expect(page.locator("#live")).to_contain_text("Picked up")
        go_to(page, "can come here")
        page.keyboard.press("Enter")
    count = page.locator(".moves li .tiny").count()
    page.keyboard.press("Enter")
    page.wait_for_function("count => document.querySelectorAll('.moves li .tiny').length > count", arg=count)
    wait_for_turn(page)  # the engine's moves are said too
    page.keyboard.press("s")
    expect(page.locator("#live")).to_contain_text("Score 0 to 0.")


def press_tab_until(page, condition):
    """Press Tab until something has the focus."""
    for _ in range(60):
        if page.evaluate(condition):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no place in the order of Tab where {condition}")


def go_to(page, words):
    """Go by the arrow keys to a place of the board whose label has some words."""
    read = "document.activeElement.getAttribute('aria-label')"
    for _ in range(2):
        for _ in range(14):
            if words in page.evaluate(read):
                return
            page.keyboard.press("ArrowLeft")
        row = page.evaluate("document.activeElement.getBoundingClientRect().top")
        page.keyboard.press("ArrowUp")
        if page.evaluate("document.activeElement.getBoundingClientRect().top") == row:
            page.keyboard.press("ArrowDown")
    raise AssertionError(f"no place whose label has {words!r}")


def test_on_a_phone_everything_fits_and_fingers_move_the_checkers(open_page):
    page = start_game(open_page, options={"width": 360, "height": 740, "has_touch": True}, **QUICK)
    for width in (360, 320):
        check_widths(page, (width,))
        reach_play(page)
        assert find_box(page.locator("[data-place='p6']"))["width"] >= 22
        move_checkers(page, lambda target: target.tap(force=True))
        page.locator("[data-act='done']").tap()
        wait_for_turn(page)
        check_widths(page, (width,))


def test_two_people_by_a_link_both_find_their_own_seeds_in_the_dice_of_every_game(open_page):
    ann = start_game(open_page, how="link", length="0", position=LAST_CHECKERS, cube=False)
    bob = invite(open_page, ann)
    pages = (ann, bob)
    while not all(page.locator("dialog.end").count() for page in pages):
        for page in pages:
            if page.locator(MAY_ACT).count() and not page.locator("dialog.end").count():
                play_turn(page)
        ann.wait_for_timeout(100)
    seeds = re.compile(r"Seeds of the players: [0-9a-f]{24}, [0-9a-f]{24}")
    for page in pages:
        page.locator("dialog.end").get_by_role("button", name="Close").click()
        page.locator("details summary", has_text="Fair dice").click()
        page.get_by_role("button", name="Check the dice").click()
        fair = r"The secret is the promised one, and all \d+ rolls follow from it. Your own seed is in them."
        page.get_by_text(re.compile(fair)).wait_for()
        expect(page.locator(".side-panels details")).to_contain_text(seeds)
    first = ann.locator(".side-panels details").inner_text()
    press(ann, "next")
    for page in pages:
        page.locator(".player-bar.to-act").wait_for()
        expect(page.locator(".side-panels details")).to_contain_text(seeds)
        expect(page.locator(".side-panels details")).not_to_contain_text(seeds.search(first)[0])


def test_what_was_played_at_a_table_that_the_server_lost_is_saved_from_its_page(
    open_page, start_server, tmp_path
):
    file = tmp_path / "games.sqlite"
    archive = GameArchive(ArchiveOptions(file=str(file)))
    guest = Site(archive).visit()
    made = guest.create(PERSON, {"kind": "person", "name": "Bob"}, dice="typed")
    guest.get("act", table=made["table"], act="dice", dice=[3, 1])
    guest.get("act", table=made["table"], act="play", play="8/5 6/5")
    archive.add_action(made["table"], b'{"act":"do","line":"play 1/2"}')
    archive.close()
    server = start_server("--archive", str(file))
    page = open_page(f"/#/t/{made['table']}/{made['tokens'][0]}", url=server)
    expect(page.locator("#message")).to_contain_text("cannot be set up again")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save what was played").click()
    assert saved.value.suggested_filename == f"gammond-{made['table']}.txt"
    assert "; Ann: play 8/5 6/5\n" in Path(saved.value.path()).read_text("utf-8")


def test_rolls_made_in_the_browser_are_those_of_the_server(open_page):
    page = open_page("/#/help")
    secret = bytes(range(32))
    made = page.evaluate(
        """async ([secret, seeds, count]) => {
            const dice = await import("/page/js/play/fair_dice.js");
            const rolls = [];
            for (let k = 1; k <= count; k++) rolls.push(await dice.makeRoll(secret, seeds, k));
            const commitment = await dice.makeCommitment(secret);
            return { rolls, commitment, ofSeed: await dice.makeSeedCommitment("anna") };
        }""",
        [secret.hex(), ["anna", ""], 40],
    )
    assert made["commitment"] == make_commitment(secret)
    assert made["ofSeed"] == make_commitment(b"anna")
    assert made["rolls"] == [list(make_roll(secret, ("anna", ""), number)) for number in range(1, 41)]


EARLIER, LAST = bytes(range(32)), bytes(range(1, 33))
SEEDS = (("anna", "bob"), ("anna-2", "bob-2"))


def make_fair(**changes):
    """What a table says of a game with two secrets once it is over, and its rolls."""
    hashes = [[make_commitment(seed.encode()) for seed in seeds] for seeds in SEEDS]
    fair = {
        "commitment": make_commitment(LAST),
        "game_seed_revealed": LAST.hex(),
        "seed_commitments": hashes[1],
        "client_seeds": SEEDS[1],
        "earlier_seeds": [EARLIER.hex()],
        "earlier_seed_commitments": [hashes[0]],
        "earlier_client_seeds": [SEEDS[0]],
    }
    entries = [
        {
            "fair_roll": number,
            "fair_secret": which,
            "dice": list(make_roll(secret, tuple(SEEDS[which]), number)),
        }
        for which, secret in enumerate((EARLIER, LAST))
        for number in (1, 2)
    ]
    seen = dict(zip(map(make_commitment, (EARLIER, LAST)), hashes, strict=True))
    return fair | changes, entries, seen


def check_dice(page, fair, entries, seen):
    return page.evaluate(
        """async ([fair, entries, seen]) => {
            const { checkDice } = await import("/page/js/play/fair_dice.js");
            return checkDice(fair, entries, seen);
        }""",
        [fair, entries, seen],
    )


def test_dice_that_do_not_follow_from_what_was_promised_are_found(open_page):
    page = open_page("/#/help")
    fair, entries, seen = make_fair()
    found = check_dice(page, fair, entries, seen)
    assert (found["isKept"], found["areSeedsKept"]) == (True, True)
    assert [each["isRight"] for each in found["rolls"]] == [True] * 4

    for secret in (EARLIER, LAST):  # one that was never promised
        others = {key: value for key, value in seen.items() if key != make_commitment(secret)}
        assert not check_dice(page, fair, entries, others)["isKept"]

    wrong = [{**entries[0], "dice": [entries[0]["dice"][0] % 6 + 1, 7]}, *entries[1:]]
    rolls = check_dice(page, fair, wrong, seen)["rolls"]
    assert [each["isRight"] for each in rolls] == [False, True, True, True]

    other = make_commitment(b"other")
    for changes in (
        {"client_seeds": ["anna-2", "other"]},
        {"client_seeds": ["anna-2", "other"], "seed_commitments": [make_commitment(b"anna-2"), other]},
        {"earlier_client_seeds": [["other", "bob"]]},
    ):
        assert not check_dice(page, make_fair(**changes)[0], entries, seen)["areSeedsKept"]
    untold = make_fair(client_seeds=["anna-2", ""])[0]
    assert check_dice(page, untold, [], seen)["areSeedsKept"]


def test_the_page_commits_to_a_new_seed_after_each_commitment_and_knows_its_own(open_page):
    page = open_page("/#/help")
    result = page.evaluate(
        """async () => {
            const { DiceSeeds } = await import("/page/js/play/dice_seeds.js");
            const waiting = {
              commitment: "c1", game_seed_revealed: null, client_seeds: ["", ""], awaits_seeds: [],
              next_commitment: null, next_seed_commitments: ["", ""],
            };
            const seeds = new DiceSeeds("T");
            const first = await seeds.add();
            const joined = await seeds.answer({ ...waiting, seed_commitments: [first, ""] }, [0], false);
            const begun = { ...waiting, seed_commitments: [first, "b1"], awaits_seeds: [0, 1] };
            const told = await seeds.answer(begun, [0], true);
            await seeds.answer({ ...begun, seed_commitments: [first, "changed"] }, [0], true);
            const over = { ...begun, game_seed_revealed: "aa", awaits_seeds: [], next_commitment: "c2" };
            const next = await seeds.answer(over, [0], true);
            const again = await seeds.answer(over, [0], true);
            const kept = new DiceSeeds("T").seeds[first];
            return { joined, told, next, again, first, kept, seed: seeds.seeds[first], seen: seeds.seen };
        }"""
    )
    assert result["joined"] == []
    assert result["told"] == [{"act": "tell_seed", "seat": 0, "seed": result["seed"]}]
    (commit,) = result["next"]
    assert (commit["act"], commit["seat"]) == ("commit_seed", 0)
    assert commit["seed_commitment"] not in ("", result["first"])
    assert result["again"] == []
    assert result["seen"]["c1"] == [result["first"], "b1"]
    assert result["kept"] == result["seed"]


def test_engines_play_each_other_at_the_pace_that_is_set_and_pause(open_page):
    page = start_game(
        open_page,
        how="engines",
        pace="fast",
        length="25",
        level="beginner",
        otherLevel="casual",
        public=True,
    )
    page.get_by_text("You are watching.").wait_for()
    visitor = open_page(f"/#/t/{page.url.split('/')[-2]}/")
    visitor.get_by_text("You are watching.").wait_for()
    expect(visitor.locator("[data-act='options']")).to_be_visible()
    expect(visitor.locator("[data-act='pause']")).to_have_count(0)
    page.locator(".moves li").nth(3).wait_for()
    page.locator("[data-act='pause']").click()
    page.locator("[data-act='pause']", has_text="Resume").wait_for()
    count = page.locator(".moves li").count()
    page.wait_for_timeout(600)
    assert page.locator(".moves li").count() == count
    page.locator("[data-act='pause']").click()
    page.wait_for_function("count => document.querySelectorAll('.moves li').length > count", arg=count)


def test_the_record_of_a_game_that_is_over_is_downloaded(open_page):
    page = start_game(open_page, length="0", jacoby=False, cube=False, **QUICK)
    reach_play(page)
    play_turn(page)
    reach_play(page)
    resign(page, "a backgammon")
    expect(page.locator("dialog.end")).to_contain_text("3 points")
    page.locator("dialog.end").get_by_role("button", name="Close").click()
    for ending, sign in (
        ("mat", b"Ann : 0"),
        ("sgf", b"GM[6]"),
        *([("ogxm", b"OGXM")] if find_spec("ogxm") else []),
    ):
        with page.expect_download() as started:
            page.locator(f"[data-save='{ending}']").click()
        assert sign in started.value.path().read_bytes()
        assert started.value.suggested_filename.endswith(f".{ending}")
    page.reload()
    page.get_by_role("button", name="Analyse the games").click()
    page.get_by_role("heading", name=re.compile("Ann . Beginner, money game")).wait_for()


def test_a_clock_runs_for_who_is_to_play(open_page):
    page = start_game(open_page, clock="fast", length="1", **QUICK)
    wait_for_turn(page)
    page.locator(".clock.running").wait_for()
    expect(page.locator(".clock.running")).not_to_have_text(page.locator(".clock.running").inner_text())


def test_axe_finds_nothing_serious_on_any_page_of_play_in_light_and_dark(open_page, check_accessibility):
    both = {"schemes": ("light", "dark")}
    page = open_page("/#/help")
    page.get_by_role("heading", name="Help").wait_for()
    check_accessibility(page, **both)
    prefer(page)
    visit(page, "#/play")
    page.reload()
    page.locator("form summary").click()
    check_accessibility(page, **both)
    begin_again = {"variant": "barca", "level": "easy", "pace": "none"}
    page.reload()
    begin_game(page, **begin_again)
    page.locator(".target.movable").first.wait_for(state="attached")
    check_accessibility(page, **both)
    begin_game(page, variant="backgammon", **QUICK)
    reach_play(page)
    check_accessibility(page, **both)
    page.locator("[data-act='options']").click()
    check_accessibility(page, **both)
    page.locator("dialog.options select").first.select_option("slate")
    check_accessibility(page, **both)


def test_what_is_compiled_is_said_while_something_is_waited_for(open_page):
    page = open_page("/#/help")
    health = {"ok": True, "compiling": {"done": 3, "elapsed_s": 20}}
    page.route("**/healthz", lambda route: route.fulfill(json=health))
    page.evaluate(
        """async () => {
          const {awaitAnswer} = await import("/page/js/waits.js");
          awaitAnswer(new Promise((resolve) => { window.answer = resolve; }));
        }"""
    )
    line = page.locator(".compiling")
    expect(line).to_have_text("Compiling for the first use: 3 parts in 20 s.")
    expect(line).to_be_visible()
    expect(page.locator("#live")).to_contain_text("3 parts")
    del health["compiling"]
    expect(line).to_be_hidden()
    health["compiling"] = {"done": 4, "elapsed_s": 30}
    expect(line).to_have_text("Compiling for the first use: 4 parts in 30 s.")
    page.evaluate("window.answer()")
    expect(line).to_be_hidden()


def test_the_wait_for_a_play_of_the_engine_says_what_is_compiled(open_page):
    page = open_page("/#/play")
    page.route(
        "**/healthz", lambda route: route.fulfill(json={"compiling": {"done": 3, "kernels": 4, "left_s": 1}})
    )
    begin_game(page, how="engines", pace="slow")
    expect(page.locator(".compiling")).to_be_visible()
    page.goto("about:blank")


def test_doubles_are_two_moves_and_dark_begins_where_the_form_says_so(open_page):
    page = start_game(
        open_page,
        how="engine",
        player="gengammon",
        twoMoves=True,
        begins="1",
        side="1",
        typedDice=True,
        pace="none",
    )
    type_dice(page, "6 6")
    page.locator(".target.movable").first.wait_for(state="attached")
    assert page.locator(".dice .die").count() == 2
    type_play(page, "13/7(2)")
    page.locator(".moves li", has_text="13/7(2)").wait_for()
    type_dice(page, "3 3")
    page.locator(".last-to").first.wait_for()
    page.locator("[data-act='hint']").click()
    expect(page.locator(".hint-panel")).to_contain_text("no advice where doubles are two moves")
    type_dice(page, "4 2")
    page.get_by_role("button", name="Move as gengammon").click()
    page.locator(".moves li", has_text=re.compile("42.+/")).wait_for()
    type_dice(page, "6 1")
    page.locator("[data-act='resign']").click()
    page.locator("dialog.resign button").first.click()
    page.locator("dialog.end").wait_for()
    assert page.locator("[data-save]").count() == 0


def test_a_player_is_chosen_with_its_options_or_typed(open_page):
    page = start_game(
        open_page, pace="none", player="gengammon", **{"player-learned": "backprop", "length": "0"}
    )
    expect(page.locator(".player-name").filter(has_text="gengammon:learned=backprop")).to_be_visible()
    wait_for_turn(page)
    for player, fields, name in (
        (
            "heuristic",
            {"player-config": "author", "player-ties": "last"},
            "heuristic:config=author,ties=last",
        ),
        ("strong", {"player-plies": "1", "player-filter": "tiny"}, "strong:plies=1,filter=tiny"),
        ("typed", {"player-typed": "random:seed=7"}, "random:seed=7"),
    ):
        begin_game(page, player=player, **fields)
        expect(page.locator(".player-name").filter(has_text=name)).to_be_visible()
    wait_for_turn(page)


def test_the_options_of_a_player_fit_a_phone(open_page):
    page = open_page("/#/play", width=390, height=800)
    page.locator("form summary").click()
    page.locator("[name='player']").select_option("bev")
    expect(page.locator("[name='player-home0']")).to_have_value("-8")
    check_widths(page)
    page.locator("[name='variant']").select_option("barca")
    expect(page.locator("[name='player']")).to_have_value("engine")
    expect(page.locator("[name='player-home0']")).to_have_count(0)


def test_levels_are_not_offered_for_a_game_whose_engine_has_none(open_page):
    def drop_levels(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=re.sub("levels:{[^}]*}", "levels:{}", answer.text()))

    page = open_page("/#/help")
    page.route("**/barca/words.js*", drop_levels)
    page.reload()
    visit(page, "#/play")
    page.locator("[name='variant']").select_option("barca")
    expect(page.locator("[name='level']")).to_be_hidden()
    page.locator("[name='variant']").select_option("backgammon")
    expect(page.locator("[name='level']")).to_have_value("intermediate")


def test_the_last_game_was_barca_and_its_players_are_offered_not_those_of_backgammon(open_page):
    page = open_page("/#/help")
    page.evaluate("""localStorage.setItem('gammond.new-game', '{"variant": "barca"}')""")
    visit(page, "#/play")
    expect(page.locator("[name='player'] option[value='search']")).to_be_attached()
    expect(page.locator("[name='player'] option[value='bev']")).to_have_count(0)
    page.locator("form summary").click()
    page.locator("[name='player']").select_option("random")
    page.locator("[name='player-seed']").fill("3")
    page.locator("button.main").click()
    expect(page.locator(".player-name").filter(has_text="random:seed=3")).to_be_visible()
