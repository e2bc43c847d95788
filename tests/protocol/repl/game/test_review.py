"""The tutor, and the review of a game: what decisions cost, and what is said about it."""

from __future__ import annotations

import re

import pytest

from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.replies import Mark
from gammond.protocol.repl.game.playing import keep, review, roll, take_action
from gammond.protocol.repl.game.tutor import Tutor
from gammond.protocol.repl.records.losses import (
    DecisionLoss,
    find_costliest,
    format_losses,
    list_losses,
    summarize_losses,
)
from gammond.protocol.repl.records.open_record import Place
from tests.protocol.repl.tables import game_at, make_talk
from tests.support.boards import position

AHEAD = position({1: 4, 2: 2}, {19: 5, 20: 5, 21: 4})
TRAILER = position({1: 2, 2: 4}, {24: 3})
CONTROL = WorkControl()
TOLD = "For {} of this game the engine had told its choice: these figures are not yours alone."


def ranked(talk):
    """Return the plays of the roll on the table with what they lose, the best first."""
    lines = talk.answer("hint 100")[2:-1]
    return [(line.split("  ")[-1], -float(line[13:20].strip() or 0)) for line in lines]


def plays_by_loss(talk):
    plays = ranked(talk)
    return plays[0][0], plays[-1]


def test_the_tutor_objects_at_once_names_the_better_play_and_takes_it_back():
    talk = make_talk("tutor 0.005", "new 0", rolls=[(3, 1), (5, 2)])
    best, (worst, loss) = plays_by_loss(talk)
    assert loss > 0.005
    before = talk.session.game
    lines = talk.answer(worst)
    assert re.fullmatch(rf"Tutor: {re.escape(worst)} loses {loss:.3f}(, an? \w+)?\.", lines[0])
    assert lines[1] == f"Better: {best} (0-ply, net racing)."
    assert lines[2] == "It is taken back: decide again, or 'keep' it."
    assert talk.session.game is before
    assert talk.answer(best)[0] == f"You play {best}."


@pytest.mark.parametrize("again", ["keep", "yes", "WORST", "31: TSROW"])
def test_what_the_tutor_objected_to_can_be_kept_by_a_word_or_by_doing_it_again(again):
    talk = make_talk("tutor 0.005", "new 0", rolls=[(3, 1), (5, 2)])
    _, (worst, _) = plays_by_loss(talk)
    assert talk.answer(worst)[0].startswith("Tutor: ")
    talk.answer("hint")
    backwards = ",".join(reversed(worst.split())).replace("/", "-")
    lines = talk.answer(again.replace("WORST", worst).replace("TSROW", backwards))
    assert lines[0] == f"You play {worst}."
    assert lines[1].startswith("5-2: gammond plays ")
    assert talk.answer("keep") == ["error: nothing to keep: the tutor has objected to nothing"]


def test_the_tutor_lets_small_losses_pass_and_says_nothing_when_it_is_off():
    talk = make_talk("tutor 9", "new 0", rolls=[(3, 1), (5, 2)])
    _, (worst, _) = plays_by_loss(talk)
    assert talk.answer(worst)[0] == f"You play {worst}."
    assert talk.answer("tutor off") == ["The tutor is off."]
    assert talk.answer("tutor")[0] == "The tutor objects to decisions that lose 0.020 points or more."
    assert talk.answer("tutor maybe")[0].startswith("error: expected a number 0.001..10 for limit")


@pytest.mark.parametrize(
    ("board", "match", "action", "objection", "better", "kept"),
    [
        (AHEAD, {"length": 5}, "roll", "a roll without a double", "double", "You roll 2-1."),
        (*(TRAILER, {"length": 5, "score": (3, 4)}), "roll", "a roll without a double", "double", "You roll"),
        (AHEAD.swap_sides(), {"length": 5}, "double", "a double", "no double", "You double to 2."),
        (
            *(AHEAD.swap_sides(), {"length": 9, "cube": 2, "cube_owner": 0}),
            *("double", "a redouble", "no redouble", "You redouble to 4."),
        ),
        (
            *(AHEAD, {"length": 5, "doubled": True, "on_roll": 1}),
            *("take", "a take", "pass", "You take. The cube is at 2."),
        ),
    ],
)
def test_the_tutor_objects_to_a_wrong_decision_about_the_cube(board, match, action, objection, better, kept):
    game = game_at(board, rolls=[(2, 1)], **match)
    game.tutor.set_limit(0.04)
    before = game.session.game
    act = roll if action == "roll" else lambda game, control: take_action(game, control, action)
    lines = act(game, CONTROL)
    assert lines[0].startswith(f"Tutor: {objection} loses ")
    assert lines[1].startswith(f"Better: {better} (")
    assert game.session.game is before
    assert keep(game, CONTROL)[0].startswith(kept)


