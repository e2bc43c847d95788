"""Search of Barca: equal to plain minimax, distances to the end, repetition, limits, stop."""

import itertools
import time

import pytest

from gammond.engine.barca.evaluation import HAND_WEIGHTS, EvaluationVector, evaluate
from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.moves import apply_move, format_move, legal_moves, parse_move, perft
from gammond.engine.barca.position import BarcaPosition
from gammond.engine.barca.search import (
    MAX_LINES,
    SearchLimits,
    SearchMemory,
    describe_score,
    find_plies_to_end,
    search,
)
from gammond.engine.errors import StateError, ValueRangeError
from tests.engine.barca import naive_search
from tests.engine.barca.test_evaluation import ODD_WEIGHTS

WIN = naive_search.WIN_SCORE

CENTER = EvaluationVector((0, 0, 0, 0), (0, 0, 0, 0), 0, 0, 1, 0)
EDGE = EvaluationVector((0, 0, 0, 0), (0, 0, 0, 0), 0, 0, -1, 0)


def games(count, seed, spread=30):
    positions = naive_search.make_random_positions(count, seed, spread)
    return [game for game in map(BarcaGame.from_position, positions) if game.legal_moves()]


def find_score(game, depth, weights=HAND_WEIGHTS, **limits):
    return search(game, SearchLimits(depth, **limits), weights).score


@pytest.mark.parametrize(
    ("depth", "count", "spread"), [pytest.param(1, 12, 60, marks=pytest.mark.nojit), (2, 4, 100)]
)
def test_a_search_is_plain_minimax(depth, count, spread):
    for game in [*games(count, depth, spread), naive_search.play_randomly(9, seed=3)]:
        assert find_score(game, depth, ODD_WEIGHTS) == naive_search.minimax(game, depth, ODD_WEIGHTS)


@pytest.mark.slow
def test_depth_3_is_plain_minimax():
    narrow = [game for game in games(40, seed=4, spread=100) if perft(game.position, 3) < 3000]
    assert len(narrow) == 3
    for game in [*narrow, naive_search.play_randomly(20, seed=13)]:
        assert find_score(game, 3) == naive_search.minimax(game, 3, HAND_WEIGHTS)


def test_table_and_order_do_not_change_the_value():
    """The same depth through a table that forgets nearly everything, and through deeper searches before."""
    memory = SearchMemory(64)
    for game in [*games(6, seed=6), BarcaGame.start()]:
        scores = {find_score(game, 4)}
        for megabytes in (0, 1):
            scores.add(search(game, SearchLimits(4), memory=SearchMemory(megabytes)).score)
        scores.add(search(game, SearchLimits(4, is_deepening=False)).score)
        search(game, SearchLimits(5), memory=memory)
        scores.add(search(game, SearchLimits(4), memory=memory).score)
        assert len(scores) == 1


def test_every_line_has_the_value_of_its_move():
    for game in games(3, seed=7, spread=100):
        found = search(game, SearchLimits(2, multipv=5))
        assert len(found.lines) == min(5, len(game.legal_moves()))
        assert len({line.move for line in found.lines}) == len(found.lines)
        assert [line.score for line in found.lines] == sorted(
            (line.score for line in found.lines), reverse=True
        )
        assert found.score == find_score(game, 2)
        for line in found.lines:
            after = game.play(line.move)
            if after.result is None and find_plies_to_end(line.score) is None:
                assert line.score == -naive_search.minimax(after, 1, HAND_WEIGHTS)


def test_lines_are_legal_and_lead_to_their_value():
    for game in [*games(10, seed=8), BarcaGame.start()]:
        for line in search(game, SearchLimits(4, multipv=3)).lines:
            position = game.position
            assert line.pv[0] == line.move
            for move in line.pv:
                assert move in legal_moves(position)
                position = apply_move(position, move)
            plies = find_plies_to_end(line.score)
            if plies is not None and plies > 0:
                assert position.winner == game.position.side
                assert len(line.pv) == plies
            elif plies is None and len(line.pv) == 4 and line.score:
                sign = 1 if position.side == game.position.side else -1
                assert line.score == sign * evaluate(position)


def position_with(white, black, side="w"):
    """Make a position from squares, elephants, lions and mice of each side."""
    squares = [parse_move(f"{name}-a1").origin for name in (*white.split(), *black.split())]
    return BarcaPosition(squares, "wb".index(side))


