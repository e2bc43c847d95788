"""Modules of the analysis that need no page, run in Chromium beside the engine's own code."""

import numpy as np
import pytest

from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.match_analysis.decision_errors import classify_loss
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.position import Position
from tests.support.boards import random_boards

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
          const {parseXgid} = await import("/page/js/analyse/xgid.js");
          const {countPips} = await import("/page/js/board/tree.js");
          return xgids.map(each => parseXgid(each).checkers.map(countPips).reverse());
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


def test_times_intervals_and_signs_are_written_one_way(page):
    written = page.evaluate(
        """async () => {
          const {formatInterval, formatSeconds, formatSigned} = await import("/page/js/analyse/numbers.js");
          const times = [0.4, 190].map(formatSeconds);
          return [...times, formatInterval(0.01), formatSigned(-0.25), formatSigned(-0.0001)];
        }"""
    )
    thin, minus = "\N{NARROW NO-BREAK SPACE}", "\N{MINUS SIGN}"
    interval = f"\N{PLUS-MINUS SIGN}{thin}0.020"
    assert written == [f"<{thin}0.01{thin}s", f"0.19{thin}s", interval, f"{minus}0.250", "+0.000"]


def test_a_double_of_a_cube_that_has_an_owner_is_a_redouble(page):
    xgids = [encode_xgid(Position.start(), match) for match in (MATCHES[0], MATCHES[3], MATCHES[4])]
    named = page.evaluate(
        """async xgids => {
          const {isDoubled, nameCubeAction} = await import("/page/js/analyse/cube_words.js");
          const names = ["double, take", "no double", "take"];
          return xgids.map(xgid => [...names.map(name => nameCubeAction(name, xgid)), isDoubled(xgid)]);
        }""",
        xgids,
    )
    assert named == [
        ["double, take", "no double", "take", False],
        ["redouble, take", "no redouble", "take", False],
        ["redouble, take", "no redouble", "take", True],
    ]


def test_no_cube_is_shown_in_the_crawford_game_and_in_a_match_to_1_point(page):
    matches = [*MATCHES[:3], MatchState(length=1), MatchState(length=7, score=(3, 6))]
    shown = page.evaluate(
        """async xgids => {
          const {parseXgid, toBoardState} = await import("/page/js/analyse/xgid.js");
          return xgids.map(xgid => toBoardState(parseXgid(xgid)).cube !== null);
        }""",
        [encode_xgid(Position.start(), match) for match in matches],
    )
    assert shown == [True, True, False, False, True]


def test_points_have_the_numbers_of_the_seat_that_is_asked_for(page):
    shown = page.evaluate(
        """async () => {
          const {BackgammonBoard} = await import("/page/js/board/backgammon.js");
          const board = new BackgammonBoard(document.body);
          const checkers = [Array(26).fill(0), Array(26).fill(0)];
          checkers[1][8] = 2;
          return [undefined, 1, 0].map(numbering => {
            board.show({checkers, on_roll: 1}, {perspective: 0, numbering});
            const place = board.svg.querySelector("[data-place=p17]");
            return [board.svg.querySelector(".b-number").textContent, place.getAttribute("aria-label")];
          });
        }"""
    )
    two = "2 checkers of the opponent"
    assert shown == [["1", f"17-point, {two}"], ["24", f"8-point, {two}"], ["1", f"17-point, {two}"]]
