"""The public API in this process, against the engine behind it and the shipped nets."""

from __future__ import annotations

import doctest
import functools
import gc
import inspect
import pickle
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gammond
from gammond import MatchState, Position
from gammond.engine.analysis.rollout_requests import RolloutRequest
from gammond.engine.match_files.mat.writer import format_mat
from gammond.engine.rollout import RolloutSettings
from gammond.engine.rollout.stop_rules import STOP_RULES
from tests.engine.match_files.played_games import play_random_match

ROOT = Path(__file__).parents[2]
START = Position.start()
CONTACT, _ = gammond.parse("XGID=-B---bC-B---cEa-Aca-b--bA-:0:0:1:63:0:0:0:0:10")
XGID = "XGID=-B---bC-B---cEa-Aca-b--bA-:1:1:-1:63:1:2:0:5:10"


@pytest.fixture(scope="module")
def engine():
    return gammond.Engine()


def test_importing_gammond_loads_neither_nets_nor_compiler():
    heavy = ("numpy", "numba", "onnxruntime")
    code = f"import sys, gammond; print([name for name in {heavy} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_every_public_name_is_there():
    for name in gammond.__all__:
        assert getattr(gammond, name) is not None
    assert set(gammond.__all__) <= set(dir(gammond))
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        gammond.Nothing  # noqa: B018


@pytest.mark.parametrize(
    "text", ["4HPwATDgc/ABMA", "4HPwATDgc/ABMA:MAEAAAAAAAAE", "4HPwATDgc/ABMA MAEAAAAAAAAE"]
)
def test_a_position_is_read_in_any_format(text):
    position, match = gammond.parse(text)
    assert position == START
    assert (match is None) == (len(text) == 14)


def test_positions_and_matches_go_round_through_every_format():
    position, match = gammond.parse(XGID)
    assert match == MatchState.from_xgid(XGID)
    assert match.dice == (6, 3)
    assert position.to_xgid(match) == XGID
    assert Position.from_id(position.id) == position == Position.from_xgid(XGID)
    assert MatchState.from_id(match.id).score == match.score


def test_positions_are_values():
    assert hash(Position(START.board)) == hash(START)
    assert pickle.loads(pickle.dumps(START)) == START
    assert repr(START) == "Position.from_id('4HPwATDgc/ABMA')"
    assert START.pips == (167, 167)
    assert START.phase == "contact"
    with pytest.raises(ValueError, match="read-only"):
        START.board[0, 0] = 1


def test_a_play_is_made_with_dice_or_by_any_roll_that_allows_it():
    after = START.play("8/5 6/5", (3, 1))
    assert (
        after
        == START.play("8/5 6/5")
        == next(p for p in START.legal_plays((1, 3)) if p.text == "8/5 6/5").result
    )
    with pytest.raises(gammond.PlayError, match="both dice"):
        START.play("8/5", (3, 1))
    with pytest.raises(gammond.PlayError, match="no roll allows"):
        START.play("8/1")
    with pytest.raises(gammond.FormatError):
        START.play("to the moon", (3, 1))


def test_a_play_of_another_position_or_roll_is_refused():
    for dice in ((3, 1), (6, 6)):
        for play in START.legal_plays(dice):
            assert START.play(play) == START.play(play, dice) == play.result
    play, other = START.legal_plays((3, 1))[0], Position.start("nackgammon")
    for make in (
        lambda: START.play(play, (6, 5)),
        lambda: other.play(play),
        lambda: START.play(replace(play, result=other)),
        lambda: START.play(replace(play, moves=play.moves[:1])),
    ):
        with pytest.raises(gammond.PlayError):
            make()


def test_errors_have_one_root_and_name_the_field():
    with pytest.raises(gammond.GammondError) as caught:
        Position.from_id("junk")
    assert isinstance(caught.value, gammond.FormatError)
    with pytest.raises(gammond.ValueRangeError) as caught:
        MatchState(cube=3)
    assert caught.value.field == "cube"
    with pytest.raises(gammond.PositionError):
        Position(np.zeros((2, 26)))


