"""The page on tables: its transcripts are run, and it leaves nothing out."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from gammond.protocol.tables import requests
from gammond.protocol.tables.actions import ACTS
from gammond.protocol.tables.all_tables import HubLimits
from gammond.protocol.tables.archive import MAX_ACTIONS, MAX_BYTES
from gammond.protocol.tables.audience import MAX_KEPT_EVENTS
from gammond.protocol.tables.engine_turns import DEFAULT_PACE_MS
from gammond.protocol.tables.game_view import TablePhase
from tests.protocol.tables.visiting import PERSON, Party, Site

TEXT = (Path(__file__).parents[3] / "docs/reference/tables.md").read_text("utf-8")
TRANSCRIPTS = re.findall(r"(?<=```tables\n).*?(?=```)", TEXT, re.DOTALL)
WORDS = set(re.findall(r"`([a-z_0-9]+)`", TEXT))


class Names:
    """The names and secrets of a run, by the words that stand for them on the page."""

    def __init__(self):
        self.found = {}

    def put_in(self, text):
        for word, value in self.found.items():
            text = text.replace(f'"{word}"', f'"{value}"')
        return text

    def match(self, shown, got):
        """Make sure that all that is shown is so; words in capitals stand for what differs."""
        if isinstance(shown, dict):
            assert shown.keys() <= got.keys()
            for key, value in shown.items():
                self.match(value, got[key])
        elif isinstance(shown, list) and isinstance(got, list) and len(shown) == len(got):
            for one, other in zip(shown, got, strict=True):
                self.match(one, other)
        elif isinstance(shown, str) and re.fullmatch(r"TABLE|W|(T|NEW|C)[01]", shown):
            assert self.found.setdefault(shown, got) == got
        else:
            assert shown == got


@pytest.mark.parametrize("transcript", TRANSCRIPTS)
def test_a_transcript_of_the_page_is_what_visitors_see(transcript):
    site, names = Site(), Names()
    visitors, unread = {}, {}
    for line in transcript.splitlines():
        who, sign, text = line[:3], line[3], line[5:]
        visitor = visitors.setdefault(who, site.hub.connect())
        waiting = unread.setdefault(who, [])
        if sign == ">":
            assert not waiting
            site.hub.receive(visitor, names.put_in(text))
            while site.pool.waiting:
                site.pool.run()
        else:
            waiting += visitor.take_output()
            names.match(json.loads(text), json.loads(waiting.pop(0)))


def test_the_page_has_a_transcript():
    assert TRANSCRIPTS


def test_the_page_has_a_row_for_each_act_and_each_phase_and_each_key_of_a_request():
    rows = {word for row in re.findall(r"^\| (`.*?) \|", TEXT, re.MULTILINE) for word in row.split("`")}
    assert {*ACTS, *TablePhase} <= rows
    shown = WORDS | set(re.findall(r'"([a-z_]+)":', TEXT))
    kinds = (*get_args(requests.AnyRequest), requests.SeatSpec)
    assert {key for kind in kinds for key in kind.__struct_fields__} <= shown


@pytest.mark.parametrize("variant", ["backgammon", "barca"])
def test_the_page_has_each_key_of_a_state_and_of_a_history_entry(variant):
    party = Party(PERSON, {"kind": "engine"}, variant=variant, clock={"bank_s": 60})
    state = party.settle(3.0)
    parts = [state, *party.history, *(state.get(part) or {} for part in ("clock", "fair", "cube"))]
    assert {key for part in parts for key in part} <= WORDS


def test_the_limits_on_the_page_are_those_of_the_hub():
    limits, table = HubLimits(), TEXT.split("## Limits")[1]
    for number in (
        limits.tables,
        limits.address_tables,
        limits.visitor_seats,
        limits.table_visitors,
        limits.unread_chars,
        MAX_ACTIONS,
    ):
        assert f" {number:,}" in table
    hours = [limits.idle_s / 3600, limits.finished_s / 3600, limits.empty_s / 3600]
    assert [int(hour) for hour in re.findall(r"([0-9]+) hours?", table)] == hours
    assert (limits.left_s, limits.fault_s) == (1800, 30 * 24 * 3600)
    assert f"last {limits.fresh_s:g} seconds" in table
    assert {"half an hour", "30 days"} <= set(re.findall(r"half an hour|30 days", table))
    assert f"{MAX_BYTES >> 20} MiB" in table
    assert f"({MAX_KEPT_EVENTS} are)" in TEXT
    assert f"| `pace_ms` | {DEFAULT_PACE_MS} | " in TEXT
    assert f"{requests.MAX_FRAME_CHARS:,} characters" in TEXT
