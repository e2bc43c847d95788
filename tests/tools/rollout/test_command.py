"""`gammond rollout`: requests, tables and JSON, states, Ctrl-C."""

import json
import os
import re
import signal
import sys
import time

import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.rollout_requests import make_rollout_evaluators
from gammond.engine.errors import StateError
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rollout import (
    RolloutSettings,
    load_state,
    roll_out_cube,
    roll_out_plays,
)
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.runtime import compilation
from gammond.nets.catalogue import collect_net_hashes, find_pruner
from gammond.tools import cli
from gammond.tools.common import progress
from gammond.tools.rollout import command as rollout
from gammond.tools.rollout import progress as rollout_keeping
from tests.support.boards import position
from tests.support.evaluators import RacingEvaluator

OPENING = "4HPwATDgc/ABMA"
QUICK = ["--truncate", "2", "--trials", "72", "--threads", "1"]
SETTINGS = RolloutSettings(trials=72, truncation=2)
ENDING = position({6: 2, 4: 2, 2: 1}, {20: 2, 22: 3})
ENDING_ID = encode_position_id(ENDING)


class Engines:
    """Replaces `load_net_engine`."""

    def __init__(self) -> None:
        self.evaluator = RacingEvaluator()
        self.loaded = 0

    def __call__(self, name):
        self.loaded += 1
        return Engine(self.evaluator)


@pytest.fixture(autouse=True)
def engines(monkeypatch):
    engines = Engines()
    monkeypatch.setattr(rollout, "load_net_engine", engines)
    monkeypatch.setattr(compilation, "LINE_EVERY_S", 1e9)
    return engines


@pytest.fixture
def run(capsys):
    """Run the tool; give exit status, stdout and stderr."""

    def run(*options):
        status = cli.main(["rollout", *map(str, options)])
        return status, *capsys.readouterr()

    return run


def ran(run, *options) -> dict:
    """Return the JSON report of a run that succeeds."""
    status, out, err = run(*options, "--json")
    assert (status, err) == (0, "")
    assert out.count("\n") == 1
    return json.loads(out)


def shown(value: float) -> float:
    return pytest.approx(value, abs=1e-6)


def test_plays_are_rolled_out_where_there_are_dice_the_best_of_them_at_0_plies(run):
    engine = Engine(RacingEvaluator())
    plays = [evaluated.play for evaluated in engine.rank_plays(Position.start(), (3, 1), MatchState())[:3]]
    expected, _ = roll_out_plays(
        Position.start(),
        (3, 1),
        make_rollout_evaluators(engine),
        SETTINGS,
        plays=plays,
        game=engine.make_cube_game(MatchState()),
    )
    said = ran(run, OPENING, "--dice", 3, 1, "--candidates", 3, *QUICK)
    assert [row["rank"] for row in said["candidates"]] == [1, 2, 3]
    assert [row["cubeful"] for row in said["candidates"]] == [
        shown(one.evaluation.equity) for one in expected
    ]
    assert [row["behind"] for row in said["candidates"][1:]] == [
        shown(-one.difference_to_best.equity) for one in expected[1:]
    ]
    assert said["dice"] == [3, 1]


def test_the_dice_of_the_text_are_played_unless_others_are_given(run):
    xgid = encode_xgid(Position.start(), MatchState(roll=(6, 2)))
    assert ran(run, xgid, *QUICK)["dice"] == [6, 2]
    assert ran(run, xgid, "--dice", 4, 1, *QUICK)["dice"] == [4, 1]
    assert "estimates" in ran(run, xgid, "--what", "position", *QUICK)


def test_a_cube_decision_has_both_lines_and_the_decision(run):
    match = MatchState(length=5)
    engine = Engine(RacingEvaluator())
    expected = roll_out_cube(ENDING, engine.make_cube_game(match), make_rollout_evaluators(engine), SETTINGS)
    said = ran(run, f"{ENDING_ID}:{encode_match_id(match)}", "--what", "cube", *QUICK)
    held, taken = said["estimates"]
    assert (held["of"], taken["of"]) == ("no_double", "take")
    assert held["cubeful"] == shown(expected.no_double.equity)
    assert taken["cubeful"] == shown(expected.take.equity)
    assert said["gain"]["gain"] == shown(expected.gain.equity)
    assert 0.0 < held["mwc"] < 1.0
    status, out, _ = run(f"{ENDING_ID}:{encode_match_id(match)}", "--what", "cube", *QUICK)
    assert status == 0
    assert out.splitlines()[-1] == expected.decision.text


