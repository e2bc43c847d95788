"""Assertions about a page that wait until they hold: answers and events come a moment after a press."""

import importlib

WAIT_MS = 20_000


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
