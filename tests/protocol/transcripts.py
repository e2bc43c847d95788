"""Transcripts (blocks that begin with ``> ``), run against the shipped nets.

Those that a reader needs are in the documentation; those that only prove something are in
``transcripts/NAME.md`` beside this module, below the heading of what they are about.
``python -m tests.protocol.transcripts --rewrite`` writes what a session answers now into the pages.
"""

from __future__ import annotations

import argparse
import atexit
import difflib
import re
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from gammond.engine.analysis.levels import StoreUse
from gammond.engine.store.options import StoreOptions
from gammond.protocol.dialects.line_client import connect
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.protocol.state.session import Session
from tests.protocol.talking import SEED, talk

ROOT = Path(__file__).parents[2]
PAGES = tuple(
    page
    for page in (
        ROOT / "README.md",
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted(Path(__file__).with_suffix("").glob("*.md")),
    )
    if "```transcript\n> " in page.read_text("utf-8")
)
SAME_NET_WITHIN = 1e-4
"""Figures of one net differ by less between machines: float32 sums in another order."""

_BLOCK = re.compile(r"(?<=```transcript\n)> .*?(?=```)", re.DOTALL)
_FIGURE = re.compile(r"-?[0-9]+\.[0-9]+(?:e-[0-9]+)?(?![0-9.])")
_TIME = re.compile(
    r"(?<=time_ms )[0-9]+|(?<=time_ms\":)[0-9]+|(?<=elapsed_ms=)[0-9]+|(?<=uptime_s=)[0-9.]+"
    r"|(?<=all_requests=)[0-9]+|(?<=all_errors=)[0-9]+"
    r"|(?<=gammond )[0-9]\S*"
)


def find_transcripts(page):
    """Return the transcripts of a page."""
    return _BLOCK.findall(page.read_text("utf-8"))


def open_connection(service):
    """Return the connection of a fresh client, which searches itself until it sets ``engine.store``."""
    service.client_count = 1
    session = Session(service, SEED)
    session.engine_settings = replace(session.engine_settings, store=StoreUse.OFF)
    return connect(session)


def make_shipped_service():
    """Return a service with the shipped nets, an empty cache (its values are no nodes) and an empty store."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Service(make_shipped_catalogue(StoreOptions(file=f"{folder}/store.sqlite", book=False)))


def split_exchanges(transcript):
    """Cut a transcript into requests with the lines of their answers."""
    found = []
    for line in transcript.splitlines():
        mark, text = line[:2], line[2:]
        if mark == "> ":
            found.append((text, []))
        else:
            assert mark == "< ", line
            found[-1][1].append(text)
    return found


def drop_progress(expected, got):
    """Leave out progress of kinds that a page does not have, which the clock decides; none for a ``...``."""
    if any(line.startswith("...") for line in expected):
        return got
    kinds = ("info trials", "info ready", "info nodes", "info depth")
    words = tuple(each for each in kinds if not any(line.startswith(each) for line in expected))
    return [line for line in got if not line.startswith(words)]


def find_difference(expected, got):
    """Return the lines of a page that differ from an answer, and those of the answer; None if none do."""
    if agrees(expected, got):
        return None
    changes = difflib.ndiff(expected, rewrite_answer(expected, got))
    return "\n".join(["", *(line for line in changes if line[0] in "-+")])


def agrees(expected, got):
    """Return whether an answer is that of a page, in which ``...`` is anything."""
    got = drop_progress(expected, got)
    parts = re.split(r"\.\.\.|(" + _FIGURE.pattern + ")", _TIME.sub("...", "\n".join(expected)))
    pattern, figures = "", []
    for place, part in enumerate(parts):
        if place % 2 == 0:
            pattern += re.escape(part)
        elif part is None:
            pattern += ".*"
        else:
            pattern += "(" + _FIGURE.pattern + ")"
            figures.append(float(part))
    found = re.fullmatch(pattern, "\n".join(got), re.DOTALL)
    return found is not None and figures == pytest.approx(
        list(map(float, found.groups())), abs=SAME_NET_WITHIN
    )


def rewrite_answer(expected, got):
    """Return the lines of an answer as a page should have them: ``...`` stays where it was."""
    if agrees(expected, got):
        return expected
    got = drop_progress(expected, got)
    if "..." in expected:
        place = expected.index("...")
        after = len(expected) - place - 1
        head = rewrite_answer(expected[:place], got[:place])
        return [*head, "...", *rewrite_answer(expected[place + 1 :], got[len(got) - after :])]
    return [_TIME.sub("...", line) for line in got]


def rewrite_page(page):
    """Write what a session answers now into a page; return whether that changed it."""

    def rewrite(block):
        connection, lines = open_connection(make_shipped_service()), []
        for request, expected in split_exchanges(block[0]):
            answer = rewrite_answer(expected, talk(request, connection))
            lines += [f"> {request}", *(f"< {line}" for line in answer)]
        return "\n".join(lines) + "\n"

    before = page.read_text("utf-8")
    after = _BLOCK.sub(rewrite, before)
    page.write_text(after, "utf-8")
    return after != before


def main():
    """Rewrite the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rewrite", action="store_true", required=True)
    parser.parse_args()
    for page in PAGES:
        if rewrite_page(page):
            sys.stdout.write(f"{page.relative_to(ROOT)} rewritten\n")


if __name__ == "__main__":
    main()