def test_score_and_cube_of_the_text_count_and_can_be_left_out(run):
    match = MatchState(length=3, score=(2, 0), crawford=True, on_roll=1)
    text = f"{ENDING_ID}:{encode_match_id(match)}"
    cubeful, cubeless = (ran(run, text, *QUICK, *more)["estimates"][0] for more in ([], ["--cubeless"]))
    assert "cubeful" in cubeful
    assert "cubeful" not in cubeless
    assert "mwc" in cubeless
    assert cubeless["win"] == cubeful["win"]


def test_the_table_has_two_lines_for_each_play_and_the_best_first(run):
    status, out, _ = run(OPENING, "--dice", 3, 1, "--candidates", 2, *QUICK)
    assert status == 0
    heading, of, how, head, *lines, end = out.splitlines()
    assert heading == "O is to play 3-1; money play, cube 1 centred."
    assert of == f"{OPENING} with 3-1, cubeful, 0-ply by racing"
    assert how == "72 trials, truncated after 2 plies, variance reduction, seed 0"
    assert head.split() == ["cubeful", "behind", "JSD"]
    assert end == "Ended: all trials are played."
    said = ran(run, OPENING, "--dice", 3, 1, "--candidates", 2, *QUICK)["candidates"]
    for first, second, row in zip(lines[::2], lines[1::2], said, strict=True):
        assert first.startswith(f"{row['play']} ")
        assert f" {row['cubeful']:+.4f} ±{row['cubeful_se']:.4f}" in first
        assert second.startswith(f"    win {100 * row['win']:.1f} {100 * row['win_g']:.1f} ")
        assert f"  lose {100 - 100 * row['win']:.1f} {100 * row['lose_g']:.1f} " in second
        assert f"  cubeless {row['equity']:+.3f} ±{row['se']:.3f}" in second
    assert f"  {-said[1]['behind']:+.4f} ±{said[1]['behind_se']:.4f}  " in lines[2]
    assert "behind" not in run(OPENING, *QUICK)[1]


@pytest.mark.parametrize("what", ["moves", "cube", "position"])
@pytest.mark.parametrize("options", [[], ["--cubeless"]])
def test_the_table_fits_into_80_columns(run, what, options):
    if what == "cube" and options:
        pytest.skip("a cube decision needs the cube")
    crowded = position({24: 4, 23: 2, 22: 2, 13: 2, 12: 2, 8: 3}, {1: 1, 5: 2, 20: 6, 6: 6})
    match = MatchState(length=7, score=(3, 2), cube=2, cube_owner=0, roll=(2, 2) if what == "moves" else None)
    _, out, _ = run(encode_xgid(crowded, match), "--what", what, *QUICK, *options)
    assert max(map(len, out.splitlines())) <= 80
    assert "MWC, %" in out
    assert ("no redouble" in out) == (what == "cube")
    assert any(line.startswith("position ") for line in out.splitlines()) == (what == "position")


def test_named_plays_are_rolled_out_alone_or_beside_the_best(run):
    options = [OPENING, "--dice", 3, 1, *QUICK]
    whole = {row["play"]: row for row in ran(run, *options, "--candidates", 16)["candidates"]}
    named = ran(run, *options, "--play", "24/20", "--play", "6/5,8/5")["candidates"]
    assert {row["play"] for row in named} == {"24/20", "8/5 6/5"}
    assert [row["cubeful"] for row in named] == [whole[row["play"]]["cubeful"] for row in named]
    (best,) = ran(run, *options, "--candidates", 1)["candidates"]
    other = next(play for play in whole if play != best["play"])
    both = ran(run, *options, "--play", other, "--candidates", 1)["candidates"]
    assert {row["play"] for row in both} == {other, best["play"]}


def test_presets_set_trials_truncation_and_look_ahead_and_options_go_first(monkeypatch):
    seen = []

    class Prepared:
        def __init__(self, request, engine, settings, cancelled):
            seen.append((settings, request.plies))
            raise StateError("enough")

    monkeypatch.setattr(rollout, "PreparedRollout", Prepared)
    for options in ([], ["--usual"], ["--quick"], ["--long"], ["--long", "--trials", "36", "--plies", "0"]):
        assert cli.main(["rollout", OPENING, "--threads", "1", *options]) == 2
    (usual, plies), (named, _), (quick, _), (long, long_plies), (chosen, chosen_plies) = seen
    assert (usual, plies) == (RolloutSettings(), 0)
    assert named == usual
    assert (quick.trials, quick.truncation, quick.min_trials) == (324, 11, 108)
    assert (long.trials, long.truncation, long_plies) == (1296, 0, 1)
    assert (chosen.trials, chosen.truncation, chosen_plies) == (36, 0, 0)


