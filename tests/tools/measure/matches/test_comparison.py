"""Analyses beside each other: where they differ, what a rollout says about it, and the report."""

import json
from dataclasses import replace
from statistics import mean

import pytest

from gammond.engine.evaluation.results import CubeDecision, RankedPlay
from gammond.engine.match_analysis.decision_errors import Choice
from gammond.engine.statistics import ValueWithError
from gammond.tools.measure.matches.comparison import (
    ComparedMatch,
    Disagreement,
    MatchComparison,
    compute_rating_differences,
    find_disagreements,
    roll_out,
)
from gammond.tools.measure.matches.report import format_comparisons, list_comparisons
from tests.tools.measure.matches.analyses import MATCH, analyse, evaluate


def compare(ours, theirs, above=0.05):
    return find_disagreements(analyse(ours), analyse(theirs), above)


def test_decisions_are_listed_whose_losses_differ_by_more():
    count, found = compare({0: 0.25, 1: 0.125, 2: 0.5}, {0: 0.125, 1: 0.125, 3: 0.0625})
    assert count == 12
    assert [(each.ours.place, each.our_error, each.their_error) for each in found] == [
        (0, 0.25, 0.125),
        (2, 0.5, 0.0),
        (3, 0.0, 0.0625),
    ]
    assert compare({0: 0.25}, {0: 0.125}, above=0.125)[1] == []


def test_a_double_and_its_answer_are_two_decisions():
    _, found = find_disagreements(analyse({}, (0.5, 1.5)), analyse({}, (0.5, 0.25)), 0.05)
    choices = [each.ours.choice for each in found]
    assert choices == [Choice.DOUBLE, Choice.PASS]
    assert [(each.our_error, each.their_error) for each in found] == [(0.0, 0.25), (0.0, 0.75)]


@pytest.mark.parametrize(
    ("rolled", "error", "leaning"),
    [(0.375, 0.03, 1), (0.125, 0.03, -1), (0.25, 0.03, 0), (0.375, 0.07, 0), (0.9, 0.1, 1)],
)
def test_a_rollout_leans_to_the_nearer_one_beyond_twice_its_error(rolled, error, leaning):
    (found,) = compare({0: 0.5}, {})[1]
    assert replace(found, rolled=ValueWithError(rolled, error)).leaning == leaning
    swapped = Disagreement(found.theirs, found.ours, ValueWithError(rolled, error))
    assert swapped.leaning == -leaning
    assert found.leaning == 0


class Roller:
    """Rolls out by a table: plays of which each further one is better, or worse, and one cube."""

    def __init__(self, cube=None):
        self.match, self._cube = MATCH, cube
        self.plays = []
        self.gains = 1

    def roll_out_plays(self, situation, roll, plays):
        self.plays.append((roll, list(plays)))
        return tuple(
            RankedPlay(play, evaluate(self.gains * place / 8, error=0.03 + 0.01 * place))
            for place, play in enumerate(plays)
        )

    def roll_out_cube(self, situation):
        return self._cube


def test_the_play_that_was_made_is_rolled_out_with_the_best_of_both():
    (found,) = compare({0: 0.5}, {})[1]
    roller = Roller()
    rolled = roll_out(found, roller).rolled
    ((roll, plays),) = roller.plays
    made = MATCH.games[0].actions[0]
    assert roll == made.roll
    assert [play.result for play in plays] == [made.play.result, found.ours.notes.candidates[0].play.result]
    assert rolled == ValueWithError(0.125, pytest.approx(0.05))  # of .03 and .04


def test_a_choice_that_is_the_best_in_the_rollout_has_a_loss_below_0():
    (found,) = compare({0: 0.5}, {})[1]
    roller = Roller()
    roller.gains = -1
    assert roll_out(found, roller).rolled == ValueWithError(-0.125, pytest.approx(0.05))


@pytest.mark.parametrize(
    ("choice", "cube", "expected", "error"),
    [
        (Choice.DOUBLE, (0.75, 0.5), 0.25, 0.05),
        (Choice.DOUBLE, (1.25, 1.5), 0.25, 0.03),
        (Choice.DOUBLE, (0.25, 0.5), -0.25, 0.05),
        (Choice.PASS, (0.5, 0.75), 0.25, 0.04),
        (Choice.PASS, (0.5, 1.25), -0.25, 0.04),
    ],
)
def test_a_cube_decision_is_analysed_by_the_rollout_of_both_choices(choice, cube, expected, error):
    _, found = find_disagreements(analyse({}, (0.5, 1.5)), analyse({}, (0.5, 0.25)), 0.05)
    (asked,) = [each for each in found if each.ours.choice is choice]
    held, taken = (evaluate(value, error) for value, error in zip(cube, (0.03, 0.04), strict=True))
    rolled = roll_out(asked, Roller(CubeDecision.of_choices(held, taken))).rolled
    assert rolled == ValueWithError(pytest.approx(expected), pytest.approx(error))


