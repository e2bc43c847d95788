"""Where a point is worth almost nothing of the match, answers have chances of the match and no equities."""

from __future__ import annotations

import json

import pytest

from gammond.engine.cubeful import make_cube_game
from gammond.engine.evaluation.results import is_on_scale
from gammond.engine.formats.xgid import decode_xgid
from gammond.engine.rules.match import MatchState
from gammond.protocol.commands.evaluation import UNSCALED
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.replies import PreformattedLine
from gammond.protocol.repl.answers.tables import TABLE_WIDTH, UNSCALED_NOTE, UNSCALED_SIGN
from gammond.protocol.repl.game.tutor import Tutor
from gammond.protocol.state.game_state import GameState
from tests.protocol.repl.tables import make_session, make_talk
from tests.protocol.talking import talk
from tests.protocol.web_asking import get_json

BOARD = "XGID=-b----E-C---eE---c-e----B-"
UNSCALED_SCORES = {
    "97 of 99, cube 1": f"{BOARD}:0:0:1:31:97:0:0:99:10",
    "97 of 99, a cube that decides": f"{BOARD}:5:-1:1:31:97:0:0:99:10",
    "behind": f"{BOARD}:2:-1:-1:31:97:0:0:99:10",
}
SCALED_SCORES = {
    "97 of 99, a cube beyond the match": f"{BOARD}:8:1:1:31:97:0:0:99:10",
    "double match point": f"{BOARD}:0:0:1:31:4:4:0:5:10",
    "money": f"{BOARD}:0:0:1:31:0:0:0:0:10",
}
COMMANDS = (
    *("eval", "eval plies=1", "moves 3", "moves 3 plies=1", "rank 24/20", "cube", "resign", "take"),
    *("rollout trials=4 truncate=2 seed=1", "rollout cube trials=4 truncate=2 seed=1"),
)
POINTS = ("cubeful", "cubeful_se", "no_double", "take", "drop", "best", "loss", "behind", "behind_se", "gain")


def ask(xgid, command):
    """Return the lines of an answer as objects; none of one that the cube does not allow."""
    lines = map(json.loads, talk(f"set engine.format json\nposition xgid {xgid}\n{command}")[2:])
    return [line for line in lines if "error" not in line]


def list_points(document):
    """List the equities of the present cube in a document, by key, of all depths."""
    if isinstance(document, list):
        return [each for row in document for each in list_points(row)]
    if not isinstance(document, dict):
        return []
    own = [key for key in POINTS if isinstance(document.get(key), float)]
    return own + [each for value in document.values() for each in list_points(value)]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("xgid", UNSCALED_SCORES.values(), ids=UNSCALED_SCORES)
def test_no_command_answers_with_equities_that_mean_nothing(xgid, command):
    lines = ask(xgid, command)
    assert list_points(lines) == []
    for line in lines:
        if line["answer"] in ("eval", "move", "cube", "take", "resign", "candidate", "estimate"):
            assert line[UNSCALED] is True
            assert any(key.startswith("mwc") for key in line)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("xgid", SCALED_SCORES.values(), ids=SCALED_SCORES)
def test_every_command_answers_with_equities_that_mean_something(xgid, command):
    lines = ask(xgid, command)
    assert list_points(lines) or not lines
    assert all(UNSCALED not in line for line in lines)


@pytest.mark.parametrize("xgid", [*UNSCALED_SCORES.values(), *SCALED_SCORES.values()])
def test_queries_and_requests_over_http_leave_out_the_same(xgid):
    want = ["eval", "cube", "moves"]
    (line,) = talk(json.dumps({"id": 1, "position": xgid, "want": want, "plies": 0, "max_moves": 2}))
    (result,) = json.loads(line)["results"]
    is_scaled = xgid in SCALED_SCORES.values()
    for part in (result["eval"], result["cube"], *result["moves"]):
        assert (UNSCALED in part) != is_scaled
        assert bool(list_points(part)) == is_scaled
    assert get_json("evaluate", {"position": xgid})[1]["results"][0]["eval"] == result["eval"]
    assert get_json("plays", {"position": xgid, "max_moves": 2})[1]["results"][0]["moves"] == result["moves"]
    assert get_json("cube", {"position": xgid})[1]["results"][0]["cube"] == result["cube"]


def test_each_position_of_a_query_has_its_own_scale():
    texts = [*SCALED_SCORES.values(), *UNSCALED_SCORES.values()]
    (line,) = talk(json.dumps({"id": 1, "positions": texts, "want": ["eval"], "plies": 0}))
    found = [UNSCALED in row["eval"] for row in json.loads(line)["results"]]
    assert found == [False] * len(SCALED_SCORES) + [True] * len(UNSCALED_SCORES)


@pytest.mark.parametrize("command", ["hint", "eval", "cube", "rollout trials=4 truncate=2"])
@pytest.mark.parametrize("xgid", UNSCALED_SCORES.values(), ids=UNSCALED_SCORES)
def test_the_terminal_says_why_there_are_none(xgid, command):
    answer = make_talk(f"position {xgid}").answer(command)
    text = "\n".join(answer)
    assert f" {UNSCALED_SIGN}" in text
    assert text.count(UNSCALED_NOTE) == 1
    assert len(f"    {UNSCALED_NOTE}") <= TABLE_WIDTH
    assert all(len(line) <= TABLE_WIDTH for line in answer if isinstance(line, PreformattedLine))


@pytest.mark.parametrize("xgid", SCALED_SCORES.values(), ids=SCALED_SCORES)
def test_the_terminal_has_equities_elsewhere(xgid):
    talker = make_talk(f"position {xgid}")
    assert not any(UNSCALED_SIGN in line for word in ("hint", "eval", "cube") for line in talker.answer(word))


def test_the_tutor_measures_what_has_no_scale_by_the_chances_of_the_match():
    meter = Tutor(make_session())
    for xgid, is_points in ((UNSCALED_SCORES["behind"], False), (SCALED_SCORES["money"], True)):
        position, match = decode_xgid(xgid)
        loss = meter.measure(GameState(position, match), "24/20", WorkControl())
        assert loss.is_points == is_points
        assert 0 <= loss.size <= 1


@pytest.mark.parametrize(
    ("points", "mwc_per_point", "expected"),
    [(500.0, None, True), (0.1, 0.3, True), (10.5, 0.3, False), (0.1, 1e-5, False)],
)
def test_a_scale_is_a_point_that_counts_and_few_of_them(points, mwc_per_point, expected):
    assert is_on_scale(points, mwc_per_point) == expected


def test_the_states_of_the_cube_know_what_a_point_is_worth():
    assert make_cube_game(MatchState()).mwc_per_point is None
    assert make_cube_game(MatchState(length=1)).mwc_per_point == pytest.approx(0.5)
    assert make_cube_game(MatchState(length=99, score=(97, 0))).mwc_per_point < 1e-4
