"""The analysis of a position, in Chromium."""

import re

import pytest

from tests.web.waiting import check_widths, expect, open_tab, visit

pytestmark = pytest.mark.slow

OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10"
START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:3:0:10"
AT_SCORE = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
CONTACT = "XGID=-a-aBBD-C---dD---cbd------:0:0:1:64:2:1:0:5:10"
HOLD = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:0:0:0:0:10"


def wait_for_plies(page, plies):
    page.wait_for_selector(f".advice[data-plies='{plies}']")


def analyse(open_page, position="", **options):
    """Open the analysis of a position, and wait for its answers at 2-ply."""
    page = open_page(f"/#/analyse/{position}".rstrip("/"), **options)
    wait_for_plies(page, 2)
    return page


def wait_for_address(page, part):
    expect(page).to_have_url(re.compile(re.escape(part)))


def test_the_plays_of_a_roll_are_ranked_with_equities_losses_and_chances(open_page):
    page = analyse(open_page, OPENING)
    rows = page.locator(".play-row")
    expect(rows.first).to_have_text(re.compile(r"^1\."))
    expect(rows.first).to_contain_text("8/5 6/5")
    expect(rows.first).to_contain_text("best")
    expect(rows.nth(1).locator(".play-loss")).to_have_text(re.compile("^\N{MINUS SIGN}0\\."))
    page.get_by_role("button", name="Show all 16 plays").click()
    expect(rows).to_have_count(16)


def test_plays_that_were_not_searched_as_deep_stand_apart_without_a_loss(open_page):
    page = analyse(open_page, OPENING)
    rows, beyond = page.locator(".play-row"), page.locator(".plays .beyond")
    expect(beyond).to_have_text(re.compile(r"^Not searched at 2-ply: \d+ plays$"))
    count = int(beyond.text_content().split()[-2])
    expect(rows).to_have_count(16 - count)
    assert 5 <= 16 - count <= 10
    for row in rows.all():
        expect(row.locator(".play-chances span").last).to_have_text("2-ply")
    page.get_by_role("button", name="Show all 16 plays").click()
    expect(page.locator(".beyond ~ li")).to_have_count(count)
    for row in page.locator(".beyond ~ li .play-row").all():
        expect(row.locator(".play-loss")).to_have_text("")
        expect(row.locator(".rank")).to_have_text("")
        expect(row.locator(".play-chances span").last).not_to_have_text("2-ply")
    focused = page.evaluate("document.activeElement.dataset.play")
    assert focused == page.locator(".beyond ~ li .play-row").first.get_attribute("data-play")


def test_the_best_play_is_drawn_and_another_one_while_it_has_the_focus(open_page):
    page = analyse(open_page, OPENING)
    expect(page.locator("path.arrow.best")).to_have_count(2)
    page.locator(".play-row").last.focus()
    page.wait_for_selector("path.arrow.blunder")
    expect(page.locator("path.arrow.best")).to_have_count(0)
    page.get_by_role("button", name="Show all 16 plays").click()
    page.locator(".play-row").last.focus()
    page.wait_for_selector("path.arrow.unrated")
    expect(page.locator("path.arrow.best")).to_have_count(0)


def test_a_position_that_is_pasted_in_any_format_is_analysed(open_page):
    page = open_page("/#/analyse")
    field = page.get_by_label("Position or match as text")
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:2:0:10"
    for text in (
        "4HPwATDgc/ABMA:cIkFAAAAAAAE",
        "11jjjjjhhhccccc:ooddddd88866666:N0N:31:W:R:0:0:0:0",
        f'"{xgid}".',
        f"https://example.org/?{xgid.replace(':', '%3A')}&view=1",
    ):
        visit(page, f"#/analyse/{START}")
        field.fill(text)
        page.get_by_role("button", name="Open").click()
        wait_for_address(page, ":0:0:1:31:")
        wait_for_plies(page, 2)
        expect(page.locator(".play-row").first).to_contain_text("8/5 6/5")