@pytest.mark.parametrize(
    ("options", "end"),
    [
        ("--stop-error 0.5", "every standard error is at most 0.5."),
        ("--dice 6 1 --candidates 2 --stop-jsd 0.001", "decided, all others are over 0.001 JSD behind."),
        ("--what cube --stop-jsd 0.001", "decided, by more than 0.001 JSD."),
    ],
)
def test_the_table_says_in_words_why_a_rollout_ended(run, options, end):
    options = f"--trials 432 --min-trials 108 --truncate 2 --threads 1 {options}"
    _, out, _ = run(OPENING, *options.split())
    assert f"Ended after 108 trials: {end}" in out.splitlines()


def test_elsewhere_than_on_a_terminal_lines_say_how_far_it_is(run, monkeypatch):
    monkeypatch.setattr(compilation, "LINE_EVERY_S", 0.0)
    monkeypatch.setattr(compilation, "_SHARE_OF_RUN", 0.0)
    status, out, err = run(OPENING, "--dice", 3, 1, "--candidates", 2, *QUICK, "--json")
    assert status == 0
    lines = err.splitlines()
    assert len(lines) > 1
    best = json.loads(out)["candidates"][0]
    assert lines[-1].startswith("gammond rollout: 100 %  72 of 72  ")
    assert lines[-1].endswith(f"  1 {best['play']} {best['cubeful']:+.4f} ±{best['cubeful_se']:.4f}")


def test_a_single_trial_has_no_error_and_a_finished_game_its_result(run):
    assert "±" not in run(OPENING, *QUICK, "--trials", 1)[1]
    over = position({}, {20: 2, 22: 3})
    (estimate,) = ran(run, encode_position_id(over), *QUICK)["estimates"]
    assert (estimate["of"], estimate["win"], estimate["se"]) == ("position", 1.0, 0.0)


def test_a_play_that_is_far_behind_is_pruned_and_marked(run):
    options = [OPENING, "--dice", 6, 1, "--candidates", 12, "--trials", 432, "--min-trials", 108]
    status, out, _ = run(*options, "--truncate", 1, "--threads", 1)
    assert status == 0
    assert re.search(r"  pruned at [0-9]+\n", out)
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("options", [["--dice", "3", "1", "--candidates", "3"], ["--what", "cube"], []])
def test_a_saved_state_is_extended_to_the_numbers_of_one_run(run, tmp_path, options):
    state = tmp_path / "state"
    options = [OPENING, *options, "--truncate", 2, "--threads", 1]
    whole = ran(run, *options, "--trials", 200)
    ran(run, *options, "--trials", 50, "--state", state)
    assert load_state(state).count_trials() == 50
    assert ran(run, *options, "--trials", 200, "--state", state) == whole
    assert load_state(state).count_trials() == 200
    assert ran(run, *options, "--trials", 200, "--state", state) == whole