def test_one_position_and_many_have_the_same_numbers(engine):
    positions = [START, START.play("8/5 6/5"), gammond.parse(XGID)[0]]
    many = engine.evaluate_many(positions)
    assert len(many) == 3
    for row, position in enumerate(positions):
        single = engine.evaluate(position)
        assert many.equities[row] == pytest.approx(single.equity, abs=1e-6)
        assert many.cubeful[row] == pytest.approx(single.cubeful, abs=1e-6)
        assert many.outcomes[row].tolist() == pytest.approx(list(single.outcome._as_row()), abs=1e-6)
    assert np.array_equal(engine.evaluate_many(gammond.stack_boards(positions)).equities, many.equities)


@pytest.mark.parametrize(
    "boards", [np.zeros((1, 2, 26), np.int8), np.zeros((2, 26), np.int8), np.zeros((1, 2, 26))]
)
def test_arrays_that_are_no_boards_are_refused(engine, boards):
    with pytest.raises(gammond.PositionError, match="expected"):
        engine.evaluate_many(boards)


def test_the_opening_is_worth_what_is_known(engine):
    value = engine.evaluate(START, plies=1)
    assert value.outcome.win == pytest.approx(0.525, abs=0.005)
    assert value.equity == pytest.approx(value.outcome.equity, abs=1e-6)
    assert value.plies == 1
    in_match = engine.evaluate(START, MatchState(length=5))
    assert in_match.mwc == pytest.approx(0.5, abs=0.03)


def test_plays_are_ranked_the_best_first(engine):
    ranked = engine.rank(START, (3, 1), plies=1)
    assert ranked.best.play.text == ranked[0].play.text == "8/5 6/5"
    assert ranked.best.loss == 0.0
    assert len(ranked) == len(START.legal_plays((3, 1))) == len(list(ranked))
    assert ranked.find("24/23 13/10").loss > 0.1
    assert "8/5 6/5" in str(ranked)
    with pytest.raises(gammond.ValueRangeError):
        engine.rank(START, (7, 1))


def test_plays_have_a_loss_where_they_were_searched_as_deep_as_the_best(engine):
    for candidates, expected in ((5, 5), (3, 5), (8, 8), (1, 4)):  # the filter lets four through
        ranked = engine.rank(START, (4, 1), plies=1, move_filter="tiny", candidates=candidates)
        assert [each.loss is not None for each in ranked] == [each.plies == 1 for each in ranked]
        assert sum(each.plies == 1 for each in ranked) == expected
        losses = [each.loss for each in ranked[:expected]]
        assert losses == sorted(losses)
        lines = str(ranked).splitlines()
        assert lines[expected] == "not searched at 1-ply:"
        assert lines[expected - 1].startswith(f"{expected:>3}. ")
        assert all(line.endswith("cubeless) at 0-ply") for line in lines[expected + 1 :])
    assert all(each.loss is not None for each in engine.rank(START, (4, 1)))


def test_a_cube_decision_says_what_to_do_and_why(engine):
    redouble = gammond.parse("2M7IATDgdw8GAA")[0]
    decision = engine.cube(redouble, plies=1)
    assert decision.action == "Double, take"
    assert decision.should_double
    assert decision.should_take
    assert decision.no_double < decision.double_take < decision.double_pass == 1.0
    owned = engine.cube(START, gammond.MatchState(length=7, cube=2, cube_owner=0))
    assert [line[:16].strip() for line in str(owned).splitlines()[1:]] == [
        "no redouble", "redouble/take", "redouble/pass",
    ]  # fmt: skip
    over = Position(np.array([[15, *[0] * 25], [14, 1, *[0] * 24]]))
    with pytest.raises(gammond.StateError):
        engine.cube(over)


def test_the_trailer_after_the_crawford_game_who_does_not_double_loses_by_it_at_any_depth(engine):
    """The error that clubs teach first: nothing is won by waiting, and the market may be lost."""
    position, match = gammond.parse("XGID=-BD---------------------c-:0:0:1:00:3:4:0:5:10")
    losses = []
    for plies in (0, 1, 2):
        decision = engine.cube(position, match, plies=plies)
        assert decision.action == "Double, take"
        losses.append(min(decision.double_take, decision.double_pass) - decision.no_double)
    assert min(losses) > 0.1
    assert max(losses) == pytest.approx(0.231, abs=0.001)  # of both sides' next rolls, which decide the game


