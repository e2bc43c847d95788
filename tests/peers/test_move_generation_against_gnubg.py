"""Legal plays and phases against GNU Backgammon's rules, through the Python package gnubg-nn.

GAMMOND_PEER_DECISIONS says how many decisions to compare, 120,000 by default (about 15 seconds):

    GAMMOND_PEER_DECISIONS=1000000 pytest -m peer tests/peers/test_move_generation_against_gnubg.py
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Phase, Position, classify_phases
from tests.support import boards
from tests.support.evaluators import RacingEvaluator, RandomEvaluator

pytestmark = pytest.mark.peer
DECISIONS = int(os.environ.get("GAMMOND_PEER_DECISIONS", "120000"))
BLOCK = 20_000


@pytest.fixture(scope="module")
def gnubg():
    """The peer's module."""
    return pytest.importorskip("gnubg_nn", reason="gnubg-nn is missing: pip install gnubg-nn")


def sample(kind: str, count: int, seed: int):
    """``int8[count, 2, 26]`` boards of one kind."""
    if kind == "random positions":
        return boards.random_boards(count, seed)
    evaluator = RacingEvaluator() if kind == "racing games" else RandomEvaluator(seed)
    return boards.played_boards(evaluator, count, seed)


def gnubg_boards(some_boards):
    """Boards as gnubg-nn takes them: the player on roll second, points 1..24 and the bar."""
    return some_boards[:, ::-1, 1:].tolist()


def disagreements(gnubg, some_boards, dice) -> list[str]:
    """The positions and rolls for which gnubg finds other results."""
    children, moves, offsets = expand_rolls(some_boards, dice)
    keys = [gnubg.key_of_board(board) for board in children[:, :, 1:].tolist()]
    wrong = []
    for i, board in enumerate(gnubg_boards(some_boards)):
        ours = keys[offsets[i] : offsets[i + 1]] if moves[offsets[i], 0] else []
        theirs = gnubg.moves(board, int(dice[i, 0]), int(dice[i, 1]))
        if sorted(ours) != sorted(theirs):
            wrong.append(f"{Position(some_boards[i])} {dice[i]}: {len(ours)} results, gnubg {len(theirs)}")
    return wrong


@pytest.mark.parametrize("kind", ["random positions", "racing games", "random games"])
def test_gnubg_finds_the_same_results(gnubg, kind):
    left = -(-DECISIONS // 3)
    for seed in range(1 + left // BLOCK):
        count = min(BLOCK, left - seed * BLOCK)
        if count > 0:
            assert (
                disagreements(gnubg, sample(kind, count, seed), boards.random_rolls(count, seed + 1000)) == []
            )


@pytest.mark.parametrize("kind", ["random positions", "racing games", "random games"])
def test_gnubg_sees_the_same_phases(gnubg, kind):
    some_boards = sample(kind, BLOCK, seed=99)
    ours = classify_phases(some_boards)
    names = {gnubg.c_over: Phase.OVER, gnubg.c_contact: Phase.CONTACT, gnubg.c_crashed: Phase.CRASHED}
    theirs = [names.get(gnubg.classify(board), Phase.RACE) for board in gnubg_boards(some_boards)]
    differing = np.flatnonzero(ours != theirs)
    assert [(Position(some_boards[i]), Phase(ours[i]), theirs[i]) for i in differing[:5]] == []
    assert {Phase.CONTACT, Phase.CRASHED, Phase.RACE} == set(theirs)
