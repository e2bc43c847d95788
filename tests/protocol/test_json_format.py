"""Answers as objects: the same as the lines of words, key by key."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.games import GAMES
from tests.protocol.mixed_lines import BAD_LINES, GOOD_LINES
from tests.protocol.talking import make_connection, talk

SETUP = "set engine.seed 3\nnewgame\ndice 3 1"
CASES = [
    *(
        "\n".join([*([] if name == "backgammon" else [f"set game.variant {name}"]), *command.example])
        for name, entry in GAMES.items()
        for command in entry.load_commands().commands.values()
        if command.name not in ("describe", "stats")
    ),
    *(f"{SETUP}\n{line}" for line in (*GOOD_LINES, *BAD_LINES) if "engine.format" not in line),
    "newgame\ncube\ntake\nplay double\ngo take",
    "newgame\ndice 2 1\ngo turn\nmatrix away=3\nmatrix away=2 equities=true\nundo\nundo\nundo\nundo",
    "setturn p2\nnonsense\nubgi\nnonsense",
    '@x {"id":"q","positions":["4HPwATDgc/ABMA","x"]}',
]


def answer_both(lines):
    """The answers to lines as text, and as objects, without lines that come only where work takes long."""
    texts, objects = make_connection(), make_connection()
    talk("set engine.format json", objects)
    pairs = []
    for line in lines.split("\n"):
        as_text = [each for each in talk(line, texts) if not re.search("info (trials|ready) ", each)]
        as_objects = [
            each for each in talk(line, objects) if not re.search(r'"info",.*"(trials|ready)":', each)
        ]
        assert len(as_text) == len(as_objects)
        pairs += zip(as_text, map(json.loads, as_objects), strict=True)
    return pairs


def read_pairs(line):
    """The ``key=value`` pairs of a line."""
    try:
        words = shlex.split(line)
    except ValueError:
        return {}
    return dict(word.split("=", 1) for word in words if re.match(r"[a-z_.0-9]+=", word))


def to_text(value):
    """A value of an object as the text line has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join("-" if each is None else to_text(each) for each in value)
    return f"{value:.6f}" if isinstance(value, float) else str(value)


@pytest.mark.parametrize("lines", CASES)
def test_each_line_is_an_object_with_the_same_keys(lines):
    for text, document in answer_both(lines):
        tag, words = re.fullmatch(r"(@\S+ )?(.*)", text).groups()
        assert document.get("tag", "") == (tag or "").strip()
        if words.startswith("{"):
            assert json.loads(words).items() <= document.items()
            continue
        word = words.split()[0]
        assert document["answer"] == word
        assert document["final"] == (word not in data_words())
        if word == "error":
            error = document["error"]
            assert words == f"error {error['code']} {error['field']}: {error['message']}"
        elif word in ("info", "bestturn"):
            for key, value in document.items():
                if key not in ("answer", "final", "time_ms", "tag"):
                    assert f" {key} {to_text(value)}" in words or f" {key}={to_text(value)}" in words
        elif word not in ("option", "key", "help", "board"):
            pairs = {key: value for key, value in read_pairs(words).items() if key != "elapsed_ms"}
            assert pairs.items() <= {key: to_text(value) for key, value in document.items()}.items()
        else:
            said = [str(value) for key, value in document.items() if isinstance(value, str)]
            assert all(value in words or key_is_meta(value, document) for value in said)


def test_the_equities_of_a_matrix_are_lists_of_numbers():
    connection = make_connection()
    talk("set engine.format json\nnewgame", connection)
    first, second, _ = map(json.loads, talk("matrix away=2 equities=true", connection))
    assert list(first) == ["answer", "final", "away", "actions", "no_double", "double", "take", "drop"]
    assert first["double"] == [None, None]
    assert [type(each) for each in second["no_double"] + second["double"]] == [float] * 4


def key_is_meta(value, document):
    """Whether a value is no part of the text line."""
    return value in (document["answer"], document.get("tag"))


def data_words():
    """First words of lines before the final one."""
    return {line.split()[0] for command in COMMANDS.values() for line in command.data_lines}


def test_the_answer_to_the_change_is_in_the_new_format():
    connection = make_connection()
    (line,) = talk("set engine.format json", connection)
    assert json.loads(line) == {"answer": "ok", "final": True, "command": "set", "engine.format": "json"}
    assert talk("set engine.format text", connection) == ["ok set engine.format=text"]


def test_requests_keep_the_format_of_their_arrival():
    connection = make_connection()
    first, second, third = talk("newgame\n@a eval\nset engine.format json", connection)
    assert first.startswith("ok newgame ")
    assert {second[:2], third[:2]} == {"@a", '{"'}


def test_decisions_name_what_they_decide():
    connection = make_connection()
    talk("set engine.format json\nnewgame\ndice 3 1", connection)
    *_, last = map(json.loads, talk("go", connection))
    assert last["answer"] == "bestmove"
    assert last["move"]
    *_, last = map(json.loads, talk("go turn", connection))
    assert set(last) == {"answer", "final", "cube", "move"}


def test_a_line_that_cannot_be_read_is_answered_with_an_object():
    connection = make_connection()
    talk("set engine.format json", connection)
    (line,) = talk("newgame\x00", connection)
    assert json.loads(line)["error"]["field"] == "line"