WIN_AT_ONCE = position_with("d4 b1 a3 j3 g7 g1", "b10 i10 a8 j8 e10 f10")
"""White has an elephant on d4 and a mouse on g7, and a mouse on g1 that goes to g4."""


@pytest.mark.nojit
def test_a_win_at_once_is_found_at_every_depth():
    for depth in (1, 2):
        found = search(BarcaGame.from_position(WIN_AT_ONCE), SearchLimits(depth))
        assert found.score == WIN - 1
        assert found.move == parse_move("g1-g4")
        assert describe_score(found.score) == "win in 1"


def test_a_win_ends_the_search():
    found = search(BarcaGame.from_position(WIN_AT_ONCE), SearchLimits(movetime_s=60.0))
    assert (found.depth, found.stopped) == (1, False)
    assert found.time_s < 30.0


def find_game(depth, score):
    """Return a game whose best line has this score."""
    for seed in range(20, 30):
        for game in games(20, seed, spread=24):
            if find_score(game, depth) == score:
                return game
    raise AssertionError("no such position")


def wins_at_once(game):
    return any(game.play(move).result is not None for move in game.legal_moves())


@pytest.mark.parametrize(
    ("depth", "score", "text"),
    [(2, 2 - WIN, "loss in 1"), (3, WIN - 3, "win in 2")],
    ids=["loss", "double threat"],
)
def test_an_end_in_two_turns_is_seen_and_no_deeper_search_made(depth, score, text):
    game = find_game(depth, score)
    found = search(game, SearchLimits(4))
    assert (found.score, found.depth, len(found.lines[0].pv)) == (score, depth, depth)
    assert describe_score(found.score) == text
    threatened = game if score < 0 else game.play(found.move)
    assert not (score > 0 and wins_at_once(game))
    assert all(wins_at_once(threatened.play(reply)) for reply in threatened.legal_moves())


def test_a_double_threat_is_seen_where_the_depth_ends():
    game = find_game(1, WIN - 3)
    found = search(game, SearchLimits(1))
    assert (found.depth, describe_score(found.score)) == (1, "win in 2")
    end = play(game, *map(format_move, found.lines[0].pv))
    assert end.result.winner == game.position.side
    assert find_score(game, 3) == WIN - 3


def test_distances_to_the_end_are_the_shortest():
    found = set()
    for game in games(40, seed=30, spread=24):
        scores = [find_score(game, depth) for depth in range(1, 5)]
        ends = {find_plies_to_end(score) for score in scores if (find_plies_to_end(score) or 0) > 0}
        proven = [
            plies
            for depth, plies in enumerate(map(find_plies_to_end, scores), 1)
            if plies and 0 < plies <= depth
        ]
        if proven:
            assert set(proven) == {min(ends)}
            found |= set(proven)
    assert found >= {1, 3}


def play(game, *texts):
    for text in texts:
        game = game.play(parse_move(text))
    return game


OPENED = play(BarcaGame.start(), "f2-f5", "f9-f8", "e2-e5", "f8-f9")
"""White's mice are in the centre: with weights for that alone it is ahead by more than a move gains."""

SHUFFLE = ("e5-e4", "e9-e8", "e4-e5", "e8-e9")
BEFORE_THIRD = play(OPENED, *SHUFFLE, *SHUFFLE[:3])
"""Black to move may repeat the position for the third time."""


@pytest.mark.nojit
def test_a_third_repetition_is_worth_nothing():
    drawing = parse_move(SHUFFLE[3])
    assert BEFORE_THIRD.play(drawing).result.reason == "repetition"
    found = search(BEFORE_THIRD, SearchLimits(1, multipv=2), CENTER)
    assert (found.move, found.score) == (drawing, 0)
    assert found.lines[1].score < 0
    fresh = search(BarcaGame.from_position(BEFORE_THIRD.position), SearchLimits(1), CENTER)
    assert fresh.lines[0].score == found.lines[1].score


def test_a_draw_is_seen_ahead():
    """White's best move lets Black repeat the position for the third time."""
    game, move = play(OPENED, *SHUFFLE, *SHUFFLE[:2]), parse_move(SHUFFLE[2])
    scores, fresh_scores = (
        {line.move: line.score for line in search(each, SearchLimits(2, multipv=MAX_LINES), CENTER).lines}
        for each in (game, BarcaGame.from_position(game.position))
    )
    assert fresh_scores[move] > 0
    assert min(scores.values()) > 0
    assert move not in scores


