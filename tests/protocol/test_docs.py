from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.errors import list_error_codes
from protocol.commands.table import COMMANDS
from protocol.commands.ubgi01 import UBGI01_ERROR_CODES
from protocol.core.limits import ClientLimits
from protocol.dialects.json_query import QUERY_FIELDS
from protocol.state.settings import SETTINGS
from protocol.transports.tcp import TcpLimits
from tests.protocol.talking import make_connection, talk

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "reference" / "protocol.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")
OTHERS = "".join(
    (ROOT / "docs" / name).read_text("utf-8")
    for name in ("reference/cube.md", "guide/rollouts.md", "guide/hook-up.md")
)
TRANSCRIPTS = re.findall(r"```transcript\n(.*?)```", TEXT + README + OTHERS, re.DOTALL)

_NUMBER = r"-?[0-9]+\.[0-9]+(?:e-[0-9]+)?"
_CHECKER_MOVES = r"(?:(?:bar|[0-9]+)/(?:off|[0-9]+)(?: |$))+"


def without_judgement(line):
    """Blank what a judge decides: numbers, its name, and the plays it chooses."""
    line = re.sub(r"gammond [0-9]\S*", "gammond VERSION", line)
    line = re.sub(r'("net":"|net=)[a-z0-9-]+', r"\1NET", line)
    line = re.sub(_NUMBER, "NUMBER", line)
    if re.match(r"(@\S+ )?(info|bestmove|bestturn) ", line):
        line = re.sub(_CHECKER_MOVES, "MOVES", line)
    if re.match(r"(@\S+ )?(move|candidate) ", line):
        line = re.sub(r'play=("[^"]*"|\S+)', "play=PLAY", line)
    return re.sub(r'"play":"[^"]*"', '"play":"PLAY"', line) if '"moves":[' in line else line


def matches(expected, got):
    """Compare the lines of an answer with those of the documentation, in which ``...`` is anything.

    Progress of rollouts is told by the clock: it counts only where the documentation has it.
    """
    if not any(line.startswith("info trials") for line in expected):
        got = [line for line in got if not line.startswith("info trials")]
    pattern = "\n".join(without_judgement(line) for line in expected)
    text = "\n".join(without_judgement(line) for line in got)
    return re.fullmatch(re.escape(pattern).replace(r"\.\.\.", ".*"), text, re.DOTALL)


def exchanges(transcript):
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


def test_the_documentation_has_transcripts():
    assert len(TRANSCRIPTS) > len(COMMANDS)


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda text: text.splitlines()[0][2:40])
def test_each_transcript_is_what_a_session_answers(transcript):
    connection = make_connection()
    for request, expected in exchanges(transcript):
        got = talk(request, connection)
        assert matches(expected, got), f"{request!r} was answered by {got}"


def test_the_comparison_of_transcripts_can_fail():
    assert not matches(["ok set game.length=5"], ["ok set game.length=6"])
    assert not matches(["move rank=1 play=8/5"], ["move rank=2 play=8/5"])
    assert not matches(["id x", "...", "ubgiok"], ["id x", "key", "readyok"])
    assert matches(["id x", "...", "ubgiok"], ["id x", "key", "ubgiok"])


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_each_command_of_the_table_stands_in_the_documentation(command):
    section = TEXT.partition(f"\n### {command.name}\n")[2].partition("\n### ")[0]
    assert f"`{command.usage}` — {command.summary}. *{command.standard}*" in section
    assert f"- last line: `{command.final_line}`" in section
    for line in command.data_lines:
        assert f"- before the last line: `{line}`" in section
    for argument in command.arguments:
        assert f"| `{argument.name}` |" in section
        assert argument.meaning in section


@pytest.mark.parametrize("key", SETTINGS.values(), ids=lambda key: key.name)
def test_each_setting_of_the_table_stands_in_the_documentation(key):
    (row,) = [line for line in TEXT.splitlines() if line.startswith(f"| `{key.name}`")]
    assert key.meaning in row
    assert key.values.replace("|", "\\|") in row
    assert (" ! |" in row) == key.is_unrated


def test_each_query_field_stands_in_the_documentation():
    section = TEXT.partition("## JSON queries")[2]
    for field in QUERY_FIELDS:
        assert f"| `{field}` |" in section


def test_each_error_code_stands_in_the_documentation():
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


def test_the_caps_stand_in_the_documentation_as_they_are():
    limits, tcp = ClientLimits(), TcpLimits()
    caps = (limits.line_bytes, limits.queued_requests, limits.unsent_bytes, limits.query_positions)
    caps += (limits.query_plays, limits.rollout_games)
    for cap in (*caps, tcp.clients, tcp.half_line_s, tcp.idle_s, tcp.stuck_writer_s):
        assert f"| {cap:,.0f}" in TEXT
