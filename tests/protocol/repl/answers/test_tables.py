import math
from types import SimpleNamespace

import pytest

from gammond.engine.evaluation.results import (
    CubeDecision,
    CubeResponse,
    DoublingAction,
    Effort,
    Evaluation,
    MeanEquity,
    RankedPlay,
)
from gammond.engine.rules.notation import parse_play
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Position
from gammond.protocol.questions.positions import CubeAnswer, Resignation
from gammond.protocol.repl.answers.tables import (
    TABLE_WIDTH,
    UNSCALED_NOTE,
    format_cube_decision,
    format_loss,
    format_matrix,
    format_plays,
    format_points,
    format_resignation,
    format_response,
    format_rollout,
)
from tests.support.boards import position

OUTCOME = Outcome(0.559, 0.151, 0.006, 0.105, 0.004)
EFFORT = Effort(2, True, 0, 0.0)
BY = EFFORT, "strong"
PLAY = parse_play("8/5 6/5", Position.start(), (3, 1))
LONGEST_PLAY = parse_play(
    "24/23* 13/12* 10/9* 8/7*", position({24: 1, 13: 1, 10: 1, 8: 1}, {23: 1, 12: 1, 9: 1, 7: 1}), (1, 1)
)


def worth(cubeful=None, equity=0.1665, **fields):
    """An evaluation at 2-ply, cubeful if its equity is given."""
    is_cubeful = cubeful is not None
    value = cubeful if is_cubeful else equity
    fields = {"outcome": OUTCOME, "plies": 2, "effort": EFFORT, **fields}
    return Evaluation(value, cubeless_equity=equity, is_cubeful=is_cubeful, **fields)


def write_plays(*evaluations, play=PLAY, effort=EFFORT, count=16, searched=16):
    plays = [RankedPlay(play, each) for each in evaluations]
    return format_plays(plays, effort, "strong", count=count, searched=searched)


def decide(doubling, response, *equities, mwc=(None,) * 3, is_redouble=False, **fields):
    choices = (Evaluation(each, mwc=chance, **fields) for each, chance in zip(equities, mwc, strict=True))
    return CubeDecision(doubling, response, is_redouble, *choices)


def test_plays_are_compared_by_what_they_are_ranked_by():
    cubeful = write_plays(worth(0.3), worth(0.1))
    assert cubeful[2].split()[:4] == ["1", "2", "+0.300", "55.9"]
    assert cubeful[3].split()[:4] == ["2", "2", "+0.100", "-0.200"]
    money = write_plays(worth(), worth(equity=-0.0335))
    assert money[3].split()[:4] == ["2", "2", "-0.034", "-0.200"]
    match = write_plays(worth(mwc=0.5), worth(mwc=0.4879))
    assert match[3].split()[:5] == ["2", "2", "48.79", "+0.167", "-1.21%"]


def test_the_last_lines_say_the_depth_of_the_list_how_it_ended_and_how_many_plays_are_not_of_it():
    *_, last = write_plays(worth(), worth(), effort=Effort(2, False, 0, 0.0))
    assert last == "    2 of 16 plays at 2-ply, stopped early, net strong; cubeless money equity"
    *_, source, beyond = write_plays(worth(), worth(), searched=5)
    assert source == "    2 of 16 plays at 2-ply, net strong; cubeless money equity"
    assert beyond == "    not searched at 2-ply: 11 plays"
    assert write_plays(worth(), worth(), searched=15)[-1].endswith("2-ply: 1 play")


def test_titles_are_above_their_columns():
    upper, lower, row, _ = write_plays(worth(-0.25, mwc=0.5))
    for title in ("mwc %", "equity", "gam", "bg"):
        end = lower.index(title) + len(title)
        assert row[end - 1] not in " ", title
    assert upper.split() == ["win", "lose"]
    assert lower.index("play") == row.index("8/5")


