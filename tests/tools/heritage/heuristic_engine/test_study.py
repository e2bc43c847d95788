"""How often rules are wrong: calculated rates come out, and the test keeps its error rates."""

import math

import pytest

from gammond.engine.errors import ValueRangeError
from gammond.tools import cli
from gammond.tools.heritage.heuristic_engine.study import ClimbStudySettings, simulate_rule
from gammond.tools.heritage.heuristic_engine.trials import FixedRule, SequentialRule
from gammond.tools.tournament.statistics.sprt import SequentialTest

SETTINGS = ClimbStudySettings(experiments=2000)


def test_the_fixed_rule_is_fooled_as_often_as_the_binomial_says():
    chance = sum(math.comb(3000, wins) for wins in range(1531, 3001)) / 2**3000
    share, error, games = simulate_rule(FixedRule(), 0.0, SETTINGS)
    assert abs(share - chance) < 4 * error
    assert games == 3000


def test_the_same_dice_make_it_rarer_and_the_test_keeps_both_its_promises():
    paired, _, _ = simulate_rule(FixedRule(has_pairs=True), 0.0, SETTINGS)
    assert paired < simulate_rule(FixedRule(), 0.0, SETTINGS)[0] - 0.02
    rule = SequentialRule(SequentialTest(0, 7))
    settings = ClimbStudySettings(experiments=400)
    share, error, _ = simulate_rule(rule, 0.0, settings)
    assert share < 0.05 + 3 * error
    share, error, games = simulate_rule(rule, 0.01, settings)
    assert share > 0.95 - 3 * error
    assert games < 40_000


def test_the_command_writes_a_line_for_each_worth(capsys):
    assert (
        cli.main(
            ["heritage", "climb-study", "--experiments", "200", "--most-games", "2000", "--worths", "0,1"]
        )
        == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[-2:]] == ["50.00", "51.00"]
    assert len(lines[-1].split()) == 1 + 3 * 4


def test_a_worth_that_split_pairs_leave_no_room_for_is_refused():
    with pytest.raises(ValueRangeError, match=r"cannot win 60 % of games if 90 %") as caught:
        simulate_rule(FixedRule(has_pairs=True), 0.1, ClimbStudySettings(split=0.9))
    assert caught.value.field == "worths"