def test_text_that_is_no_position_is_refused_in_the_words_of_the_server(open_page):
    page = open_page("/#/analyse")
    page.get_by_label("Position or match as text").fill("4HPwATDgc/ABM")
    page.get_by_role("button", name="Open").click()
    alert = page.get_by_role("alert").filter(visible=True)
    expect(alert).to_have_text("A position ID has 14 characters, '4HPwATDgc/ABM' has 13.")


def test_the_link_of_a_position_opens_it_in_another_browser(open_page):
    one = analyse(open_page, AT_SCORE)
    one.locator(".make").nth(0).click()
    wait_for_address(one, ":-1:00:")
    one.locator(".advice[data-plies='2'][data-roll='']").wait_for()
    other = open_page(one.url[one.url.index("/#") :])
    wait_for_plies(other, 2)
    expect(other).to_have_url(one.url)
    worth = one.locator(".bar-worth").inner_text()
    expect(other.locator(".bar-worth")).to_have_text(worth, use_inner_text=True)


def test_a_position_is_set_up_by_keyboard_alone(open_page):
    page = analyse(open_page)
    page.get_by_role("button", name="Set up").press("Enter")
    page.get_by_role("button", name="Clear the board").press("Enter")
    point = page.locator("[data-place=p5]")
    point.press("3")
    point.press("+")
    page.get_by_label("Light", exact=True).check()
    for key in ("Enter", "Enter", "-"):
        page.locator("[data-place=p20]").press(key)
    wait_for_address(page, "XGID=-----D--------------a-----:")
    wait_for_plies(page, 2)
    expect(point).to_have_attribute("aria-label", re.compile("4 checkers"))
    expect(page.locator(".editor")).to_contain_text("Dark: 20 pips, 11 off")


def test_checkers_are_added_by_a_click_and_moved_by_a_drag_while_a_position_is_set_up(open_page):
    page = analyse(open_page)
    page.get_by_role("button", name="Set up").click()
    page.get_by_role("button", name="Clear the board").click()
    page.locator("[data-place=p6]").click()
    page.locator("[data-place=p6]").click()
    page.locator("[data-place=p6]").drag_to(page.locator("[data-place=p3]"))
    page.locator("[data-place=p6]").click(modifiers=["Shift"])
    wait_for_address(page, "XGID=---A----------------------:")
    page.get_by_label("Remove", exact=True).check()
    page.locator("[data-place=p3]").click()
    wait_for_address(page, "XGID=--------------------------:")


def test_dice_cube_score_and_rules_are_set_by_fields(open_page):
    page = open_page("/#/analyse")
    page.get_by_role("button", name="Set up").click()
    editor = page.locator(".editor")
    editor.get_by_label("Match to").select_option("7")
    editor.get_by_label("Score of Dark").fill("3")
    editor.get_by_label("Score of Dark").press("Tab")
    editor.get_by_label("Cube of").select_option("1")
    editor.get_by_label("On roll").select_option("0")
    editor.get_by_label("Dice 1").select_option("6")
    editor.get_by_label("Dice 2").select_option("5")
    wait_for_address(page, ":1:1:-1:65:3:0:0:7:10")
    page.get_by_role("button", name="Undo").click()
    wait_for_address(page, ":1:1:-1:00:3:0:0:7:10")
    expect(page.locator(".position-facts")).to_have_text(
        "Light is on roll · Light 0, Dark 3, match to 7 · cube at 2: Dark"
    )


def test_the_crawford_game_has_no_cube_and_needs_a_score_of_one_away(open_page):
    page = open_page("/#/analyse/XGID=-b----E-C---eE---c-e----B-:1:1:1:00:3:0:0:7:10")
    page.get_by_role("button", name="Set up").click()
    editor = page.locator(".editor")
    crawford = editor.get_by_label("Crawford game")
    expect(crawford).to_be_disabled()
    expect(page.locator(".board .cube")).to_have_count(1)
    editor.get_by_label("Score of Dark").fill("6")
    editor.get_by_label("Score of Dark").press("Tab")
    crawford.check()
    wait_for_address(page, ":0:0:1:00:6:0:1:7:10")
    expect(editor.get_by_label("Cube of")).to_be_disabled()
    expect(page.locator(".board .cube")).to_have_count(0)
    expect(page.locator(".position-facts")).to_contain_text("Crawford game")


