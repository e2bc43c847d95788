"""The analysis of a position of Barca, in Chromium."""

import re

import pytest

from tests.web.waiting import expect

pytestmark = pytest.mark.slow

SCARED = "4ee4/4mml3/10/10/5l4/4M5/10/10/3L1ML3/4EE4 w"


def open_start(open_page, **options):
    page = open_page("/#/analyse/barca", **options)
    page.locator(".advice .play-row").first.wait_for()
    return page


def test_moves_of_barca_are_ranked_played_undone_and_redone(open_page):
    page = open_start(open_page)
    expect(page.locator(".advice .play-row")).to_have_count(6)
    move = page.locator(".play-name").first.inner_text()
    page.locator(".play-row").first.click()
    page.get_by_role("heading", name="Best moves of black").wait_for()
    steps = page.get_by_role("navigation", name="Line of moves").get_by_role("button")
    expect(steps).to_have_text([move])
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("heading", name="Best moves of white").wait_for()
    page.get_by_role("button", name="Redo").click()
    page.get_by_role("heading", name="Best moves of black").wait_for()


def test_a_position_of_barca_is_pasted_and_shared_by_its_link(open_page):
    page = open_start(open_page)
    page.get_by_label("Position as text").fill(SCARED)
    page.get_by_role("button", name="Open").click()
    page.locator("[data-place=e5][aria-label*=scared]").wait_for()
    names = page.locator(".advice .play-row .play-name")
    expect(names.filter(has_not_text=re.compile("^e5-"))).to_have_count(0)
    expect(names.first).to_be_visible()
    other = open_page(page.url[page.url.index("/#") :])
    other.locator("[data-place=e5][aria-label*=scared]").wait_for()


def test_the_squares_that_an_animal_fears_are_marked_and_hidden_by_a_button(open_page):
    page = open_page("/#/analyse/barca/" + SCARED.replace(" ", "%20").replace("/", "%2F"))
    page.locator("[data-place=e5][aria-label*=scared]").click(force=True)
    expect(page.locator(".mark.feared.cross")).to_have_count(4)
    page.get_by_role("button", name="Hide valid moves").click()
    expect(page.locator(".b-valid, .mark.feared")).to_have_count(0)
    page.locator("[data-place=e4]").click(force=True)  # they can be made all the same
    page.get_by_role("button", name="e5-e4", exact=True).wait_for()


def test_text_that_is_no_position_of_barca_is_refused_in_the_words_of_the_server(open_page):
    page = open_start(open_page)
    page.get_by_label("Position as text").fill("nonsense")
    page.get_by_role("button", name="Open").click()
    alert = page.get_by_role("alert").filter(visible=True)
    expect(alert).to_contain_text("expected", ignore_case=True)


def test_axe_finds_nothing_serious_in_the_analysis_of_barca_on_a_phone(open_page, check_accessibility):
    page = open_start(open_page, width=360, height=740)
    check_accessibility(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