def test_the_report_has_each_analysis_the_worst_decisions_and_those_that_differ():
    ours, theirs = analyse({0: 0.25, 1: 0.125}), analyse({0: 0.125})
    count, found = find_disagreements(ours, theirs, 0.05)
    rolled = [replace(each, rolled=ValueWithError(each.our_error, 0.01)) for each in found]
    comparison = MatchComparison(
        "a.mat",
        None,
        ComparedMatch("gnubg, 2-ply", theirs, 12.5),
        (ComparedMatch("gammond, 2-ply", ours, 1.25),),
        count,
        tuple(rolled),
    )
    lines = format_comparisons([comparison, comparison], errors=1, above=0.05).splitlines()
    table = [line.split("  ") for line in lines[1:5]]
    assert [words[0] for words in table] == ["a.mat"] * 4
    assert all("gnubg, 2-ply" in words and words[-1].strip() == "12.5" for words in table[::2])
    worst = lines[7:11]
    assert [line.split()[-1] for line in worst] == ["0.125", "0.250"] * 2
    differing = [line for line in lines if line.endswith("ours")]
    assert len(differing) == 4
    assert "6-4  24/18 13/9" in differing[0]
    assert "0.250    0.125  0.250 ± 0.010  ours" in differing[0]
    apart = compute_rating_differences(comparison.ours[0], comparison.theirs)
    assert lines[-5:] == [
        "2 matches, 24 decisions; 4 of them differ by more than 0.05",
        f"PR of a player differs by {mean(apart):.2f} on average, by {max(apart):.2f} at most",
        "gammond, 2-ply: 2.5 s of processor time",
        "gnubg, 2-ply: 25.0 s of processor time",
        "rollouts are nearer to: 4 ours, 0 gnubg's, 0 neither",
    ]


def test_the_report_by_keys_has_the_same_numbers():
    ours, theirs = analyse({0: 0.25, 1: 0.125}), analyse({0: 0.125})
    count, found = find_disagreements(ours, theirs, 0.05)
    rolled = (replace(found[0], rolled=ValueWithError(0.25, 0.01)), *found[1:])
    comparison = MatchComparison(
        "a.mat", None, ComparedMatch("gnubg", theirs, 12.5), (ComparedMatch("gammond", ours),), count, rolled
    )
    document = json.loads(json.dumps(list_comparisons([comparison], errors=1, above=0.05)))
    (match,) = document["matches"]
    assert (match["match"], match["decisions"], document["decisions"]) == ("a.mat", count, count)
    assert [each["by"] for each in match["analyses"]] == ["gnubg", "gammond"]
    assert [each["processor_s"] for each in match["analyses"]] == [12.5, None]
    assert [each["worst"][0]["error"] for each in match["analyses"]] == [0.125, 0.25]
    first, second = match["differing"]
    assert (first["roll"], first["chosen"]) == ("64", "24/18 13/9")
    assert first["error"] == {"ours": 0.25, "gnubg": 0.125}
    assert (first["rollout"], first["nearer"]) == ({"error": 0.25, "se": 0.01}, "ours")
    assert (second["rollout"], second["nearer"]) == (None, None)
    assert document["nearer"] == {"ours": 1, "gnubg's": 0, "neither": 0}
    assert document["rating_difference_max"] == max(
        compute_rating_differences(comparison.ours[0], comparison.theirs)
    )


def test_the_analysis_of_the_file_comes_first():
    analyses = [ComparedMatch(name, analyse({})) for name in ("the file", "gnubg", "gammond")]
    recorded, theirs, ours = analyses
    comparison = MatchComparison("a.mat", recorded, theirs, (ours,), 12, ())
    assert comparison.analyses == tuple(analyses)
    text = format_comparisons([comparison], errors=0, above=0.05)
    assert [line.split("  ")[1].strip() for line in text.splitlines()[1:4]] == [
        "the file",
        "gnubg",
        "gammond",
    ]
    assert "differ by more than 0.05" in text
    assert "processor time" not in text