def test_in_a_narrow_window_rows_have_their_place_equity_and_play():
    lines = write_plays(worth(), worth())
    upper, lower, best, second = (line.narrow for line in lines[:4])
    assert upper == ""
    assert lower.split() == ["equity", "behind", "play"]
    assert best.split() == ["1", lines[2].split()[2], "8/5", "6/5"]
    assert second.split() == ["2", *lines[3].split()[2:4], "8/5", "6/5"]
    assert lower.index("play") == best.index("8/5") == second.index("8/5")
    assert max(map(len, (lower, best, second))) < 40


def rolled_out(results, *, reason="trials", seed=0):
    rollout = SimpleNamespace(reason=reason, state=SimpleNamespace(seed=seed))
    return SimpleNamespace(results=results, rollout=rollout, plies=2, evaluator_name="strong")


@pytest.mark.parametrize("match", [{}, {"mwc": 0.9999, "cubeful": -1.0, "mwc_per_point": 0.999}])
def test_the_widest_rows_fit_a_terminal(match):
    certain = Outcome(1.0, 1.0, 1.0, 1.0, 1.0)
    widest = worth(**{"equity": -3.0, "outcome": certain, **match})
    lines = write_plays(*[widest] * 99, play=LONGEST_PLAY)
    assert max(map(len, lines)) <= TABLE_WIDTH
    errors = {"error": 0.0999, "cubeless_error": 0.0999, "outcome_errors": Outcome(*[0.0999] * 5)}
    estimate = widest._replace(trials=100_000, **errors)
    rolled = [RankedPlay(LONGEST_PLAY, estimate, False, MeanEquity(9, -2.9999, 0.0999))] * 32
    lines = format_rollout(rolled_out(rolled, reason="jsd", seed=2**63 - 1), 99)
    assert max(map(len, lines[:-1])) <= TABLE_WIDTH


def test_cube_actions_are_compared_with_best_play():
    cube = decide(DoublingAction.DOUBLE, CubeResponse.PASS, 0.9, 1.2, 1.0, is_redouble=True)
    assert format_cube_decision(cube, *BY) == [
        "                    equity  vs best",
        "    no redouble     +0.900   -0.100",
        "    redouble, take  +1.200   +0.200",
        "    redouble, pass  +1.000",
        "    Redouble, drop: not redoubling costs 0.100, taking a redouble costs 0.200.",
        "    at 2-ply, net strong",
    ]


def test_too_good_to_double_says_what_doubling_costs():
    cube = decide(DoublingAction.TOO_GOOD, CubeResponse.PASS, 1.1, 1.5, 1.0, mwc=(0.6, 0.7, 0.58))
    lines = format_cube_decision(cube, *BY, OUTCOME)
    assert lines[0].split() == ["equity", "mwc", "%", "vs", "best"]
    assert lines[1].split()[2:] == ["+1.100", "60.00"]
    assert lines[4] == "    Too good to double, drop: doubling costs 0.100, taking a double costs 0.500."
    assert lines[5] == "    win 55.9 % (gammon 15.1, backgammon 0.6), lose gammon 10.5, backgammon 0.4"


def test_answers_to_a_double_are_seen_by_the_side_that_answers():
    cube = decide(DoublingAction.DOUBLE, CubeResponse.TAKE, 0.3, 0.5, 1.0)
    assert format_response(CubeAnswer(CubeResponse.TAKE, worth(), cube), "strong")[1:4] == [
        "    take            -0.500",
        "    pass            -1.000   -0.500",
        "    Take: passing costs 0.500.",
    ]
    cube = decide(DoublingAction.NO_DOUBLE, CubeResponse.BEAVER, 0.3, -0.25, 1.0)
    beaver = format_response(CubeAnswer(CubeResponse.BEAVER, worth(), cube), "strong")
    assert beaver[1] == "    beaver          +0.250"
    assert beaver[3] == "    Beaver: passing costs 1.250."


def test_a_resignation_is_compared_with_the_value_of_playing_on():
    offer = Resignation(worth(-1.25, mwc=0.3), 1, is_accepted=False)
    assert format_resignation(offer, "strong")[0] == (
        "    Reject: playing on is worth +1.250 to the side that answers, MWC 70.00 %."
    )


