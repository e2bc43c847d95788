"""Games of Barca: wins, draws by repetition, undo."""

from __future__ import annotations

import random

import pytest

from gammond.engine.barca.game import BarcaGame, BarcaResult, describe_result
from gammond.engine.barca.moves import Move, legal_moves, parse_move
from gammond.engine.barca.position import BLACK, WHITE, parse_square
from gammond.engine.errors import PlayError, StateError
from tests.engine.barca.naive_search import play_randomly
from tests.support.barca_positions import NO_MOVE, setup
from tests.support.naive_barca import naive_winner, read_board

pytestmark = pytest.mark.nojit

THERE_AND_BACK = ["e2-e3", "e9-e8", "e3-e2", "e8-e9"]


def play(game, *moves):
    for move in moves:
        game = game.play(parse_move(move))
    return game


def test_white_moves_first_and_sides_take_turns():
    game = BarcaGame.start()
    assert game.position.side == WHITE
    game = play(game, "e2-e5")
    assert game.position.side == BLACK
    assert game.position.find_animal(parse_square("e5")) in (4, 5)
    assert game.position.find_animal(parse_square("e2")) is None
    assert play(game, "e9-e8").position.side == WHITE


def test_a_game_remembers_its_moves():
    assert play(BarcaGame.start(), "e2-e3", "e9-e8").moves == (Move(14, 24), Move(84, 74))


def test_undo_is_the_game_before():
    before = play(BarcaGame.start(), "e2-e3")
    after = play(before, "e9-e8")
    assert before.moves == (Move(14, 24),)
    assert play(before, "e9-e8") == after
    assert play(before, "e9-e7") != after


def test_an_illegal_move_leaves_the_game_as_it_is():
    game = BarcaGame.start()
    with pytest.raises(PlayError, match="the mouse on e2 cannot reach d3: it moves along ranks and files"):
        play(game, "e2-d3")
    assert game == BarcaGame.start()


def test_three_animals_on_watering_holes_win():
    game = play(BarcaGame.from_position(setup("Ed4 Ld7 Mg1", "")), "g1-g4")
    assert game.result == BarcaResult(WHITE, "holes")
    assert describe_result(game.result) == "White wins: three animals on watering holes."


def test_black_wins_on_watering_holes_too():
    game = play(BarcaGame.from_position(setup("", "Ed4 Ld7 Mg9", BLACK)), "g9-g7")
    assert game.result == BarcaResult(BLACK, "holes")


def test_a_scared_animal_on_a_watering_hole_counts():
    # The black elephant on e8 scares the lion on d7; the mouse on e3 scares the elephant on d4.
    game = BarcaGame.from_position(setup("Ed4 Ld7 Mg1", "Ee8 Me3", BLACK))
    assert game.result is None
    position = setup("Ed4 Ld7 Mg4", "Ee8 Me3", BLACK)
    assert BarcaGame.from_position(position).result == BarcaResult(WHITE, "holes")


def test_a_trapped_animal_wins_by_going_to_a_hole_beside_the_animal_it_fears():
    position = setup("Md3 Ld2 Ed5 Lg4 Eg7", "Lc3 Me3")
    game = play(BarcaGame.from_position(position), "d3-d4")
    assert game.result == BarcaResult(WHITE, "holes")


def test_an_animal_that_must_flee_leaves_its_watering_hole():
    position = setup("Md4 Lg4 Ed1", "Lc5")
    assert {move.origin for move in legal_moves(position)} == {parse_square("d4")}


def test_no_move_follows_a_win():
    game = play(BarcaGame.from_position(setup("Ed4 Ld7 Mg1", "")), "g1-g4")
    assert game.legal_moves() == []
    with pytest.raises(StateError, match="White has won: no move follows"):
        play(game, "a10-a9")


def test_the_same_position_for_the_third_time_is_a_draw():
    game = play(BarcaGame.start(), *THERE_AND_BACK)
    assert (game.repetitions, game.result) == (2, None)
    game = play(game, *THERE_AND_BACK[:3])
    assert game.result is None
    game = play(game, THERE_AND_BACK[3])
    assert (game.repetitions, game.result) == (3, BarcaResult(None, "repetition"))
    assert describe_result(game.result) == "Draw: the same position for the third time."


def test_no_move_follows_a_draw():
    game = play(BarcaGame.start(), *THERE_AND_BACK, *THERE_AND_BACK)
    assert game.legal_moves() == []
    with pytest.raises(StateError, match="the game is drawn by repetition: no move follows"):
        play(game, "e2-e3")


def test_a_start_set_up_by_hand_counts_as_its_first_time():
    game = BarcaGame.from_position(setup("Ee5", ""))
    assert game.repetitions == 1
    game = play(game, *["e5-e6", "a10-a9", "e6-e5", "a9-a10"] * 2)
    assert game.result == BarcaResult(None, "repetition")


def test_the_same_squares_with_the_other_side_to_move_are_another_position():
    # White reaches e5 in one move or in two, so the same squares come up with either side to move.
    game = BarcaGame.from_position(setup("Ee5", ""))
    moves = ["e5-e6", "a10-a9", "e6-e7", "a9-a10", "e7-e5"]
    game = play(game, *moves)
    assert (
        game.position.squares.tolist() == BarcaGame.from_position(setup("Ee5", "")).position.squares.tolist()
    )
    assert game.position.side == BLACK
    assert game.repetitions == 1


def test_repeated_positions_need_not_follow_one_another():
    game = play(BarcaGame.start(), *THERE_AND_BACK)
    game = play(game, "f2-f3", "f9-f8", "f3-f2", "f8-f9")
    assert game.result == BarcaResult(None, "repetition")


def test_two_animals_of_a_kind_that_change_places_repeat_the_position():
    # The mice on c5 and c6 change places by four moves, while a black elephant goes out and back.
    game = BarcaGame.from_position(setup("Mc5 Md6", ""))
    game = play(game, "c5-c6", "a10-a9", "d6-d5", "a9-a10", "c6-d6", "a10-a9", "d5-c5", "a9-a10")
    assert game.repetitions == 2


def test_undo_forgets_a_repetition():
    games = [BarcaGame.start()]
    for move in THERE_AND_BACK * 2:
        games.append(play(games[-1], move))
    assert games[-1].repetitions == 3
    assert games[-2].result is None
    assert play(games[-2], "f9-f8").result is None


def test_any_repeated_position_counts_not_only_the_first():
    game = play(BarcaGame.start(), "d2-c3", *["e9-e8", "e2-e3", "e8-e9", "e3-e2"] * 2)
    assert game.result == BarcaResult(None, "repetition")


def test_a_side_without_a_legal_move_draws():
    game = BarcaGame.from_position(NO_MOVE)
    assert game.result == BarcaResult(None, "no_move")
    assert describe_result(game.result) == "Draw: the side to move has no legal move."
    with pytest.raises(PlayError):
        play(game, "a1-a4")


def test_a_game_goes_on_until_somebody_holds_three_holes():
    chance = random.Random(2)
    game = BarcaGame.start()
    for _ in range(200):
        assert (naive_winner(read_board(game.position)) is None) == (game.result is None)
        if game.result is None:
            game = game.play(chance.choice(game.legal_moves()))


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