def test_a_line_of_moves_is_played_undone_and_redone(open_page):
    page = analyse(open_page, OPENING)
    page.get_by_role("button", name="Make the play 8/5 6/5").click()
    wait_for_address(page, ":-1:00:")
    page.get_by_role("button", name="Roll 6-5").click()
    wait_for_address(page, ":-1:65:")
    steps = page.get_by_role("navigation", name="Line of moves").get_by_role("button")
    expect(steps).to_have_text(["set-up", "31: 8/5 6/5", "set-up"])
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    wait_for_address(page, ":1:31:")
    page.get_by_role("button", name="Redo").click()
    wait_for_address(page, ":-1:00:")


def test_the_link_and_the_xgid_of_a_position_are_copied(open_page):
    page = analyse(open_page, AT_SCORE, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy XGID").click()
    page.get_by_text("The XGID is copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == AT_SCORE
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("The link is copied.").wait_for()
    expect(page).to_have_url(page.evaluate("navigator.clipboard.readText()"))


def test_the_position_stays_while_another_page_is_open(open_page):
    page = analyse(open_page, AT_SCORE)
    before = page.evaluate("location.hash")
    page.get_by_role("link", name="Help").click()
    page.get_by_role("link", name="Analyse").click()
    wait_for_address(page, before)


def test_the_cube_decision_has_words_equities_and_a_button(open_page):
    page = analyse(open_page, HOLD)
    open_tab(page, "Cube")
    advice = page.locator(".cube-advice")
    expect(advice.locator(".verdict strong")).to_have_text("No double, take")
    expect(advice.locator("tbody tr")).to_have_count(3)
    advice.get_by_role("button", name="Double", exact=True).click()
    wait_for_address(page, ":1:D:")
    advice.locator(".verdict strong").filter(has_text="Take").wait_for()
    expect(page.locator(".bar-side").first).to_have_text(re.compile("^Dark "))
    advice.get_by_role("button", name="Take", exact=True).click()
    wait_for_address(page, ":1:-1:1:00:")


def test_the_cube_of_a_roll_goes_deeper_while_it_is_looked_at_and_names_redoubles(open_page):
    page = open_page("/#/analyse/XGID=----BBC------------bbc----:1:1:1:52:3:2:0:7:10")
    open_tab(page, "Cube")
    page.get_by_label("Depth").first.select_option("3")
    page.locator(".cube-advice", has_text="3-ply").wait_for()
    patterns = [
        re.compile(f"^[★ ]*{name}[★ ]*$") for name in ("No redouble", "Redouble, take", "Redouble, pass")
    ]
    expect(page.locator(".cube-advice tbody th")).to_have_text(patterns)


def test_where_points_have_no_scale_there_are_chances_of_the_match_and_the_reason(open_page):
    page = analyse(open_page, "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:97:0:0:99:10")
    reason = re.compile("not meaningful here, where a point is worth almost nothing of the match")
    expect(page.locator(".play-list").first).to_contain_text(reason)
    row = page.locator(".play-row").nth(1)
    expect(row.locator(".play-equity")).to_have_text("\N{EN DASH}")
    expect(row.locator(".play-loss")).to_have_text(re.compile("^\N{MINUS SIGN}0\\.00.%$"))
    expect(page.locator(".worth-line").first).to_contain_text("\N{EN DASH}")
    open_tab(page, "Cube")
    advice = page.locator(".cube-advice")
    expect(advice).to_contain_text(reason)
    expect(advice.locator("tbody tr")).to_have_count(3)
    expect(advice).to_contain_text("of the match.")


def test_the_score_matrix_has_a_letter_for_every_score_and_sets_the_score(open_page):
    page = analyse(open_page, START)
    open_tab(page, "Scores")
    cells = page.locator(".matrix .cell")
    expect(cells).to_have_count(81)
    cells.first.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".matrix-details")).to_contain_text("2 away against 2 away")
    expect(page.locator(".matrix-equities")).to_contain_text("Double, pass +1.000")
    page.get_by_role("button", name="Use this score").click()
    wait_for_address(page, ":0:0:0:2:10")


