import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from gammond.engine.errors import CancelledWork, DataFileError
from gammond.engine.hypergammon import solver as solving
from gammond.engine.hypergammon.construction import build_table
from gammond.engine.hypergammon.layouts import count_layouts, number_layouts
from gammond.engine.hypergammon.solver import SOLUTIONS, Solver, SolverState
from gammond.engine.rules.outcome import cubeless_equity
from gammond.tools.hypergammon.verification import compute_residuals, draw_positions
from tests.engine.hypergammon import naive_solution, peer_solution

GNUBG_FILE = Path(__file__).with_name("gnubg_makehyper.npz")
"""Built with GNU Backgammon 1.07's ``makehyper``: all positions with one checker, 2,500 random ones with two.

Three bytes a number: five chances, then money equities with the cube owned, centred, centred with Jacoby, and
the opponent's. ``two_differ_at`` are all positions with two checkers whose chances differ by more than 4e-6
from those of a table, ``two_replies`` the chances of these, and of those after all equally good plays.
"""

GNUBG_COLUMNS = [0, 1, 2, 3, 4, 6, 5, 8, 7]
"""Where its columns are in a table."""

CHANCE_STEP, EQUITY_STEP = 1 / 16777215, 6 / 16777215


def read_gnubg(name):
    """Return what the file has, in the order of a table's columns."""
    numbers = np.load(GNUBG_FILE)[name].astype(np.float64)
    chances, equities = numbers[..., :5] / 16777215, (numbers[..., 5:] / 16777215 - 0.5) * 6
    return np.concatenate([chances, equities], axis=-1)[..., GNUBG_COLUMNS]


def count_beavers(table, column):
    """Count the positions in which a double is right although the other side may beaver it."""
    values = table.values[1:, 1:].astype(float)
    taken = 2.0 * values[..., 7]
    return np.count_nonzero((taken < -1e-6) & (taken > values[..., column] + 1e-6))


@pytest.mark.parametrize(
    ("table", "expected"),
    [("one_checker", 7), pytest.param("two_checkers", 140, marks=pytest.mark.slow)],
)
def test_beavers_matter_by_the_jacoby_rule_alone(table, expected, request):
    table = request.getfixturevalue(table)
    assert [count_beavers(table, column) for column in (5, 6, 8)] == [0, 0, expected]


@pytest.mark.parametrize(("checkers", "legal"), [(1, 652), (2, 107_253), (3, 7_959_904)])
def test_there_are_as_many_positions_as_published(checkers, legal):
    tables = number_layouts(checkers).tables
    shared = tables.points[:, None] & tables.opposing_points[None, :]
    assert count_layouts(checkers) == len(tables.points)
    assert np.count_nonzero(shared == 0) == legal  # as gnubg counts them, with both sides off


@pytest.mark.slow
@pytest.mark.nojit
def test_one_checker_is_solved_as_by_a_slow_obvious_program(one_checker):
    positions = naive_solution.list_positions()
    boards = np.stack([each.board for each in positions])
    cubeless = naive_solution.solve_cubeless()
    outcomes = one_checker.evaluate(boards).astype(float)
    assert np.abs(cubeless_equity(outcomes) - cubeless).max() < 5e-7
    money, jacoby = naive_solution.solve_cubeful(False), naive_solution.solve_cubeful(True)
    expected = [(*each, by_jacoby[0]) for each, by_jacoby in zip(money, jacoby, strict=True)]
    assert np.abs(one_checker.cubeful_equities(boards) - expected).max() < 5e-7


def test_one_checker_is_solved_as_by_gnubg(one_checker):
    gnubg = read_gnubg("one")
    tables = number_layouts(1).tables  # numbered alike in files and by pips, but for the bar
    legal = (tables.points[:, None] & tables.opposing_points[None, :]) == 0
    legal[0, 0] = False
    difference = np.abs(one_checker.values - gnubg)[legal]
    assert difference[:, :5].max() < 5 * CHANCE_STEP
    assert difference[:, 5:].max() < 2 * EQUITY_STEP + 1e-7