@pytest.mark.parametrize(
    ("options", "kept", "words"),
    [
        (["--seed", "1"], None, "has seed 0, expected 1"),
        (["--dice", "3", "1"], None, "is of other positions"),
        (["--cubeless"], None, "scores of another kind"),
        ([], -40, "is not a usable saved rollout"),
    ],
)
def test_a_state_of_another_rollout_and_a_damaged_one_are_refused_and_left_as_they_are(
    run, tmp_path, engines, options, kept, words
):
    state = tmp_path / "state"
    run(OPENING, *QUICK, "--state", state)
    before, loaded = state.read_bytes()[:kept], engines.loaded
    state.write_bytes(before)
    status, out, err = run(OPENING, *QUICK, "--state", state, *options)
    assert (status, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
    assert state.read_bytes() == before
    assert kept is None or engines.loaded == loaded


def test_the_nets_that_find_plays_are_among_those_a_state_remembers(run, tmp_path):
    state = tmp_path / "state"
    run(OPENING, *QUICK, "--state", state)
    nets = collect_net_hashes("default") | find_pruner().net_hashes
    assert load_state(state, nets).count_trials() == 72
    with pytest.raises(StateError, match="has another missing, expected 0000"):
        load_state(state, nets | {"another": "0" * 64})


def test_a_state_that_is_not_saved_in_the_end_takes_no_table_away(run, tmp_path, monkeypatch):
    def fail(state, path, identity):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(rollout_keeping, "save_state", fail)
    status, out, err = run(OPENING, *QUICK, "--state", tmp_path / "state")
    assert status == 2
    assert out.splitlines()[1].startswith(f"{OPENING}, cubeful")
    assert f"the state was not saved in {tmp_path / 'state'}: No space left on device" in err


def test_a_long_rollout_is_saved_on_its_way(run, tmp_path, monkeypatch):
    saved = []
    monkeypatch.setattr(rollout_keeping, "SAVE_INTERVAL_S", 0.0)
    monkeypatch.setattr(
        rollout_keeping, "save_state", lambda state, path, identity: saved.append(state.count_trials())
    )
    run(OPENING, *QUICK, "--trials", 360, "--state", tmp_path / "state")
    assert saved[-1] == 360
    assert len(saved) > 2
    assert saved == sorted(saved)


class InterruptedEvaluator(RacingEvaluator):
    """An evaluator during whose work somebody presses Ctrl-C."""

    def __init__(self, after: int) -> None:
        self.left = after

    def evaluate(self, boards):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)  # the main thread, which takes the signal, may have to wait for a core
        return super().evaluate(boards)


@pytest.mark.skipif(os.name == "nt", reason="a thread cannot press Ctrl-C there")
def test_ctrl_c_ends_with_what_is_complete_and_the_same_command_goes_on(run, tmp_path, engines):
    options = [OPENING, "--trials", 216, "--truncate", 7, "--threads", 1]
    whole = ran(run, *options)
    state = tmp_path / "state"
    engines.evaluator = InterruptedEvaluator(after=80)
    status, out, _ = run(*options, "--state", state)
    assert status == 130
    assert re.search(r"\nInterrupted after [0-9]+ trials?, of 216\.\n", out)
    assert 0 < load_state(state).count_trials() < 216
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    engines.evaluator = RacingEvaluator()
    assert ran(run, *options, "--state", state) == whole


@pytest.mark.skipif(os.name == "nt", reason="a thread cannot press Ctrl-C there")
def test_ctrl_c_before_anything_is_complete_writes_nothing(run, tmp_path, engines):
    engines.evaluator = InterruptedEvaluator(after=1)
    status, out, err = run(OPENING, "--trials", 720, "--threads", 1, "--state", tmp_path / "state")
    assert (status, out, err) == (130, "", "gammond: interrupted\n")
    assert not (tmp_path / "state").exists()


def test_a_terminal_sees_the_means_in_one_place_and_only_the_bar_in_the_end(run, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(progress, "_REDRAW_EVERY_S", 0.0)
    status, out, err = run(OPENING, "--dice", 3, 1, "--candidates", 2, *QUICK)
    assert status == 0
    screen = draw(err)
    assert screen[0].startswith("rollout ")
    assert "72 of 72" in screen[0]
    assert [line for line in screen[1:] if line] == []
    during = draw(err[: err.rindex("\x1b[2A\r")])
    assert during[0].startswith("rollout ")
    assert [line.split()[0] for line in during[1:]] == ["1", "2"]
    assert [line[5:29].strip() for line in during[1:]] == [
        line.split("  ")[0] for line in out.splitlines()[4:8:2]
    ]
    assert "nan" not in err


def draw(text):
    """The lines of a screen on which a text with cursor movements is written."""
    screen, row, column = [""], 0, 0
    for part in re.split(r"(\x1b\[[0-9]*[AK]|\r|\n)", text):
        if part == "\n":
            row, column = row + 1, 0
            screen += [""] * (row + 1 - len(screen))
        elif part == "\r":
            column = 0
        elif part == "\x1b[K":
            screen[row] = screen[row][:column]
        elif part.startswith("\x1b"):
            row -= int(part[2:-1])
        else:
            screen[row] = screen[row][:column] + part + screen[row][column + len(part) :]
            column += len(part)
    return screen


@pytest.mark.parametrize(
    "options", [["rubbish"], [OPENING, "--what", "moves"], [OPENING, "--state", "no/state"]]
)
def test_what_makes_no_sense_is_refused_before_nets_are_loaded(run, engines, options):
    status, out, _ = run(*options)
    assert (status, out, engines.loaded) == (2, "", 0)
