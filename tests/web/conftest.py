"""A server and a browser for tests of the page."""

import importlib.util
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from gammond.engine.kernels.disk_cache import cache_root
from tests.attacks.server import HOST, Home, serve
from tests.web.waiting import WAIT_MS

CHROMIUM = os.environ.get("GAMMOND_CHROMIUM", "/usr/bin/chromium")
FIREFOX = os.environ.get("GAMMOND_FIREFOX")
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-gpu",
]
SERIOUS = {"serious", "critical"}


@pytest.fixture(scope="session")
def start_server(tmp_path_factory):
    """Start servers, which end with the tests: `start_server(*arguments)` returns where each is."""
    with ExitStack() as servers:

        def start(*arguments: str) -> str:
            return servers.enter_context(serve_pages(tmp_path_factory.mktemp("server"), *arguments))

        yield start


@contextmanager
def serve_pages(folder: Path, *arguments: str) -> Iterator[str]:
    """Run a server with an empty data folder; yield the address of its page."""
    with serve(Home(folder, cache_root(), folder), "--quiet", *arguments, dialect="--web") as server:
        yield f"http://{HOST}:{server.web_port}"


@pytest.fixture(scope="session")
def server(start_server):
    """The address of a server that all tests share."""
    return start_server()


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, or the Firefox that GAMMOND_FIREFOX names.

    No longer than for a module, as it keeps an event loop running in its thread.
    """
    if importlib.util.find_spec("playwright") is None or not Path(CHROMIUM).exists():
        message = f"needs the package playwright (extra checks) and Chromium at {CHROMIUM} (GAMMOND_CHROMIUM)"
        if os.environ.get("GAMMOND_REQUIRE_BROWSER") == "1":
            pytest.fail(message)
        pytest.skip(message)
    playwright = importlib.import_module("playwright.sync_api")
    with playwright.sync_playwright() as started:
        if FIREFOX:
            launched = started.firefox.launch(executable_path=FIREFOX, channel="moz-firefox")
        else:
            launched = started.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser, server):
    """Open pages, each in a context of its own: `open_page(path, width=…, dark=…)`.

    A test fails when a page complained in the console, unless `open_page.forgive` was told of the words, or
    asked another host for anything.
    """
    contexts, complaints, forgiven = [], [], []

    def open_(path="/", *, width=1400, height=950, dark=False, url=None, **options):
        base = url or server
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            **options,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on(
            "console",
            lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None,
        )
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((base, "data:", "blob:"))
                else complaints.append(f"asked {request.url}")
            ),
        )
        page.goto(base + path)
        return page

    open_.forgive = forgiven.append
    yield open_
    for context in contexts:
        context.close()
    assert [each for each in complaints if not any(words in each for words in forgiven)] == []


@pytest.fixture
def check_accessibility():
    """Check a page by axe, as it is or in colour schemes: nothing serious may be wrong with it."""
    axe = pytest.importorskip("axe_core_python.sync_playwright", reason="needs axe-core").Axe()

    def check(page, context=None, *, schemes=()):
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            check(page, context)
        if schemes:
            return
        found = axe.run(page, context, {"resultTypes": ["violations"]})["violations"]
        serious = [
            {
                "rule": each["id"],
                "help": each["help"],
                "where": [node["target"] for node in each["nodes"]][:5],
            }
            for each in found
            if each["impact"] in SERIOUS
        ]
        assert serious == [], json.dumps(serious, indent=1)

    return check