@pytest.fixture(scope="module")
def two_checkers():
    return build_table(2)


@pytest.fixture(scope="module")
def plays_of_two():
    return peer_solution.list_plays(2)


def find_positions(at, layouts):
    """Return the solver's numbers of positions, from the layouts' numbers in files, on roll first."""
    places = layouts.places
    return places[at[:, 1]] * len(places) + places[at[:, 0]]


@pytest.mark.slow
def test_the_cubeless_equities_of_two_checkers_are_those_of_gnubg(two_checkers):
    at = np.load(GNUBG_FILE)["two_at"].astype(int)
    gnubg, found = read_gnubg("two"), two_checkers.values[at[:, 0], at[:, 1]].astype(float)
    assert np.abs(cubeless_equity(gnubg[:, :5]) - cubeless_equity(found[:, :5])).max() < 1e-6
    assert np.mean(np.abs(gnubg[:, :5] - found[:, :5]).max(axis=1) < 4e-6) > 0.99


@pytest.mark.slow
def test_where_chances_of_two_checkers_differ_gnubg_follows_plays_that_are_as_good(
    two_checkers, plays_of_two
):
    """Its chances are the mean of those after plays with the best equity, one for each roll."""
    file, layouts = np.load(GNUBG_FILE), plays_of_two.layouts
    values = peer_solution.read_table(two_checkers, layouts)
    known = np.full((len(values), 5), np.nan)
    count = len(layouts.counts)
    known[:count], known[::count] = values[:count, :5], values[::count, :5]  # over: somebody has won
    known[find_positions(file["two_replies_at"].astype(int), layouts)] = file["two_replies"] / 16777215
    equities, outside, widths, differences = cubeless_equity(values[:, :5]), [], [], []
    for position in find_positions(file["two_differ_at"].astype(int), layouts):
        low, high = peer_solution.bound_chances(plays_of_two, position, equities, known)
        gnubg = known[position]
        outside.append(np.maximum(low - gnubg, gnubg - high).max())
        widths.append((high - low).max())
        differences.append(np.abs(gnubg - values[position, :5]).max())
    assert len(outside) == 831
    assert np.max(outside) < 6e-7
    assert np.count_nonzero(np.array(widths) < 1e-6) == 795  # the others have a choice of their own
    assert 4e-6 < min(differences) < max(differences) < 9e-4


@pytest.mark.slow
def test_where_a_roll_dances_gnubg_leaves_the_cube_with_the_wrong_side(two_checkers, plays_of_two):
    """With that fault its cubeful equities are found to 1e-6; without it, those of the table are."""
    at = np.load(GNUBG_FILE)["two_at"].astype(int)
    gnubg, found = read_gnubg("two"), two_checkers.values[at[:, 0], at[:, 1]].astype(float)
    positions = find_positions(at, plays_of_two.layouts)
    for with_fault, expected, limit in ((False, found, 2e-7), (True, gnubg, 1e-6)):
        solved = peer_solution.solve_cubeful(plays_of_two, two_checkers, with_fault=with_fault)
        for name, column in peer_solution.EQUITIES.items():
            assert np.abs(solved[name][positions] - expected[:, column]).max() < limit, (name, with_fault)
    differences = np.abs(gnubg - found)[:, 5:]
    assert 0.01 < differences.max() < 0.02
    assert 5e-5 < differences.mean() < 2e-4


@pytest.mark.slow
def test_two_checkers_fit_the_plays_that_the_rules_list(two_checkers):
    residuals = compute_residuals(two_checkers, draw_positions(2, 3000, seed=5))
    assert residuals.max() < 4e-7


def test_a_value_that_is_wrong_is_seen(one_checker):
    boards = draw_positions(1, 200, seed=1)
    assert compute_residuals(one_checker, boards).max() < 4e-7
    wrong = type(one_checker)(1, one_checker.values.copy(), one_checker.match_equities)
    wrong.values[10, 24, 5] += 1e-3
    wrong.values[24, 10, 0] += 1e-3
    assert compute_residuals(wrong, draw_positions(1, 3000)).max() > 5e-4