def test_a_rollout_reports_progress_and_is_repeatable(engine):
    seen = []
    rolled = engine.rollout(START, (3, 1), trials=72, truncation=5, candidates=2, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 72
    assert rolled.plays[0].play.text == "8/5 6/5"
    assert rolled.plays[1].loss > 3 * rolled.plays[1].loss_error > 0
    assert engine.rollout(START, (3, 1), trials=72, truncation=5, candidates=2) == rolled


def test_a_rollout_has_the_defaults_of_the_engine_behind_it():
    parameters = inspect.signature(gammond.Engine.rollout).parameters
    request = RolloutRequest("position", START._position, MatchState()._to_engine())
    defaults = {**vars(RolloutSettings()), **vars(request), "candidates": request.best_plays}
    defaults["cubeful"] = defaults.pop("is_cubeful")
    shared = {"trials", "seed", "truncation", "variance_reduction", "plies", "cubeful", "candidates"}
    shared |= {*STOP_RULES, "min_trials"}
    assert sorted(shared - parameters.keys()) == []
    assert {name: parameters[name].default for name in shared} == {name: defaults[name] for name in shared}


@functools.cache
def make_match():
    return gammond.read_match(format_mat(("Ann", "Bob"), play_random_match()).encode())


@functools.cache
def make_engine(threads):
    return gammond.Engine(threads=threads)


LONG_WORK = {
    "evaluate": lambda engine, position: engine.evaluate(position, plies=4),
    "evaluate_many": lambda engine, position: engine.evaluate_many([position], plies=4),
    "rank": lambda engine, position: engine.rank(position, (6, 3), plies=4, move_filter="huge"),
    "cube": lambda engine, position: engine.cube(position, plies=4),
    "rollout": lambda engine, position: engine.rollout(position, trials=100_000),
    "analyse": lambda engine, position: engine.analyse(make_match(), plies=4, move_filter="huge"),
}


@functools.cache
def find_positions_of_long_work():
    """Five for each kind of work: an engine keeps what an interrupted search has evaluated."""
    found = [
        ranked.play.result
        for dice in [(2, 1), (4, 3), (5, 1)]
        for ranked in gammond.Engine().rank(CONTACT, dice, plies=0)
    ]
    return {what: found[5 * index : 5 * index + 5] for index, what in enumerate(LONG_WORK)}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("what", LONG_WORK)
def test_ctrl_c_during_work_is_a_keyboard_interrupt_and_no_result(engine, what, threads):
    """As from a notebook: whenever it comes, and without a word on stderr.

    Python drops what is raised while Hypothesis measures a garbage collection: here none takes place. It
    leaves a file open where an interrupt comes between opening it and its block: kernels are read before.
    """
    own = make_engine(threads)
    positions = find_positions_of_long_work()[what]
    make_match()
    own.rank(START, (3, 1), plies=1)
    own.evaluate(CONTACT, plies=2)
    own.rollout(CONTACT, trials=36, truncation=3)
    gc.disable()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)

    def work_until_the_interrupt(delay_s, position):
        signal.setitimer(signal.ITIMER_REAL, delay_s)
        return LONG_WORK[what](own, position)

    try:
        for step, position in enumerate(positions):
            with pytest.raises(KeyboardInterrupt):
                work_until_the_interrupt(0.02 + 0.01 * step, position)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    assert own.rank(START, (3, 1), plies=1) == engine.rank(START, (3, 1), plies=1)


def test_a_notebook_shows_a_board():
    position, match = gammond.parse(XGID)
    for svg in (position._repr_svg_(), position._repr_html_(), position.to_svg(match)):
        assert svg.startswith("<svg")
        assert svg.endswith("</svg>")
        assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
    board = position.board
    stacks = re.findall(r'<use href="#bg-(?:light|dark)(\d)"', position.to_svg(match))
    assert sum(map(int, stacks)) == sum(min(int(count), 5) for row in board for count in row[1:25]) + sum(
        board[:, 25]
    )