def test_an_illegal_play_is_the_games_own_error_and_a_forced_one_no_decision():
    talk = make_talk("tutor 0.001", "new 0", rolls=[(3, 1)])
    assert talk.answer("8/3") == ["error: 8/3 is 5 pips, not possible with 3-1"]
    two = make_talk("new 0", rolls=[(5, 2)])
    assert two.answer("24/23") == ["error: 24/23 is 1 pip, not possible with 5-2"]
    forced = position({6: 1}, {20: 2})
    assert Tutor(talk.session).measure(game_at(forced, roll=(2, 1)).session.game, "6/3", CONTROL) is None


def play_with_people(*lines, rolls):
    return make_talk("play against human", *lines, rolls=rolls)


def list_done(talk, seat):
    """Return the decisions of a seat in the game at the table, analysed."""
    talk.answer("review")
    return [each for each in list_losses(talk.game.records.records[0]) if each.seat == seat]


def test_decisions_of_a_game_are_listed_by_move_with_the_doubles_that_were_not_made():
    rolls = [(3, 1), (5, 2), (6, 4), (2, 1)]
    talk = play_with_people("8/5 6/5", "roll", "13/8 24/22", "double", "take", "roll", "24/14", rolls=rolls)
    own, other = ([(each.move, each.done) for each in list_done(talk, seat)] for seat in (0, 1))
    assert own == [(1, "8/5 6/5"), (2, "double"), (3, "24/14")]
    assert other == [(1, "no double"), (1, "24/22 13/8"), (2, "take")]


def test_a_review_shows_what_was_lost_and_the_worst_first():
    talk = make_talk("new 0", rolls=[(3, 1), (5, 2), (6, 4), (2, 1)])
    assert talk.answer("review") == ["error: no game to review: 'play' or 'new' starts one"]
    best, (worst, loss) = plays_by_loss(talk)
    talk.answer(worst)
    summary, _, _, row, _ = talk.answer("review")
    found = re.fullmatch(r"You: ([0-9.]+) points lost, PR ([0-9.]+); 1 decision counted\.", summary)
    assert float(found[1]) == loss
    assert float(found[2]) == pytest.approx(500 * loss, abs=0.3)
    assert row.endswith(best)
    assert row.split() == ["1", f"{loss:.3f}", "1", "1", "you", "3-1", *worst.split(), *best.split()]
    assert all(isinstance(mark, Mark) for mark in row.marks)
    talk.answer("undo")
    talk.answer(best)
    assert talk.answer("review") == [
        "You: 0.000 points lost, PR 0.0; 1 decision counted.",
        "0 errors (0.02 or more), 0 of them blunders (0.08 or more); 0-ply, net racing.",
        TOLD.format("1 decision"),
    ]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["8/5 6/5"], None),
        (["best"], "1 decision"),
        (["hint", "8/5 6/5"], "1 decision"),
        (["best", "undo", "24/20"], "1 decision"),
        (["best", "roll", "hint", "best"], "2 decisions"),
        (["tutor 0.005", "WORST", "keep"], None),
        (["tutor 0.005", "WORST", "BEST"], "1 decision"),
    ],
)
def test_a_review_says_where_the_engine_had_told_its_choice(lines, told):
    best, (worst, _) = plays_by_loss(make_talk("new 0", rolls=[(3, 1), (5, 2)]))
    talk = make_talk("new 0", rolls=[(3, 1), (5, 2), (6, 4), (2, 1), (4, 3)])
    for line in lines:
        talk.answer({"BEST": best, "WORST": worst}.get(line, line))
    said = [line for line in talk.answer("review") if "told its choice" in line]
    assert said == ([] if told is None else [TOLD.format(told)])
    talk.answer("new 0")


def test_what_was_stopped_early_is_measured_again():
    talk = make_talk("newgame", "dice 3 1")
    meter, stopped = Tutor(talk.session), WorkControl()
    stopped.stop()
    meter.measure(talk.session.game, "8/5 6/5", stopped)
    assert meter._losses == {}
    first = meter.measure(talk.session.game, "8/5 6/5", CONTROL)
    assert meter.measure(talk.session.game, "8/5 6/5", CONTROL) is first


def test_the_costliest_decisions_come_first_without_those_that_lost_nothing():
    talk = make_talk("new 0", "8/5 6/5", rolls=[(3, 1), (5, 2)])
    record = talk.game.records.open_own(talk.session.log)
    losses = [
        DecisionLoss(Place(0, 0), 0, 1, (3, 1), "a", "b", loss, "0-ply")
        for loss in (0.039, 0.05, 0.07, 0.08, 0.2, 0.0)
    ]
    worst = find_costliest(losses, 0, 5)
    assert [each.points for each in worst] == [0.2, 0.08, 0.07, 0.05, 0.039]
    assert [line.split()[0] for line in format_losses(record, worst)[1:]] == ["1", "2", "3", "4", "5"]
    assert find_costliest(losses, 1, 5) == []


