"""Assertions about a page that wait until they hold: answers and events come a moment after a press."""

import importlib

WAIT_MS = 30_000
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


def find_box(locator):
    """Return where an element is on the page, once it is shown."""
    locator.wait_for(timeout=WAIT_MS)
    return locator.bounding_box()


def check_widths(page, widths=WIDTHS):
    """Check that a page does not scroll sideways at any of some widths, once plots are drawn for it anew."""
    fits = "width => document.documentElement.scrollWidth <= width"
    for width in widths:
        page.set_viewport_size({"width": width, "height": 740})
        page.wait_for_function(fits, arg=width, timeout=WAIT_MS)
