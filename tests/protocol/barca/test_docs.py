"""The page about Barca on the line protocol has every command and field of a query."""

from __future__ import annotations

from gammond.protocol.barca.commands import BARCA_COMMANDS
from gammond.protocol.barca.queries import QUERIES
from gammond.protocol.dialects.json_documents import PositionQuery
from tests.protocol.reference_pages import check_commands, check_query_fields
from tests.protocol.transcripts import ROOT

TEXT = (ROOT / "docs" / "reference" / "barca-protocol.md").read_text("utf-8")


def test_each_command_is_on_the_page():
    shared = set(TEXT.partition("so are the commands ")[2].partition(", which")[0].replace("`", "").split())
    shared = {name.strip(",") for name in shared} & BARCA_COMMANDS.keys()
    check_commands(TEXT, "barca-command", BARCA_COMMANDS.keys() - shared)


def test_each_field_of_its_own_queries_is_on_the_page():
    check_query_fields(TEXT, {"position", *QUERIES.names} - {*PositionQuery.__struct_fields__, "store"})