@pytest.mark.parametrize(
    ("names", "done", "shown"),
    [
        (("Christopher Anderson", "Bob"), "8/5 6/5", ["Christopher Anderson", "Bob"]),
        (("Maximilian von Mustermann " * 2, "Bob"), "8/5 6/5", ["Maximilian von Mustermann", "Bob"]),
        (("Christopher Anderson", "Christopher Andersen"), "bar/24 13/8 " * 3, ["Chr...rson", "Chr...rsen"]),
    ],
)
def test_names_of_players_have_the_room_that_is_left(names, done, shown):
    talk = make_talk("new 0", "8/5 6/5", rolls=[(3, 1), (5, 2)])
    record = talk.game.records.open_own(talk.session.log)
    record.names = names
    losses = [DecisionLoss(Place(0, 0), seat, 1, (3, 1), done, "b", 0.2, "0-ply") for seat in (0, 1)]
    head, *rows = format_losses(record, losses)
    at = head.index("player")
    for row, name in zip(rows, shown, strict=True):
        assert len(row) <= 80
        assert row[at:].startswith(name)


def test_errors_and_blunders_are_counted_as_the_reports_of_a_match_count_them():
    talk = play_with_people("8/7 8/5", "roll", "8/3 6/4", "roll", rolls=[(3, 1), (5, 2), (6, 4)])
    said = [line[:2] for line in talk.answer("review") if "points lost" in line]
    assert said == ["O:", "X:"]
    record = talk.game.records.records[0]
    assert any(player.errors for player in record.analysed_match.statistics)
    for seat, player in enumerate(record.analysed_match.statistics):
        first, second = summarize_losses(record, seat)
        assert f" {player.total.error_points:.3f} points lost, PR {player.performance_rating:.1f}; " in first
        assert re.match(rf"{player.errors} errors? \(0\.02 or more\), {player.blunders} of them ", second)


def test_the_number_of_a_row_sets_up_its_position_and_undo_goes_back_to_the_game():
    talk = make_talk("new 5", rolls=[(3, 1), (5, 2), (6, 4), (2, 1)])
    assert talk.answer("error 1")[0].startswith("error: no decision to show: 'errors' or 'review'")
    first = talk.session.game
    best, (worst, _) = plays_by_loss(talk)
    talk.answer(worst)
    played = talk.session.game
    talk.answer("review")
    for _ in range(2):  # the second from the position of the first
        lines = talk.answer("error 1")
        assert lines[0] == f"Game 1 of 1, move 1 of 1. 3-1: you play {worst}."
        assert re.match(
            rf"{re.escape(worst[0].upper() + worst[1:])} lost [0-9.]+(, .*)?; "
            rf"better: {re.escape(best)} \(0-ply\)\. Luck: ",
            lines[1],
        )
        assert talk.session.game == first
        assert "rolled 3-1" in "".join(lines)
    assert talk.answer("error 2") == ["error: expected a number 1..1 of the last list, got 2"]
    assert talk.answer("hint 1")[2].endswith(best)
    assert talk.answer("undo")[0] == "Undone: you are back in the game, and you are to roll."
    assert talk.session.game is played
    assert talk.answer("review")[0].endswith("; 1 decision counted.")


@pytest.mark.parametrize("setup", [{}, {"length": 5}, {"roll": (3, 1)}, {"length": 5, "roll": (3, 1)}])
def test_the_tutor_objects_to_a_resignation_that_loses(setup):
    game = game_at(AHEAD, rolls=[(2, 1)], **setup)
    game.tutor.set_limit(0.04)
    before = game.session.game
    lines = take_action(game, CONTROL, "resign gammon")
    assert re.match(r"Tutor: resigning a gammon loses [123]\.[0-9]{3}, a blunder\.", lines[0])
    assert lines[1].startswith("Better: play on (")
    assert game.session.game is before
    assert keep(game, CONTROL)[0] == "You offer to resign a gammon, 2 points."
    assert "resign gammon" in review(game, CONTROL)[3]


def test_a_resignation_that_loses_nothing_is_no_decision():
    lost = game_at(position({6: 15}, {1: 1}), roll=(2, 1)).session
    assert Tutor(lost).measure(lost.game, "resign single", CONTROL) is None
    assert Tutor(lost).measure(lost.game, "resign backgammon", CONTROL).loss > 0.5


def test_the_tutor_says_whether_it_is_on():
    talk = make_talk()
    assert talk.answer("show tutor") == ["The tutor is off."]
    said = talk.answer("tutor 0.1")
    talk.answer("new")
    assert talk.answer("show tutor") == talk.answer("tutor") == said
    assert "| tutor" in talk.talk.toolbar(200)
    talk.answer("tutor off")
    assert "tutor" not in talk.talk.toolbar(200)