def test_a_rollout_tells_its_progress_and_stops_with_what_it_has(open_page):
    page = analyse(open_page, START)
    open_tab(page, "Rollout")
    page.get_by_label("Trials").select_option("20736")
    page.get_by_role("button", name="Roll out").click()
    status = page.locator(".rollout [role=status]")
    status.filter(has_text="of 20,736 trials, about").wait_for()
    page.get_by_role("button", name="Stop").filter(visible=True).click()
    status.filter(has_text="stopped").wait_for()
    expect(page.locator(".rollout tbody tr").first).to_contain_text("\N{PLUS-MINUS SIGN}")


def test_answers_can_be_hidden_and_shown(open_page):
    page = analyse(open_page, OPENING)
    count = page.locator(".play-row").count()
    page.get_by_role("button", name="Hide answers").click()
    expect(page.locator(".play-row")).to_have_count(0)
    expect(page.locator("path.arrow")).to_have_count(0)
    page.get_by_role("button", name="Show answers").click()
    expect(page.locator(".play-row")).to_have_count(count)


def test_everybody_can_use_the_analysis_of_a_position_at_each_width_in_light_and_dark(
    open_page, check_accessibility
):
    page = analyse(open_page, AT_SCORE)
    page.get_by_role("button", name="Set up").click()
    check_accessibility(page, schemes=("light", "dark"))
    check_widths(page)
    visit(page, f"#/analyse/{START}")
    page.get_by_role("button", name="Roll 6-6").wait_for()
    for tab in ("Plays", "Cube", "Rollout", "Scores"):
        open_tab(page, tab)
        if tab == "Scores":
            expect(page.locator(".matrix .cell")).to_have_count(81)
        check_accessibility(page, schemes=("light", "dark"))
        check_widths(page)


def test_a_question_mark_explains_its_word_and_gives_the_focus_back(open_page):
    page = analyse(open_page, OPENING)
    button = page.get_by_role("button", name="What is equity?").first
    button.press("Enter")
    card = page.get_by_role("dialog")
    expect(card).to_contain_text("points of the current cube")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(button).to_be_focused()


OFFERED = "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:3:0:10"
REDOUBLED = "XGID=-b----E-C---eE---c-e----B-:1:1:1:D:3:1:0:7:10"


def test_a_beaver_turns_the_cube_and_a_take_is_seen_by_the_side_that_answers(open_page):
    page = analyse(open_page, OFFERED)
    advice = page.locator(".cube-advice")
    expect(advice.locator("thead th").nth(1)).to_have_text("Equity of Light")
    expect(advice.locator("tbody th")).to_have_text([re.compile("Beaver|Take"), "Pass"])
    expect(advice.locator("tbody tr").nth(1).locator("td").first).to_have_text("\N{MINUS SIGN}1.000")
    advice.get_by_role("button", name="Beaver", exact=True).click()
    wait_for_address(page, ":2:-1:1:00:")
    expect(page.locator(".position-facts")).to_contain_text("Dark is on roll")
    expect(page.locator(".position-facts")).to_contain_text("cube at 4: Light")
    expect(page.locator(".failure").filter(visible=True)).to_have_count(0)
    steps = page.get_by_role("navigation", name="Line of moves").get_by_role("button")
    expect(steps.last).to_have_text("Beaver")


def test_a_pass_ends_the_game_and_says_the_new_score(open_page):
    page = analyse(open_page, REDOUBLED)
    expect(page.locator(".position-facts")).to_contain_text("Dark redoubles to 4")
    page.locator(".cube-advice").get_by_role("button", name="Pass", exact=True).click()
    alert = page.get_by_role("alert").filter(visible=True)
    expect(alert).to_have_text("Dark wins 2 points (single): Light 1, Dark 5, match to 7.")
    expect(alert).not_to_have_class(re.compile("failure"))
    wait_for_address(page, ":1:1:1:D:3:1:")


