"""The page about Barca on the line protocol has every command, setting and field of a query."""

from __future__ import annotations

import pytest

from gammond.protocol.barca.commands import BARCA_COMMANDS, BARCA_SETTINGS
from gammond.protocol.barca.queries import QUERIES
from tests.protocol.reference_pages import check_command, check_query_fields, check_setting
from tests.protocol.transcripts import ROOT

TEXT = (ROOT / "docs" / "reference" / "barca-protocol.md").read_text("utf-8")
_SHARED = ("ubgi", "isready", "set", "get", "keys", "stop", "stats", "describe", "help", "quit", "setoption")


@pytest.mark.parametrize("name", [name for name in BARCA_COMMANDS if name not in _SHARED])
def test_each_command_is_on_the_page(name):
    check_command(TEXT, BARCA_COMMANDS[name])
    assert f"\n> {name}" in TEXT.partition(f"\n### {name}\n")[2].partition("\n### ")[0]


@pytest.mark.parametrize("key", BARCA_SETTINGS.values(), ids=lambda key: key.name)
def test_each_setting_is_on_the_page(key):
    check_setting(TEXT, key)


def test_each_field_of_a_query_is_on_the_page():
    check_query_fields(TEXT, QUERIES.names)
