"""The page for players, and dialogues that prove more: the transcripts are the interpreter's answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gammond.protocol.repl.dialogue.interpreter import LineInterpreter
from gammond.protocol.repl.terminal.prompt_loop import PROMPT
from tests.protocol.repl.scripted import ROLLS
from tests.protocol.repl.tables import make_session

DOCS = Path(__file__).parents[4] / "docs"
GUIDE = DOCS / "guide"
TEXT = (GUIDE / "repl.md").read_text("utf-8")
MATCH = (GUIDE / "tools.md").read_text("utf-8").partition("$ cat match.mat\n")[2].partition("$ ")[0]
PROOFS = (DOCS.parent / "tests" / "protocol" / "transcripts" / "terminal.md").read_text("utf-8")
TRANSCRIPTS = re.findall(r"```transcript\n(.*?)```", TEXT + PROOFS, re.DOTALL)


def without_numbers(line):
    """Blank what the net decides: numbers of a table's row and its play, costs, chances, the net's name."""
    if re.search(r" [-+][0-9]\.[0-9]{3}\b|^ ± ", line):
        return re.match(r" *(±|[0-9]+|[a-z, ]*[a-z]|)", line)[0] + " NUMBERS"
    line = re.sub(r"(?<= )[-NDPT](?=[ ;]|$)", "CODE", line) if re.match(r"    +[0-9m]", line) else line
    line = re.sub(r"(^| +)[0-9]+\.[0-9]+\b", " NUMBER", line)
    return re.sub(r"\bnet [a-z0-9.-]*[a-z0-9]", "net NET", line)


def matches(expected, got):
    """Compare an answer with that of the page, in which ``...`` is anything, to the end of the answer too."""
    pattern = "\n".join(map(without_numbers, expected))
    text = "\n".join(map(without_numbers, got))
    return re.fullmatch(re.escape(pattern).replace(r"\.\.\.", ".*"), text, re.DOTALL)


def exchanges(transcript):
    """Cut a transcript into typed lines with their answers."""
    _, *typed = transcript.split(PROMPT)
    return [(line, answer.splitlines()) for line, _, answer in (part.partition("\n") for part in typed)]


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda text: text.splitlines()[0])
def test_each_transcript_is_what_the_terminal_answers(transcript, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "gammond.protocol.repl.dialogue.configuration.get_config_file", lambda: tmp_path / "config.toml"
    )
    Path("match.mat").write_text(MATCH)
    talk = LineInterpreter(make_session(ROLLS))
    assert transcript.startswith(PROMPT)
    for line, expected in exchanges(transcript):
        got = talk.answer(line)
        assert matches(expected, got), f"{line!r} was answered by {got}"


@pytest.mark.slow
def test_the_transcript_of_hypergammon_is_what_the_terminal_answers_to_the_last_digit():
    page = (DOCS / "reference" / "hypergammon.md").read_text("utf-8")
    (transcript,) = re.findall(r"```transcript\n(.*?)```", page, re.DOTALL)
    talk = LineInterpreter(make_session(ROLLS))
    for line, expected in exchanges(transcript):
        pattern = re.escape("\n".join(expected)).replace(r"\.\.\.", ".*")
        assert re.fullmatch(pattern, "\n".join(talk.answer(line)), re.DOTALL), line


def test_the_comparison_of_transcripts_can_fail():
    assert len(TRANSCRIPTS) >= 8
    assert not matches(["You roll 3-1."], ["You roll 3-2."])
    assert not matches([" 1    0  +0.167          55.9  8/5 6/5"], [" 2    0  +0.167          55.9  8/5 6/5"])
    assert not matches(["    take            -2.521   24.92"], ["    pass            -2.521   24.92"])
    assert not matches(["    Pass: taking costs 1.521."], ["    Take: passing costs 1.521."])
    assert not matches(["5-2: gammond plays ..."], ["5-3: gammond plays 24/21"])
    assert matches([" 1    0  +0.167          55.9  8/5 6/5"], [" 1    0  -0.200  45.9  13/10 6/5"])
    assert matches(["    take            -2.521   24.92"], ["    take            -1.418   35.90"])
    assert matches(["    2   P  D", "    money: N; cube 1"], ["    2   D  N", "    money: D; cube 1"])
    assert not matches(["    2   P  D"], ["    2   D"])
    assert not matches(["    2   P  D"], ["    3   P  D"])


def test_the_levels_have_the_figures_of_the_program():
    rows = LineInterpreter(make_session()).answer("level")
    assert "\n".join(rows) in PROOFS


def test_no_transcript_is_wider_than_a_terminal():
    for transcript in TRANSCRIPTS:
        assert max(map(len, transcript.splitlines())) <= 80
