"""A server and a browser for tests of the page."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

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


class Server:
    """A `gammond serve --web` of the tests.

    Args:
        folder: Its data folder.
        arguments: Further arguments.
    """

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gammond", "serve", "--web", "0", "--quiet", *arguments],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "GAMMOND_DATA": str(folder)},
        )
        self.said: list[str] = []
        self.url = self._read_url()
        self._reader = threading.Thread(target=self._read_on, daemon=True)
        self._reader.start()

    def _read_url(self) -> str:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r"http://\S+", line):
                return found[0].rstrip("/")
        raise AssertionError(f"the server did not start: {''.join(self.said)}")

    def _read_on(self) -> None:
        assert self.process.stderr is not None
        self.said.extend(self.process.stderr)

    def stop(self) -> None:
        """End the server."""
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(5)
        assert self.process.stderr is not None
        self.process.stderr.close()


@pytest.fixture(scope="session")
def start_server(tmp_path_factory):
    """Start servers, which end with the tests: `start_server(*arguments)`."""
    servers = []

    def start(*arguments: str) -> Server:
        servers.append(Server(tmp_path_factory.mktemp("data"), *arguments))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="session")
def server(start_server):
    """A server that all tests share."""
    return start_server()


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, or the Firefox that GAMMOND_FIREFOX names.

    No longer than for a module, as it keeps an event loop running in its thread.
    """
    if importlib.util.find_spec("playwright") is None or not Path(CHROMIUM).exists():
        message = f"needs the package playwright (extra 'dev') and Chromium at {CHROMIUM} (GAMMOND_CHROMIUM)"
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

    A test fails when a page complained in the console, or asked another host for anything.
    """
    contexts, complaints = [], []

    def open_(path="/", *, width=1400, height=950, dark=False, url=None, **options):
        base = url or server.url
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

    open_.complaints = complaints
    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


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
