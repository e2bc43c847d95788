from __future__ import annotations

import re
import subprocess
import sys
from typing import get_args

import pytest

from gammond.engine.errors import list_error_codes
from gammond.engine.rollout.stop_rules import REASONS, STOP_RULES
from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.commands.ubgi01 import UBGI01_ERROR_CODES
from gammond.protocol.core.words import DATA_WORDS
from gammond.protocol.dialects.json_fields import QUERIES, Want
from gammond.protocol.state.settings import SETTINGS
from tests.protocol.reference_pages import check_commands, check_query_fields
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

REFERENCE = ROOT / "docs" / "reference"
TEXT = (REFERENCE / "protocol.md").read_text("utf-8")
QUERY_PAGE = (REFERENCE / "json-queries.md").read_text("utf-8")
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
    assert find_difference(["id x", "...", "ok"], ["id x", "key", "no"]).split("\n") == ["", "- ok", "+ no"]
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


def test_each_command_has_its_section():
    check_commands((REFERENCE / "wire-commands.md").read_text("utf-8"), "command", COMMANDS)


def test_the_page_has_the_first_words_of_lines_that_are_not_final():
    lists = re.findall(r"id proto key [a-z ]+", TEXT)
    assert [set(words.split()) for words in lists] == [DATA_WORDS, DATA_WORDS]


def test_the_client_of_the_page_plays():
    (program,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    program = program.replace('["gammond"]', '[sys.executable, "-m", "gammond"]')
    command = [sys.executable, "-c", f"import sys\n{program}"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert ran.stdout == "bestmove 8/5 6/5\n"


def test_each_query_field_is_in_the_documentation():
    check_query_fields(QUERY_PAGE, QUERIES.names)


def test_each_part_of_a_query_is_in_the_documentation():
    (row,) = [line for line in QUERY_PAGE.splitlines() if line.startswith("| `want` |")]
    missing = [word for word in get_args(Want) if f'`"{word}"`' not in row and f'"{word}"]`' not in row]
    assert missing == [], "each stands in the row `want` of docs/reference/json-queries.md"


def test_each_error_code_is_in_the_documentation():
    section = TEXT.partition("## Errors")[2].partition("\n## ")[0]
    codes = {code for row in section.splitlines() for code in re.findall(r"`(\w+)`", row.partition(" | ")[0])}
    assert {code for code in list_error_codes() if code not in codes} == set()
    old = TEXT.partition("\nFrom the first of them")[2]
    assert all(f"`{name}` for `{code}`" in old for code, name in UBGI01_ERROR_CODES.items())


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
    section = TEXT.partition("## Errors")[2].partition("\n## ")[0]
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
    commands = (REFERENCE / "wire-commands.md").read_text("utf-8")
    taken = commands.partition("\nIt also takes ")[2].partition("\n")[0]
    assert [name for name in STOP_RULES if f"`{name}`" not in taken] == []
