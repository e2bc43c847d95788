import pytest

from gammond.engine.errors import DataFileError, GammondError, StateError
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.position import Position
from gammond.engine.wording import format_count
from gammond.nets.players.pubeval import PubevalPlayer
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.dialogue.record_commands import save_games
from gammond.protocol.repl.game.games import play_from_here, redo, start_game, undo
from gammond.protocol.repl.game.playing import make_play, play_best_action, roll, take_action
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.game.views import show_board, show_score
from gammond.protocol.state.settings import change_match
from tests.protocol.repl.tables import ScriptedDice, dealt, game_at, make_session, make_talk
from tests.support.boards import position
from tests.support.evaluators import GammonEvaluator

ENGINE_NEARLY_OFF = position({3: 2}, {24: 1})
GAMMON_NEXT = position({1: 1}, {24: 8, 23: 7})
FAR_AHEAD = position({1: 4, 2: 2}, {19: 5, 20: 5, 21: 4})
CONTROL = WorkControl()


def test_the_higher_die_starts_with_both_and_equal_dice_are_rolled_again():
    game, lines = dealt((4, 4), (6, 2))
    assert lines == ["You roll 6, gammond 2. You start with 6-2."]
    assert game.session.game.match.roll == (6, 2)
    assert game.session.game.match.on_roll == game.human_seat == 0


def test_the_person_rolls_and_a_turn_without_a_play_passes_by_itself():
    closed = position({25: 1, 1: 14}, {19: 3, 20: 3, 21: 3, 22: 2, 23: 2, 24: 2})
    game = game_at(closed, rolls=[(6, 5), (1, 2)])
    lines = roll(game, WorkControl())
    assert lines[:2] == ["You roll 6-5.", "You cannot move."]
    assert lines[2].startswith("2-1: gammond plays ")
    assert game.session.game.match.on_roll == game.human_seat


@pytest.mark.parametrize(
    ("board", "match", "play", "said", "after"),
    [
        (
            *(GAMMON_NEXT, {"cube": 2, "cube_owner": 0}, "1/off"),
            [
                *("You play 1/off.", "You win a gammon, 4 points."),
                "You 4, gammond 0 in a 5-point match; the next game is the Crawford game.",
                "'new' starts the next game.",
            ],
            ((4, 0), True),
        ),
        (
            *(ENGINE_NEARLY_OFF, {"on_roll": 1, "score": (3, 2)}, "3/1 3/2"),
            ["You play 3/1 3/2.", "6-5: gammond plays 1/off.", "gammond wins a single game, 1 point."],
            ((4, 2), True),
        ),
        (ENGINE_NEARLY_OFF, {"score": (4, 2), "crawford": True}, "3/1 3/2", [], ((4, 3), False)),
    ],
    ids=["won", "lost", "Crawford"],
)
def test_the_end_of_a_game_is_announced_and_counted(board, match, play, said, after):
    game = game_at(board, rolls=[(2, 1), (6, 5)], length=5, **match)
    roll(game, WorkControl())
    assert make_play(game, WorkControl(), play)[: len(said)] == said
    assert not game.is_running
    assert (game.session.game.match.score, game.session.game.match.crawford) == after


def test_a_won_match_is_announced_and_the_next_game_begins_another():
    game = game_at(GAMMON_NEXT, rolls=[(2, 1)], length=3, score=(1, 2))
    roll(game, WorkControl())
    lines = make_play(game, WorkControl(), "1/off")
    assert lines[-1] == "You win the match 3-2. 'new' starts another."
    assert game.points == (3, 2)
    assert show_score(game) == ["You 3, gammond 2 in a 3-point match."]
    drawn = "\n".join(show_board(game))
    assert "cube" not in drawn
    assert "3 points, 0 pips, 15 off" in drawn
    assert "on roll" not in drawn
    game.session.dice = ScriptedDice([(5, 1)])
    start_game(game, WorkControl())
    match = game.session.game.match
    assert (match.length, match.score, match.on_roll) == (3, (0, 0), 0)


def test_a_length_begins_a_match_and_none_goes_on_with_what_is_played():
    game, _ = dealt((3, 1), (5, 2), (4, 2), (6, 3))
    session = game.session
    change_match(session, length=5, score=(4, 2), crawford=True, jacoby=True)
    start_game(game, WorkControl(), 7)
    assert (session.game.match.length, session.game.match.score) == (7, (0, 0))
    assert not session.game.match.crawford
    assert session.game.match.jacoby
    change_match(session, score=(2, 3), cube=2, cube_owner=1)
    start_game(game, WorkControl())
    match = session.game.match
    assert (match.length, match.score, match.cube, match.cube_owner) == (7, (2, 3), 1, None)
    start_game(game, WorkControl(), 0)
    assert session.game.match.is_money
    assert session.game.match.score == (0, 0)
    assert session.game.position == Position.start()