@pytest.mark.parametrize("away", [2, 9, 24, 25, 37, 64])
def test_a_matrix_of_any_size_fits_and_its_columns_are_below_their_numbers(away):
    rows = [{"away": own, "actions": "N" * (away - 1) + "D"} for own in range(1, away + 1)]
    summary = {"away": away, "cube": 1, "money": "P", "plies": 2, "net": "strong"}
    title, head, *table = format_matrix(rows, summary)
    assert max(map(len, (title, head, *table))) <= TABLE_WIDTH
    for number in head.split():
        place = head.index(f" {number}") + len(number) if number != "10" else head.index("10") + 1
        codes = table[0][6 : place + 1].replace(" ", "")
        assert len(codes) == int(number)


@pytest.mark.parametrize(("cube", "double"), [(1, "double"), (2, "redouble")])
def test_a_matrix_of_redoubles_says_so(cube, double):
    row = {"away": 2, "actions": "N", "no_double": [0.1], "double": [0.2]}
    *_, legend = lines = format_matrix(
        [row], {"away": 1, "cube": cube, "money": "P", "plies": 2, "net": "strong"}
    )
    assert f"N no {double}, D {double}/take, P {double}/pass" in legend
    assert any(f"equities of no {double}, and below it of a {double} " in line for line in lines)


def test_a_rollout_of_plays_marks_pruned_ones():
    errors = {"error": 0.02, "cubeless_error": 0.02, "outcome_errors": Outcome(*[0.01] * 5)}
    best = RankedPlay(PLAY, worth(**errors, trials=216))
    other = worth(equity=-0.1, **errors, trials=108)
    other = RankedPlay(PLAY, other, survived=False, difference_to_best=MeanEquity(108, -0.2665, 0.03))
    lines = format_rollout(rolled_out([best, other], reason="stopped", seed=7), 1234)
    assert lines[3].split() == ["±", "0.020", "1.0", "1.0", "1.0", "1.0", "1.0", "216", "trials"]
    assert lines[4].split()[:3] == ["2", "-0.100", "-0.267"]
    assert lines[5].endswith("  108 trials, pruned")
    assert lines[5].split()[1:3] == ["0.020", "0.030"]
    assert lines[6] == "    stopped, seed 7, 1.2 s, 2-ply, net strong; cubeless money equity"


def test_a_single_trial_has_no_errors():
    errors = {"error": math.nan, "cubeless_error": math.nan, "outcome_errors": Outcome(*[math.nan] * 5)}
    lines = format_rollout(rolled_out(worth(**errors, trials=1)), 1)
    assert lines[3].split() == ["±", "1", "trial"]


def test_points_are_rounded_without_a_minus_before_nothing_and_left_out_where_they_have_no_scale():
    values = (-0.0004, -0.0006, 10.0, None)
    assert [format_points(value) for value in values] == ["+0.000", "-0.001", "+10.000", "n/a"]


def test_a_loss_is_in_chances_of_the_match_where_points_have_no_scale():
    assert [format_loss(each) for each in (0.1234, -0.0001)] == ["0.123", "0.000"]
    assert [format_loss(each, is_points=False) for each in (0.1234, -0.00001)] == [
        "12.34 % MWC",
        "0.00 % MWC",
    ]
    chances = (0.9, 0.7, 0.8)
    cube = decide(
        *(DoublingAction.NO_DOUBLE, CubeResponse.TAKE, 90.0, 70.0, 80.0), mwc=chances, mwc_per_point=1e-6
    )
    lines = format_cube_decision(cube, *BY)
    assert [line.split()[-3:] for line in lines[1:4]] == [
        ["double", "n/a", "90.00"],
        ["n/a", "70.00", "-20.00%"],
        ["n/a", "80.00", "-10.00%"],
    ]
    assert lines[4].endswith("doubling costs 20.00 % MWC, passing a double costs 10.00 % MWC.")
    assert lines[5].strip() == UNSCALED_NOTE
