"""Games of Barca: wins, draws by repetition, undo."""

import random
from collections import Counter

import pytest

from gammond.engine.barca.game import BarcaGame, BarcaResult, describe_result
from gammond.engine.barca.moves import Move, apply_move, parse_move
from gammond.engine.barca.position import BLACK, WHITE, BarcaPosition, parse_square
from gammond.engine.errors import PlayError, StateError
from tests.engine.barca.naive_search import make_random_positions, play_randomly
from tests.support.barca_positions import NO_MOVE, setup
from tests.support.naive_barca import naive_legal_moves, naive_winner, read_board

pytestmark = pytest.mark.nojit

START = BarcaGame.start()
THERE_AND_BACK = ["e2-e3", "e9-e8", "e3-e2", "e8-e9"]
WHITE_WINS, BLACK_WINS = BarcaResult(WHITE, "holes"), BarcaResult(BLACK, "holes")
REPEATED = BarcaResult(None, "repetition")


def begin(white, black, side=WHITE):
    return BarcaGame.from_position(setup(white, black, side))


def play(game, *moves):
    for move in moves:
        game = game.play(parse_move(move))
    return game


def test_white_moves_first_and_sides_take_turns():
    game = play(START, "e2-e5")
    assert (START.position.side, game.position.side) == (WHITE, BLACK)
    assert game.position.find_animal(parse_square("e5")) in (4, 5)
    assert game.position.find_animal(parse_square("e2")) is None
    assert play(game, "e9-e8").position.side == WHITE


def test_undo_is_the_game_before():
    before = play(START, "e2-e3")
    after = play(before, "e9-e8")
    assert (before.moves, after.moves) == ((Move(14, 24),), (Move(14, 24), Move(84, 74)))
    assert play(before, "e9-e8") == after
    assert play(before, "e9-e7") != after


def test_an_illegal_move_leaves_the_game_as_it_is():
    game = BarcaGame.start()
    with pytest.raises(PlayError, match="the mouse on e2 cannot reach d3: it moves along ranks and files"):
        play(game, "e2-d3")
    assert game == BarcaGame.start()


@pytest.mark.parametrize(
    ("game", "moves", "result"),
    [
        (begin("Ed4 Ld7 Mg1", ""), ["g1-g4"], WHITE_WINS),
        (begin("", "Ed4 Ld7 Mg9", BLACK), ["g9-g7"], BLACK_WINS),
        # Scared animals count: the elephant on e8 scares the lion on d7, the mouse on e3 the elephant on d4.
        (begin("Ed4 Ld7 Mg1", "Ee8 Me3", BLACK), [], None),
        (begin("Ed4 Ld7 Mg4", "Ee8 Me3", BLACK), [], WHITE_WINS),
        # A trapped animal wins by going to a hole beside the animal that it fears.
        (begin("Md3 Ld2 Ed5 Lg4 Eg7", "Lc3 Me3"), ["d3-d4"], WHITE_WINS),
        # The third time counts, of any position, that of a start by hand and not in a row.
        (START, THERE_AND_BACK, None),
        (START, [*THERE_AND_BACK, *THERE_AND_BACK[:3]], None),
        (START, THERE_AND_BACK * 2, REPEATED),
        (START, [*THERE_AND_BACK, "f2-f3", "f9-f8", "f3-f2", "f8-f9"], REPEATED),
        (START, ["d2-c3", *["e9-e8", "e2-e3", "e8-e9", "e3-e2"] * 2], REPEATED),
        (begin("Ee5", ""), ["e5-e6", "a10-a9", "e6-e5", "a9-a10"] * 2, REPEATED),
        (BarcaGame.from_position(NO_MOVE), [], BarcaResult(None, "no_move")),
    ],
)
def test_a_game_ends_by_three_holes_a_third_repetition_or_no_move(game, moves, result):
    assert play(game, *moves).result == result


@pytest.mark.parametrize(
    ("game", "move", "error", "message"),
    [
        (play(begin("Ed4 Ld7 Mg1", ""), "g1-g4"), "a10-a9", StateError, "White has won: no move follows"),
        (
            play(START, *THERE_AND_BACK, *THERE_AND_BACK),
            "e2-e3",
            StateError,
            "the game is drawn by repetition: no move follows",
        ),
        (BarcaGame.from_position(NO_MOVE), "a1-a4", PlayError, "White's mouse is on a2"),
    ],
)
def test_no_move_follows_the_end(game, move, error, message):
    assert game.legal_moves() == []
    with pytest.raises(error, match=message):
        play(game, move)


@pytest.mark.parametrize(
    ("game", "moves", "repetitions"),
    [
        (START, [], 1),
        (START, THERE_AND_BACK, 2),
        # The same squares with the other side to move: White reaches e5 in one move or in two.
        (begin("Ee5", ""), ["e5-e6", "a10-a9", "e6-e7", "a9-a10", "e7-e5"], 1),
        # The mice on c5 and d6 change places by four moves, while a black elephant goes out and back.
        (
            begin("Mc5 Md6", ""),
            ["c5-c6", "a10-a9", "d6-d5", "a9-a10", "c6-d6", "a10-a9", "d5-c5", "a9-a10"],
            2,
        ),
    ],
)
def test_a_position_is_repeated_with_its_side_to_move_and_two_animals_of_a_kind_are_alike(
    game, moves, repetitions
):
    assert play(game, *moves).repetitions == repetitions


def test_undo_forgets_a_repetition():
    before = play(START, *(THERE_AND_BACK * 2)[:-1])
    assert play(before, THERE_AND_BACK[-1]).repetitions == 3
    assert play(before, "f9-f8").result is None


def test_results_are_told_in_sentences():
    results = (WHITE_WINS, REPEATED, BarcaResult(None, "no_move"))
    assert [describe_result(each) for each in results] == [
        "White wins: three animals on watering holes.",
        "Draw: the same position for the third time.",
        "Draw: the side to move has no legal move.",
    ]


def test_random_games_go_on_until_somebody_holds_three_holes_or_a_position_came_up_thrice():
    chance, reasons = random.Random(2), Counter()
    for position in [BarcaPosition.start(), *make_random_positions(20, seed=3, spread=24)]:
        game, met = BarcaGame.from_position(position), Counter([position.key])
        while game.result is None and len(game.moves) < 30:
            moves = game.legal_moves()
            wins = [move for move in moves if apply_move(game.position, move).winner is not None]
            game = game.play(chance.choice(wins or moves))
            met[game.position.key] += 1
            winner = naive_winner(read_board(game.position))
            is_drawn = met[game.position.key] == 3 or not naive_legal_moves(game.position)
            assert game.repetitions == met[game.position.key]
            assert (game.result is None) == (winner is None and not is_drawn)
            assert winner is None or game.result == BarcaResult("wb".index(winner), "holes")
        reasons[game.result and game.result.reason] += 1
    assert reasons["holes"] > 1


def test_a_game_has_its_moves_and_positions():
    game = play_randomly(30, seed=2)
    replayed = [type(game).start()]
    for move in game.moves:
        replayed.append(replayed[-1].play(move))
    assert replayed[-1] == game
    assert game.last_move == game.moves[-1]
    assert game.history == [each.position.key for each in replayed]
    assert [each.repetitions for each in replayed] == [
        game.history[:plies].count(each.position.key) for plies, each in enumerate(replayed, 1)
    ]