def test_the_end_of_a_game_is_said_and_nothing_is_asked_behind_it(open_page):
    page = analyse(open_page, "XGID=-A---------------------a--:1:1:1:61:3:1:0:7:10")
    page.get_by_role("button", name="Make the play 1/off").click()
    alert = page.get_by_role("alert").filter(visible=True)
    expect(alert).to_have_text("Dark wins 2 points (single): Light 1, Dark 5, match to 7.")
    expect(page.locator(".position-facts")).to_contain_text("The game is over: Dark has won")
    panel = page.get_by_role("tabpanel")
    expect(panel).to_have_text("The game is over: Dark has won.", use_inner_text=True)
    for tab in ("Cube", "Scores"):
        open_tab(page, tab)
        expect(panel).to_contain_text("The game is over: Dark has won.")
    open_tab(page, "Rollout")
    expect(page.get_by_role("button", name="Roll out")).to_be_disabled()
    expect(page.locator("main")).not_to_contain_text("newgame")
    page.reload()
    expect(page.locator(".position-facts")).to_contain_text("The game is over: Dark has won")
    visit(page, "#/analyse/XGID=-A---------------------a--:1:1:1:61:3:1:0:7:10")
    page.get_by_role("button", name="Make the play 1/off").click()
    page.get_by_role("button", name="Undo").click()
    open_tab(page, "Plays")
    expect(page.locator(".play-row").first).to_be_visible()


def test_an_empty_board_is_no_error(open_page):
    page = analyse(open_page)
    page.get_by_role("button", name="Set up").click()
    page.get_by_role("button", name="Clear the board").click()
    said = "There are no checkers on the board."
    expect(page.get_by_role("tabpanel")).to_have_text(said, use_inner_text=True)


def test_hidden_answers_are_hidden_in_every_panel(open_page):
    page = analyse(open_page, HOLD)
    page.get_by_role("button", name="Hide answers").click()
    main = page.locator("main")
    expect(page.get_by_text("The answers are hidden: decide yourself, then show them.")).to_be_visible()
    expect(page.locator(".bar-worth")).to_have_text("Hidden")
    expect(page.locator(".rolls small").first).to_have_text("\u2026")
    open_tab(page, "Cube")
    expect(page.locator(".cube-advice .verdict, .cube-advice td")).to_have_count(0)
    expect(page.locator(".cube-advice").get_by_role("button", name="Double", exact=True)).to_be_visible()
    open_tab(page, "Scores")
    page.locator(".score-matrix [role=status]", has_text="0-ply").wait_for()
    expect(page.locator(".matrix .cell").first).to_be_hidden()
    page.get_by_role("button", name="Copy XGID").focus()
    expect(main).not_to_contain_text(re.compile("No double, take"), use_inner_text=True)
    page.get_by_role("button", name="Show answers").click()
    expect(page.locator(".matrix .cell").first).to_be_visible()
    open_tab(page, "Cube")
    expect(page.locator(".cube-advice .verdict strong")).to_have_text("No double, take")
    page.get_by_role("button", name="Hide answers").click()
    page.locator(".cube-advice").get_by_role("button", name="Double", exact=True).click()
    wait_for_address(page, ":1:D:")
    wait_for_plies(page, 2)
    expect(page.locator(".cube-advice").get_by_role("button", name="Take", exact=True)).to_be_visible()
    expect(page.locator(".cube-advice .verdict")).to_have_count(0)


def test_a_fault_of_the_page_is_not_taken_for_a_lost_connection(open_page):
    page = open_page("/#/help")
    said = page.evaluate(
        """async () => {
          const {describeFailure} = await import("/page/js/analyse/failures.js");
          const {ConnectionLost} = await import("/page/js/socket.js");
          return [new ConnectionLost(), new TypeError("no letters")].map(describeFailure);
        }"""
    )
    assert said[0] == "The connection was lost: try again."
    assert said[1] == "This page has failed: TypeError: no letters"
    open_page.forgive("no letters")