POSITIONS = count_layouts(1) ** 2


def read_state(state):
    return [state.open(name).tobytes() for name in SOLUTIONS]


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """The state that one thread solved without a stop."""
    state = SolverState(POSITIONS, tmp_path_factory.mktemp("solved") / "state")
    Solver(number_layouts(1), state, 1).solve()
    return state


@pytest.fixture
def copied(solved, tmp_path):
    """A copy of that, to be changed."""
    shutil.copytree(solved.folder, tmp_path / "state")
    return SolverState(POSITIONS, tmp_path / "state")


def test_the_solution_does_not_depend_on_the_threads(solved, monkeypatch):
    monkeypatch.setattr(solving, "_PARTS_OF_LEVEL", 1)  # handing out the parts is what takes time
    state = SolverState(POSITIONS)
    Solver(number_layouts(1), state, 3).solve()
    assert read_state(state) == read_state(solved)


def stop_in(phase, step):
    """Return a report that stops the work in a step of a phase."""

    def report(share, text):
        if f" {phase}, step {step}," in f"{text},":
            raise CancelledWork("stopped")

    return report


@pytest.mark.parametrize(
    ("phase", "step"),
    [("equity", 7), ("wins", 3), ("gammons", 6), ("owned cube", 12), ("centred cube", 4), ("Jacoby rule", 5)],
)
def test_a_solver_that_is_stopped_anywhere_goes_on_to_the_same_bits(tmp_path, phase, step, solved):
    with pytest.raises(CancelledWork):
        Solver(number_layouts(1), SolverState(POSITIONS, tmp_path / "state"), 1, stop_in(phase, step)).solve()
    state = SolverState(POSITIONS, tmp_path / "state")
    Solver(number_layouts(1), state, 1).solve()
    assert read_state(state) == read_state(solved)


def test_a_solver_says_what_it_computes_and_how_far_it_is():
    said = []
    Solver(number_layouts(1), SolverState(POSITIONS), 1, lambda *now: said.append(now)).solve()
    shares, texts = zip(*said, strict=True)
    form = r"(. of 6 .+), step ([0-9]+)(?:, largest change (.+), goal (?:1.0e-08|2.5e-09))?"
    read = [re.fullmatch(form, text).groups() for text in texts]
    assert list(dict.fromkeys(name for name, _, _ in read)) == [
        "1 of 6 equity",
        "2 of 6 wins",
        "3 of 6 gammons",
        "4 of 6 owned cube",
        "5 of 6 centred cube",
        "6 of 6 Jacoby rule",
    ]
    assert list(shares) == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, pytest.approx(0.99, abs=0.02))
    first = [(int(step), change) for name, step, change in read if name == "1 of 6 equity"]
    assert all((change is None) == (step == 1) for step, change in first)
    assert [step for step, _ in first] == sorted(step for step, _ in first)
    assert float(first[-1][1]) < 1e-7


def test_a_finished_state_is_only_read(copied, monkeypatch):
    before = read_state(copied)

    def compute(*args):
        raise AssertionError("nothing is to be computed")

    for kernel in ("choose_plays", "follow_choices", "store_level"):
        monkeypatch.setattr(solving, kernel, compute)
    Solver(number_layouts(1), SolverState(POSITIONS, copied.folder), 1).solve()
    assert read_state(copied) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda file: os.truncate(file, 1000),
        lambda file: os.truncate(file, 0),
        lambda file: np.save(file, [1.0]),
    ],
    ids=["cut", "empty", "other"],
)
@pytest.mark.parametrize("name", ["owned", "advantages"])
def test_a_state_that_is_damaged_or_of_other_checkers_is_refused(copied, change, name):
    change(copied.folder / f"{name}.npy")
    with pytest.raises(DataFileError, match=f"{name}.npy is damaged, .*: remove .*state to begin anew"):
        copied.load(name)
    with pytest.raises(DataFileError, match="remove"):
        copied.open(name)
