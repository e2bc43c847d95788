from __future__ import annotations

import re

import pytest

from gammond.engine.errors import list_error_codes
from gammond.engine.rollout.stop_rules import REASONS, STOP_RULES
from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.commands.ubgi01 import UBGI01_ERROR_CODES
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.dialects.json_documents import MAX_FIELDS, MAX_TEXTS
from gammond.protocol.dialects.json_fields import QUERIES
from gammond.protocol.state.settings import SETTINGS
from gammond.protocol.transports.tcp_limits import TcpLimits
from tests.protocol.reference_pages import check_command, check_query_fields, check_setting
from tests.protocol.talking import talk
from tests.protocol.transcripts import (
    PAGES,
    ROOT,
    find_difference,
    find_transcripts,
    make_shipped_service,
    open_connection,
    rewrite_answer,
    split_exchanges,
)

TEXT = (ROOT / "docs" / "reference" / "protocol.md").read_text("utf-8")
TRANSCRIPTS = [transcript for page in PAGES for transcript in find_transcripts(page)]


def test_the_documentation_has_transcripts():
    assert len(TRANSCRIPTS) > len(COMMANDS)
    assert {page.name for page in PAGES} >= {"README.md", "protocol.md", "search.md"}


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda text: text.splitlines()[0][2:40])
def test_each_transcript_is_what_a_session_with_the_shipped_nets_answers(transcript):
    connection = open_connection(make_shipped_service())
    for request, expected in split_exchanges(transcript):
        difference = find_difference(expected, talk(request, connection))
        assert difference is None, f"{request!r}: {difference}; see tests.protocol.transcripts"


def test_the_comparison_of_transcripts_can_fail():
    assert find_difference(["ok set game.length=5"], ["ok set game.length=6"])
    assert find_difference(["move rank=1 play=8/5"], ["move rank=2 play=8/5"])
    assert find_difference(["id x", "...", "ubgiok"], ["id x", "key", "readyok"])
    assert find_difference(["id x", "...", "ubgiok"], ["id x", "key", "ubgiok"]) is None
    line = "move rank=1 play=24/20 win=0.500000"
    assert find_difference(["...", line], ["info depth 2", line]) is None
    assert find_difference([line], [line.replace("0.5", "0.6")])
    assert find_difference([line], [line.replace("24/20", "13/9")])
    assert find_difference([line], [line.replace("0.500000", "0.500001")]) is None
    assert find_difference(["... pv 8/5 win=0.1"], ["info depth 1 score 0.7 pv 8/5 win=0.2"])


def test_rewriting_keeps_what_the_page_leaves_out():
    got = ["id x", "key", "value 7 time_ms 31", "ubgiok"]
    assert rewrite_answer(["id y", "...", "ubgiok"], got) == ["id x", "...", "ubgiok"]
    assert rewrite_answer(["...", "value 6 time_ms 9", "ubgiok"], got) == [
        "...",
        "value 7 time_ms ...",
        "ubgiok",
    ]
    assert rewrite_answer(["id ...", "...", "ubgiok"], got) == ["id ...", "...", "ubgiok"]


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_each_command_of_the_table_is_in_the_documentation(command):
    check_command(TEXT, command)


def test_the_table_of_first_words_says_which_are_final():
    section = TEXT.partition("### First words")[2].partition("### Numbers")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (yes|no) \|", section, re.MULTILINE))
    commands = COMMANDS.values()
    data = {line.split()[0]: "no" for command in commands for line in command.data_lines}
    finals = {line.split()[0]: "yes" for command in commands for line in command.final_line.split(" | ")}
    del finals['{"action":"describe",...}']
    assert rows == {**data, **finals, "error": "yes"}


@pytest.mark.parametrize("key", SETTINGS.values(), ids=lambda key: key.name)
def test_each_setting_of_the_table_is_in_the_documentation(key):
    check_setting(TEXT, key)


def test_each_query_field_is_in_the_documentation():
    check_query_fields(TEXT, QUERIES.names)


def test_each_error_code_is_in_the_documentation():
    section = TEXT.partition("### Errors")[2].partition("### Limits")[0]
    for code in list_error_codes():
        (row,) = [line for line in section.splitlines() if line.startswith(f"| `{code}` |")]
        assert f"`{UBGI01_ERROR_CODES[code]}`" in row if code in UBGI01_ERROR_CODES else row.endswith("| |")


@pytest.mark.parametrize(
    "line",
    [
        "position gnubgid 4HPwATDgc/ABMA:MAEAAAAAAAAX",
        "position xgid 1:2",
        "play 8/5",
        "play resign",
        "play take",
        "take",
        "resign all",
        "matrix away=1",
        "rollout trials=0",
        "rollout continue trials=9",
        "undo",
        "roll",
        "eval 3",
        "eval plies=x",
        "moves 0",
        "go role fly",
        "go role cube depth x",
        "set game.cube 3",
        "get nothing",
        "stop @",
        "setoption name Nothing value 1",
        "newsession type match length x",
        "newsession type match crawford perhaps length 3",
        "setscore 40000 0",
        "setcube value 3 owner p0",
        "setcube owner p0",
        "@",
        "@a",
        "fly",
        "newgame\x00",
    ],
)
def test_the_field_of_an_error_is_one_that_the_documentation_names(line):
    section = TEXT.partition("### Errors")[2].partition("### Limits")[0]
    documented = {
        name
        for row in re.findall(r"^\| `.*?\|", section, re.MULTILINE)
        for name in re.findall(r"`(.*?)`", row)
    }
    command = COMMANDS.get(line.split()[0])
    arguments = {argument.name for argument in command.arguments} if command else set()
    (answer,) = talk(line)
    words = answer.removeprefix("@a ").split()
    assert words[0] == "error"
    assert words[2].removesuffix(":") in documented | arguments | set(SETTINGS)


def test_every_reason_that_ends_a_rollout_is_explained():
    guide = (ROOT / "docs" / "guide" / "rollouts.md").read_text("utf-8")
    assert [word for word in REASONS if f"\n| `{word}` | " not in guide] == []
    taken = TEXT.partition("\nIt also takes ")[2].partition("\n")[0]
    assert [name for name in STOP_RULES if f"`{name}`" not in taken] == []


def test_the_caps_are_in_the_documentation_as_they_are():
    limits, tcp = ClientLimits(), TcpLimits()
    caps = (limits.line_bytes, limits.queued_requests, limits.unsent_bytes, limits.query_positions)
    caps += (limits.query_decisions, limits.query_plays, limits.rollout_games)
    caps += (limits.queued_bytes, limits.started_bytes, limits.command_chars)
    assert f"| {MAX_FIELDS}; {MAX_TEXTS:,} |" in TEXT
    caps += (tcp.clients, tcp.half_line_s, tcp.idle_s, tcp.stuck_writer_s)
    for cap in (*caps, tcp.client_bytes, tcp.held_bytes, tcp.least_read_bytes):
        assert f"| {cap:,.0f}" in TEXT