def test_a_new_game_keeps_the_score_and_the_seats():
    game = game_at(GAMMON_NEXT, rolls=[(2, 1), (5, 1)], on_roll=1)
    roll(game, WorkControl())
    make_play(game, WorkControl(), "1/off")
    start_game(game, WorkControl())
    assert game.human_seat == 1
    assert game.session.game.match.score == (0, 2)
    assert game.session.game.position == Position.start()
    assert game.names == ("gammond", "you")


def test_play_is_refused_while_a_game_is_on():
    game, _ = dealt((3, 1))
    with pytest.raises(StateError, match="a game is in progress"):
        play_from_here(game, WorkControl())


def test_play_takes_up_a_double_that_waits_for_the_side_that_answers_it():
    session = make_session()
    session.set_position(Position.start(), MatchState(doubled=True))
    game = ReplGame(session)
    assert play_from_here(game, WorkControl()) == [
        "You play X from here.",
        "A double to 2 is pending: 'take', 'drop' or 'beaver'.",
    ]
    assert game.human_seat == 1


def test_play_after_the_end_of_a_game_deals_the_next():
    game = game_at(GAMMON_NEXT, rolls=[(2, 1), (5, 1)])
    roll(game, WorkControl())
    make_play(game, WorkControl(), "1/off")
    assert play_from_here(game, WorkControl())[0].startswith("You roll 5, gammond 1.")


def test_an_engine_turn_that_failed_is_taken_up_by_the_next_word():
    game, _ = dealt((3, 1), (5, 2), (6, 4))
    evaluator = game.session.service.get_engine("default").evaluator
    evaluator.evaluate, working = failing, evaluator.evaluate
    with pytest.raises(GammondError):
        make_play(game, WorkControl(), "8/5 6/5")
    assert game.session.game.match.on_roll != game.human_seat
    evaluator.evaluate = working
    lines = roll(game, WorkControl())
    assert lines[0].startswith("5-2: gammond plays ")
    assert lines[1] == "You roll 6-4."


def failing(boards):
    raise DataFileError("damaged", field="net")


def typed(game):
    """Act as a person who makes the best play, takes all doubles and rejects all resignations."""
    session = game.session
    match = session.game.match
    if match.resigned:
        return take_action(game, WorkControl(), "reject")
    if match.doubled:
        return take_action(game, WorkControl(), "take")
    if match.roll is None:
        return roll(game, WorkControl())
    best = session.make_engine_loader()().rank_plays(*session.require_roll(), match).best
    return make_play(game, CONTROL, format_play(best.play))


def test_redo_does_again_what_undo_took_back_step_by_step():
    game, _ = dealt((3, 1), (5, 2), (6, 4), (2, 1))
    first = game.session.game
    make_play(game, CONTROL, "8/5 6/5")
    roll(game, CONTROL)
    second = game.session.game
    make_play(game, CONTROL, "24/14")
    third = game.session.game
    undo(game, CONTROL)
    undo(game, CONTROL)
    assert game.session.game is first
    assert redo(game, CONTROL) == ["Redone: you are to play 6-4."]
    assert game.session.game is second
    assert redo(game, CONTROL) == ["Redone: you are to roll."]
    assert game.session.game is third
    with pytest.raises(StateError, match="nothing to redo: you have undone nothing since your last action"):
        redo(game, CONTROL)
    undo(game, CONTROL)
    assert game.session.game is second


def test_redo_forgets_what_was_taken_back_once_something_else_is_done():
    game, _ = dealt((3, 1), (5, 2), (6, 4))
    make_play(game, CONTROL, "8/5 6/5")
    undo(game, CONTROL)
    change_match(game.session, roll=(4, 2))
    with pytest.raises(StateError, match="nothing to redo"):
        redo(game, CONTROL)
    make_play(game, CONTROL, "8/4 6/4")
    undo(game, CONTROL)
    assert redo(game, CONTROL) == ["Redone: you are to roll."]


def test_undo_of_the_last_play_takes_the_points_back_and_redo_gives_them_again():
    game = game_at(GAMMON_NEXT, rolls=[(2, 1)], length=3, score=(1, 2))
    roll(game, CONTROL)
    make_play(game, CONTROL, "1/off")
    undo(game, CONTROL)
    assert (game.points, game.is_running, game.is_match_over) == ((1, 2), True, False)
    assert redo(game, CONTROL) == ["Redone: the game is over."]
    assert game.is_match_over
    assert game.points == (3, 2)


