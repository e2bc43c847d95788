"""Assertions about a page that wait until they hold: answers and events come a moment after a press."""

import importlib

WAIT_MS = 120_000
WIDTHS = (320, 360, 800)
"""Of two phones and a tablet."""


def expect(subject):
    """Playwright's `expect`, with time for a busy machine.

    Args:
        subject: A locator or a page.

    Returns:
        The assertions about it; each fails when it does not hold within `WAIT_MS`.
    """
    playwright = importlib.import_module("playwright.sync_api")
    playwright.expect.set_options(timeout=WAIT_MS)
    return playwright.expect(subject)


def open_tab(page, name):
    """Open a tab of an analysis."""
    tab = page.get_by_role("tab", name=name)
    tab.click()
    expect(tab).to_have_attribute("aria-selected", "true")


def visit(page, view):
    """Go to a view of the page, ``#/...``, without loading the page anew."""
    page.goto(page.url.split("#")[0] + view)


def stop_clock(page):
    """Let no time pass for the scripts of a page but by `page.clock.run_for`, however slow the machine."""
    page.clock.install(time=0)
    page.clock.pause_at(3600)


def find_box(locator):
    """Return where an element is on the page, once it is shown."""
    for _ in range(100):
        locator.wait_for(timeout=WAIT_MS)
        if box := locator.bounding_box():  # none of an element that was drawn anew meanwhile
            return box
    raise AssertionError(f"{locator} is drawn anew all the time")


def check_widths(page, widths=WIDTHS):
    """Check that a page does not scroll sideways at any of some widths, once plots are drawn for it anew."""
    fits = "width => document.documentElement.scrollWidth <= width"
    for width in widths:
        page.set_viewport_size({"width": width, "height": 740})
        page.wait_for_function(fits, arg=width, timeout=WAIT_MS)
