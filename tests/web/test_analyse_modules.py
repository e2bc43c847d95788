"""Modules of the analysis that need no page, run in Chromium beside the engine's own code."""

import numpy as np
import pytest

from engine.formats.xgid import encode_xgid
from engine.match_analysis.statistics import classify_loss
from engine.rules.match import MatchState
from engine.rules.moves import legal_plays
from engine.rules.notation import format_play
from engine.rules.position import Position
from tests.boards import random_boards

pytestmark = pytest.mark.slow

MATCHES = [
    MatchState(),
    MatchState(on_roll=1, jacoby=True, beavers=False),
    MatchState(length=7, score=(3, 6), crawford=True, on_roll=1),
    MatchState(length=5, score=(2, 1), cube=4, cube_owner=0, roll=(6, 5)),
    MatchState(cube=2, cube_owner=1, on_roll=1, doubled=True),
]


def random_positions(count, seed):
    return [Position(board) for board in random_boards(count, seed)]


@pytest.fixture
def page(open_page):
    return open_page("/#/help")


def test_every_xgid_of_the_engine_is_read_and_written_again_as_it_was(page):
    xgids = [encode_xgid(position, match) for position in random_positions(30, seed=1) for match in MATCHES]
    written = page.evaluate(
        """async xgids => {
          const {parseXgid, formatXgid} = await import("/page/js/analyse/xgid.js");
          return xgids.map(each => formatXgid(parseXgid(each)));
        }""",
        xgids,
    )
    assert written == xgids


def test_the_pips_of_the_page_are_those_of_the_engine(page):
    positions = random_positions(20, seed=2)
    xgids = [encode_xgid(position, MatchState(on_roll=1)) for position in positions]
    counted = page.evaluate(
        """async xgids => {
          const {parseXgid, countPips} = await import("/page/js/analyse/xgid.js");
          return xgids.map(each => countPips(parseXgid(each).checkers).reverse());
        }""",
        xgids,
    )
    assert counted == [list(position.pips) for position in positions]


@pytest.mark.parametrize("roll", [(6, 1), (3, 3), (5, 2)])
def test_the_moves_read_from_a_play_lead_to_its_position(page, roll):
    plays = legal_plays(Position.start(), roll)
    moves = page.evaluate(
        """async plays => {
          const {parsePlay} = await import("/page/js/analyse/plays.js");
          return plays.map(parsePlay);
        }""",
        [format_play(play) for play in plays],
    )
    for play, found in zip(plays, moves, strict=True):
        own = Position.start().board[0].copy()
        for source, target in found:
            own[source] -= 1
            own[target] += 1
        assert np.array_equal(own, play.result.board[1])


def test_a_loss_is_of_the_class_of_the_number_that_is_shown(page):
    losses = [0.0, 0.0001, 0.0094, 0.0096, 0.0194, 0.0196, 0.02, 0.0794, 0.0796, 0.3]
    classes = page.evaluate(
        """async losses => {
          const {classify} = await import("/page/js/analyse/numbers.js");
          return losses.map(classify);
        }""",
        losses,
    )
    own = [each if each in ("error", "blunder") else "" for each in classes]
    assert own == [classify_loss(loss) for loss in losses]
    assert classes[:5] == ["best", "good", "good", "inaccuracy", "inaccuracy"]
