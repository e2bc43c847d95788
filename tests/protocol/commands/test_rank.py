"""``rank``: where a play stands among all, and what it loses."""

from __future__ import annotations

import pytest

from gammond.engine.analysis.compared_plays import compare_play
from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.position import Position
from gammond.protocol.commands.dispatch import answer_command
from gammond.protocol.core.requests import Work, WorkControl
from tests.protocol.talking import make_connection, talk
from tests.support.evaluators import RacingEvaluator
from tests.support.replies import read_values

ENGINE = Engine(RacingEvaluator())
SETUP = "newgame\ndice 4 3\n"
PLAYS = legal_plays(Position.start(), (4, 3))


def list_moves(request):
    """The ``move`` lines of an answer by play."""
    found = [read_values(line) for line in talk(SETUP + request) if line.startswith("move ")]
    return {row["play"]: row for row in found}


def test_at_one_depth_rank_says_what_moves_says():
    rows = list_moves("moves plies=0")
    best = next(iter(rows.values()))
    for play, row in rows.items():
        *moves, final = talk(f"{SETUP}rank {play}")[2:]
        said = read_values(final)
        assert (said["rank"], said["play"], said["best"]) == (row["rank"], play, best["play"])
        assert said["count"] == str(len(PLAYS))
        loss = float(best["cubeful"]) - float(row["cubeful"])
        assert float(said["loss"]) == pytest.approx(loss, abs=2e-6)
        assert [read_values(line) for line in moves] == ([best] if row == best else [best, row])


@pytest.mark.parametrize("match", [MatchState(), MatchState(5)])
def test_a_play_that_the_filter_drops_is_evaluated_at_the_depth_of_the_best(match):
    settings = EvalSettings(1, "tiny")
    everything = ENGINE.rank_plays(Position.start(), (4, 3), match, EvalSettings(1, "huge"))
    ranked = ENGINE.rank_plays(Position.start(), (4, 3), match, settings)
    dropped = [each.play for each in ranked if not each.survived]
    assert dropped
    for play in dropped:
        found = compare_play(ENGINE, Position.start(), (4, 3), match, play, settings)
        assert found.chosen.evaluation.plies == found.best.evaluation.plies == 1
        wide = everything.choose(play).chosen
        if wide.survived:
            assert found.chosen.evaluation.equity == pytest.approx(wide.evaluation.equity, abs=1e-6)
        assert found.loss >= 0.0
        assert (found.rank == 1) == (found.best is found.chosen)


def test_options_may_come_before_the_play_or_after_it():
    after = talk(SETUP + "rank 24/20 24/21 plies=1 filter=tiny")[-1]
    assert after == talk(SETUP + "rank plies=1 filter=tiny 24/20 24/21")[-1]
    assert read_values(after)["plies"] == "1"


def test_what_is_stopped_compares_at_one_depth():
    session = make_connection().handler.session
    for line in (*SETUP.splitlines(), "set engine.filter tiny"):
        answer_command(session, line)
    control = WorkControl()
    control.stop()
    for play in map(format_play, PLAYS):
        work = answer_command(session, f"rank {play} plies=2")
        assert isinstance(work, Work)
        *rows, final = work.run(control)
        assert final.values["stopped"] is True
        assert {row.values["plies"] for row in rows} == {0}


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ("newgame\nrank 8/5", "bad_state dice: no dice"),
        (SETUP + "rank 8/6", "bad_value play: 8/6 is 2 pips"),
        (SETUP + "rank x", "bad_value play: expected a move"),
        (SETUP + "rank", "bad_command play: expected 'rank PLAY"),
    ],
)
def test_what_is_no_play_of_the_roll_is_refused(lines, error):
    assert talk(lines)[-1].startswith(f"error {error}")


def test_values_may_be_in_upper_case():
    assert talk("set engine.level MASTER")[-1] == "ok set engine.level=master"
    assert talk("set game.cube_owner Center")[-1] == "ok set game.cube_owner=center"
    assert talk("setoption name EvalMode value CubeLess")[-1] == "ok setoption engine.cubeful=false"
    assert talk("newgame\nplay Double")[-1].startswith("ok play play=double ")
    assert talk("newgame\nplay RESIGN Gammon")[-1].startswith('ok play play="resign gammon" ')
    assert talk(SETUP + "moves 1 Filter=Large")[-1].startswith("error bad_command")
    assert talk(SETUP + "moves 1 filter=Large cubeful=TRUE")[-1].startswith("moves count=")
    assert talk(SETUP + "go Chequer")[-1].startswith("bestmove ")
    assert talk("position StartPos")[-1].startswith("ok position ")