def test_redo_without_a_game_does_one_change_again():
    session = make_session()
    session.start_game()
    session.set_roll((3, 1))
    game = ReplGame(session)
    undo(game, CONTROL)
    assert redo(game, CONTROL) == ["Redone."]
    assert session.game.match.roll == (3, 1)
    with pytest.raises(GammondError, match="nothing to redo"):
        redo(game, CONTROL)


def test_the_best_play_is_the_first_of_the_hint_and_undo_takes_it_back():
    game, _ = dealt((6, 5), (5, 2))
    before = game.session.game
    best = game.session.make_engine_loader()().rank_plays(*game.session.require_roll(), before.match).best
    lines = play_best_action(game, CONTROL)
    assert lines[0] == f"You play {format_play(best.play)}."
    assert lines[1].startswith("5-2: gammond plays ")
    undo(game, CONTROL)
    assert game.session.game is before


@pytest.mark.parametrize(
    ("board", "match", "evaluator", "said"),
    [
        (FAR_AHEAD, {"length": 5}, None, ["You double to 2.", "gammond passes."]),
        (FAR_AHEAD, {"length": 5, "score": (4, 4)}, None, ["You roll 2-1."]),
        (
            *(FAR_AHEAD, {"on_roll": 1, "length": 5, "doubled": True}, None),
            ["You pass.", "gammond wins a single game, 1 point."],
        ),
        (FAR_AHEAD.swap_sides(), {"resigned": 1}, None, ["You accept."]),
        (
            *(FAR_AHEAD.swap_sides(), {"resigned": 1}, GammonEvaluator()),
            ["You reject the resignation; the game continues."],
        ),
    ],
)
def test_the_best_action_doubles_rolls_or_answers_as_it_should(board, match, evaluator, said):
    game = game_at(board, rolls=[(2, 1)], evaluator=evaluator, **match)
    assert play_best_action(game, CONTROL)[: len(said)] == said


def test_a_whole_match_is_played_and_saved_as_it_was_played(tmp_path):
    session = make_session()
    game = ReplGame(session)
    start_game(game, CONTROL, 3)
    results = []
    for _ in range(500):
        assert session.game.match.to_act == game.human_seat
        lines = typed(game)
        if not game.is_running:
            results.append(game.points)
            if game.is_match_over:
                break
            start_game(game, CONTROL)
    assert lines[-1].endswith("'new' starts another.")
    assert max(game.points) >= 3
    file = tmp_path / "match.mat"
    assert save_games(game, str(file)) == [f"Saved {format_count(len(results), 'game')} to {file}."]
    (read,) = parse_mat(file.read_text())
    assert (read.length, read.names, read.issues) == (3, ("you", "gammond"), ())
    assert [each.initial_state.score for each in read.games] == [(0, 0), *results[:-1]]
    last = read.games[-1]
    assert last.initial_state.score_after(last.result.winner, last.result.points) == results[-1]


def test_who_begins_can_be_chosen():
    talk = make_talk("new begins=me", rolls=[(3, 3), (6, 5)])
    assert talk.session.game.match.roll is None
    assert talk.answer("roll")[0] == "You roll 3-3."
    talk = make_talk(rolls=[(6, 5), (2, 1)])
    said = talk.answer("new 5 begins=opponent")
    assert said[0] == "gammond begins."
    assert talk.session.log.actions[0].before.match.on_roll == 1
    assert talk.session.game.match.length == 5


def test_another_player_or_the_opponent_can_choose_for_the_person():
    talk = make_talk("new begins=me", "dice 6 5", rolls=[(6, 5), (2, 1), (6, 5)])
    before = talk.session.engine_settings
    said = talk.answer("best random:seed=2")
    assert said[0].startswith("You play ")
    assert talk.session.engine_settings == before
    assert talk.answer("best nobody")[0].startswith("error: ")
    assert talk.session.engine_settings == before
    assert talk.answer("best opponent")[0].startswith("You roll ")


def test_the_play_that_is_made_for_the_person_is_that_of_the_player_named():
    talk = make_talk("play against human", rolls=[(6, 4)] * 9)
    position, roll = talk.session.require_roll()
    chosen = PubevalPlayer().choose_one(position, roll)
    talk.answer("best pubeval")
    assert (talk.session.game.position.board == chosen).all()
    assert talk.answer("best opponent")[0].startswith("error: engine.player is human")