@pytest.mark.parametrize("weights", [CENTER, EDGE, ODD_WEIGHTS], ids=["center", "edge", "odd"])
@pytest.mark.parametrize(
    ("game", "depth"), [(BEFORE_THIRD, 1), (play(OPENED, *SHUFFLE, *SHUFFLE[:2]), 2)], ids=["now", "ahead"]
)
def test_repetitions_are_those_of_plain_minimax(game, depth, weights):
    assert find_score(game, depth, weights) == naive_search.minimax(game, depth, weights)


def test_equal_requests_have_equal_answers():
    game = naive_search.play_randomly(10, seed=3)
    memory = SearchMemory()
    first, second = (search(game, SearchLimits(4, multipv=2), memory=memory) for _ in range(2))
    assert (first.lines, first.nodes) == (second.lines, second.nodes)
    assert search(game, SearchLimits(4, multipv=2)).lines == first.lines


def test_limits_of_nodes_are_kept_and_deterministic():
    game = BarcaGame.start()
    first, second = (search(game, SearchLimits(nodes=5000)) for _ in range(2))
    assert first.nodes == second.nodes == 5000
    assert first.lines == second.lines
    assert first.stopped


def test_the_first_depth_is_searched_whatever_the_limit():
    found = search(BarcaGame.start(), SearchLimits(nodes=1, movetime_s=1e-9), should_stop=lambda: True)
    assert found.depth == 1
    assert found.lines


def test_a_time_limit_is_kept():
    started_s, worked_s = time.perf_counter(), time.thread_time()
    found = search(BarcaGame.start(), SearchLimits(movetime_s=0.2))
    assert found.stopped
    assert found.depth >= 2
    assert time.perf_counter() - started_s >= 0.2
    assert time.thread_time() - worked_s < 2.0


def test_a_stop_ends_the_search_within_100_milliseconds():
    """By the time that this thread works: others may have the processor meanwhile."""
    started_s = time.perf_counter()
    asked = []

    def should_stop():
        asked.append(time.thread_time())
        return time.perf_counter() - started_s > 0.1

    found = search(BarcaGame.start(), SearchLimits(), should_stop=should_stop)
    assert found.stopped
    assert time.thread_time() - asked[-1] < 0.1
    assert all(later - earlier < 0.1 for earlier, later in itertools.pairwise(asked))
    assert found.lines[0].move in BarcaGame.start().legal_moves()


def test_an_error_of_the_caller_comes_through():
    def fail():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(BarcaGame.start(), SearchLimits(), should_stop=fail)


def test_each_depth_is_reported():
    reports = []
    found = search(BarcaGame.start(), SearchLimits(4), on_info=reports.append)
    assert [each.depth for each in reports] == [1, 2, 3, 4]
    assert reports[-1].lines == found.lines
    assert all(a.nodes < b.nodes and a.time_s <= b.time_s for a, b in itertools.pairwise(reports))


def test_a_forced_move_is_played_at_once():
    for game in games(300, seed=40, spread=30):
        if len(game.legal_moves()) == 1:
            found = search(game, SearchLimits(movetime_s=30.0))
            assert found.depth == 1
            return
    raise AssertionError("no such position")


def test_a_game_that_is_over_is_not_searched():
    position = position_with("d4 d7 a3 j3 g7 g1", "b10 i10 a8 j8 e10 f10", side="b")
    with pytest.raises(StateError, match="the game is over"):
        search(BarcaGame.from_position(position), SearchLimits(1))


def test_limits_out_of_range_are_refused():
    for limits in (
        {"depth": 0},
        {"depth": 49},
        {"movetime_s": 0.0},
        {"nodes": 0},
        {"multipv": 0},
        {"multipv": 21},
    ):
        with pytest.raises(ValueRangeError, match="expected"):
            SearchLimits(**limits)
    with pytest.raises(ValueRangeError, match=r"0\.\.1024 megabytes"):
        SearchMemory(2000)
    with pytest.raises(ValueRangeError, match="does not deepen"):
        SearchLimits(is_deepening=False)


def test_scores_are_described():
    assert [describe_score(score) for score in (25, -3, 0, WIN - 3, -WIN + 4, -WIN + 2)] == [
        "+25",
        "-3",
        "0",
        "win in 2",
        "loss in 2",
        "loss in 1",
    ]