def test_a_notebook_shows_results_as_they_are_printed(engine):
    class Printer:
        def text(self, text):
            self.shown = text

    ranked = engine.rank(START, (3, 1))
    for result in (ranked, ranked.best, ranked.best.outcome, engine.evaluate(START), engine.cube(START)):
        printer = Printer()
        result._repr_pretty_(printer, False)
        assert printer.shown == str(result)


def test_results_are_tables_for_data_frames(engine):
    ranked = engine.rank(START, (3, 1), MatchState(length=5))
    rows = ranked.to_dicts()
    assert len(rows) == len(ranked)
    assert rows[0]["play"] == "8/5 6/5"
    assert (rows[1]["loss"], rows[1]["mwc"]) == (ranked[1].loss, ranked[1].mwc)
    assert rows[0]["win_gammon"] == ranked.best.outcome.win_gammon
    many = engine.evaluate_many([START, START.play("8/5 6/5")])
    columns = many.to_columns()
    assert list(columns) == [*list(rows[0])[1:6], "equity", "cubeful"]
    assert columns["lose_backgammon"].tolist() == many.outcomes[:, 4].tolist()


@pytest.mark.parametrize("dice", ["31", 3, (3,), (3, 1, 1), (3.0, 1), None])
def test_dice_that_are_not_two_numbers_are_refused(engine, dice):
    for ask in (START.legal_plays, lambda roll: engine.rank(START, roll)):
        with pytest.raises(gammond.FormatError, match="expected dice as two numbers such as"):
            ask(dice)


def test_a_text_is_no_board():
    with pytest.raises(gammond.PositionError, match=r"Position\.parse reads texts"):
        Position("4HPwATDgc/ABMA")


@pytest.mark.parametrize("name", ["match", "position", "engine", "client"])
def test_the_examples_in_docstrings_hold(name):
    module = __import__(f"gammond.api.{name}", fromlist=["_"])
    names = {each: getattr(gammond, each) for each in ("Position", "MatchState", "Engine", "Client")}
    failed, tried = doctest.testmod(module, extraglobs=names)
    assert (failed, tried > 0) == (0, True)


def test_an_engine_with_a_store_answers_from_what_was_kept(tmp_path):
    position, match = Position.from_xgid(XGID), MatchState(length=5)
    found = []
    for _ in range(2):
        engine = gammond.Engine(store=tmp_path / "kept.sqlite")
        value, ranked = engine.evaluate(position, match, 2), engine.rank(position, (3, 1), match, 2)
        found.append((value, ranked, engine.cube(position, match, 2).evaluation))
    for first, again in zip(*found, strict=True):
        assert first == again
        assert again.is_stored
    assert [each.is_stored for each in found[0]] == [False, False, True]
    assert not gammond.Engine().evaluate(position, match, 2).is_stored


def test_positions_of_variants_know_their_number_of_checkers():
    start = Position.start("hypergammon")
    assert start.id == "AACgAgAAKgAAAA"
    assert (
        start == Position.from_id(start.id, "hypergammon") == Position.parse(start.to_xgid(), "hypergammon")
    )
    assert start == Position(start.board, "hypergammon") != Position.from_id(start.id)
    assert repr(start) == "Position.from_id('AACgAgAAKgAAAA', 'hypergammon')"
    assert start == pickle.loads(pickle.dumps(start))
    assert len(start.legal_plays((2, 1))) == 6
    assert start.play("24/23 22/20", (2, 1)).pips == (69, 66)
    with pytest.raises(gammond.PositionError, match="with 3 checkers a side"):
        Position.parse(START.id, "hypergammon")
    with pytest.raises(gammond.ValueRangeError, match="expected one of backgammon, nackgammon"):
        Position.start("chess")


def test_an_engine_of_a_variant_takes_its_positions_alone():
    engine = gammond.Engine("fast", variant="nackgammon")
    assert engine.rank(Position.start("nackgammon"), (6, 5)).best.play.text == "24/18 23/18"
    with pytest.raises(gammond.PositionError, match="of nackgammon, with 15 checkers a side"):
        engine.evaluate(Position.start("hypergammon"))
    with pytest.raises(gammond.PositionError, match="expected 15 checkers a side"):
        engine.evaluate_many(np.stack([Position.start("hypergammon").board]))
