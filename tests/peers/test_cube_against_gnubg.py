"""Cube formulas against GNU Backgammon's, on the same outcomes: its own 0-ply ones, read from its Python.

Where the two differ on purpose (docs/reference/cube.md), its own look-ahead is the witness.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from gammond.engine.bearoff.numbering import SideNumbering
from gammond.engine.cubeful import CubeEfficiencies, make_cube_game
from gammond.engine.cubeful.match_equity import MatchEquityTable, load_default_table
from gammond.engine.errors import GammondError
from gammond.engine.evaluation.results import CubeDecision, CubeResponse
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Position
from gammond.tools.gnubg.cube_values import ask_cube_values, write_match_equities
from tests.engine.cubeful.doubling_windows import take_point
from tests.support.boards import played_boards, random_boards
from tests.support.evaluators import RacingEvaluator
from tests.support.naive_bearoff import number_sides

pytestmark = pytest.mark.peer

GNUBG = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
MAKEBEAROFF = shutil.which("makebearoff") or shutil.which("makebearoff", path="/usr/games")
WOOLSEY = Path("/usr/share/gnubg/met/woolsey.xml")
EXACT_KINDS = 5
"""Positions of this class and below are in gnubg's exact two-sided database, where it needs no formula."""


@dataclass(frozen=True)
class Case:
    match: MatchState
    ours: CubeDecision
    answer: dict
    is_free: bool

    @property
    def theirs(self):
        """gnubg's no double and double taken, at 0-ply, and its verdict."""
        _, no_double, take, _, _, verdict = self.answer["values"][0]
        return no_double, take, verdict

    @property
    def our_take(self) -> float | None:
        """The value of a taken double, without a beaver, as gnubg gives it."""
        if self.ours.double_take is None:
            return None
        return self.ours.double_take.equity / (2 if self.ours.response is CubeResponse.BEAVER else 1)


def ask_gnubg(cases: list[dict], folder: Path) -> dict:
    """Return gnubg's answers for cases, and the match equity table that it used."""
    if GNUBG is None:
        pytest.skip("needs the program gnubg (Debian: apt-get install gnubg)")
    asked, answered = folder / "cases.json", folder / "answers.json"
    asked.write_text(json.dumps(cases))
    script, met = Path(__file__).parent / "gnubg_cube_cases.py", folder / "table.xml"
    write_match_equities(met)
    environment = dict(os.environ, CASES=str(asked), ANSWERS=str(answered), MET=str(met))
    subprocess.run(
        [GNUBG, "-t", "-q", "-p", str(script)],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
    if not answered.exists():
        pytest.skip("this gnubg has no Python inside")
    return json.loads(answered.read_text())


def as_question(board, match: MatchState, plies=(0,)) -> dict:
    return {
        "position_id": encode_position_id(Position.from_valid_board(board)),
        "cube": match.cube,
        "owner": -1 if match.cube_owner is None else match.cube_owner,
        "seat": match.on_roll,
        "length": match.length,
        "score": list(match.score),
        "crawford": int(match.crawford),
        "jacoby": int(match.jacoby),
        "beavers": int(match.beavers),
        "plies": list(plies),
    }


def any_match(chance: random.Random) -> MatchState:
    """A match state or a money game; nearly all scores, cubes and owners."""
    while True:
        length = chance.choice([0, 0, 0, 1, 2, 3, 5, 7, 9, 15, 25])
        turns = chance.randrange(0, 4)
        try:
            return MatchState(
                length=length,
                score=(chance.randrange(length), chance.randrange(length)) if length else (0, 0),
                crawford=bool(length) and chance.random() < 0.2,
                cube=2**turns,
                cube_owner=chance.randrange(2) if turns else None,
                on_roll=chance.randrange(2),
                jacoby=chance.random() < 0.5,
                beavers=chance.random() < 0.5,
            )
        except GammondError:
            continue


def decided(boards, matches, answers) -> list[Case]:
    cases = []
    none = np.zeros((len(boards), 5), np.float32)
    published = CubeEfficiencies().for_boards(np.stack(boards), none)[:, 0]
    for efficiency, match, answer in zip(published, matches, answers, strict=True):
        game = make_cube_game(match)
        ours = game.decide_outcome(Outcome(*answer["outcome"]), float(efficiency))
        is_free = bool((game.arrays.states[:, 2] >= 0).any())
        cases.append(Case(match, ours, answer, is_free))
    return cases


@pytest.fixture(scope="module")
def cases(tmp_path_factory) -> list[Case]:
    """Positions of all phases, each at a score and cube of its own: 1,000 comparable cases and more."""
    chance = random.Random(31)
    boards = np.concatenate([played_boards(RacingEvaluator(), 850, 32), random_boards(550, 33)])
    matches = [any_match(chance) for _ in boards]
    questions = [as_question(board, match) for board, match in zip(boards, matches, strict=True)]
    answers = ask_gnubg(questions, tmp_path_factory.mktemp("gnubg"))["answers"]
    return decided(boards, matches, answers)


def is_compared(case: Case) -> bool:
    """Whether the two formulas are meant to be the same; see docs/reference/cube.md for the rest."""
    match = case.match
    two_away_each = not match.is_money and match.cube == 1 and (match.away(0), match.away(1)) == (2, 2)
    return case.answer["kind"] > EXACT_KINDS and not case.is_free and not two_away_each


def compared_otherwise(cases: list[Case]) -> list[Case]:
    """Those whose values differ: somewhere up the cube, cashing is worse than never turning it."""
    return [
        case
        for case in cases
        if abs(case.ours.no_double.equity - case.theirs[0]) > 2e-5
        or (case.our_take is not None and abs(case.our_take - case.theirs[1]) > 2e-5)
    ]


def is_same_verdict(case: Case) -> bool:
    """Whether gnubg's words mean our decision; it does not call a taken double below -2 a beaver."""
    _, taken, verdict = case.theirs
    if case.ours.response is CubeResponse.BEAVER and taken < -2.0:
        return verdict.endswith("take")
    return verdict.startswith(("Optional", case.ours.text))


def test_values_are_those_of_gnubg_on_the_same_outcomes(cases, capsys):
    compared = [case for case in cases if is_compared(case)]
    held = np.array([abs(c.ours.no_double.equity - c.theirs[0]) for c in compared])
    taken = np.array([abs(c.our_take - c.theirs[1]) for c in compared if c.our_take is not None])
    money = sum(c.match.is_money for c in compared)
    others = compared_otherwise(compared)
    with capsys.disabled():
        print(f"\n{money} money and {len(compared) - money} match cases, {len(others)} different; ", end="")  # noqa: T201
        print(f"the rest: no double {np.sort(held)[-len(others) - 1]:.1e} at most")  # noqa: T201
    assert len(compared) >= 1000
    assert money > 250
    assert np.median(held) < 1e-6
    assert np.median(taken) < 1e-6
    assert len(others) <= 0.01 * len(compared)
    assert not any(case.match.is_money for case in others)
    assert held.max() < 0.02


def test_decisions_are_those_of_gnubg_on_the_same_outcomes(cases):
    compared = [case for case in cases if is_compared(case) and case.ours.double_take is not None]
    different = [(case.match, case.ours.text, case.theirs) for case in compared if not is_same_verdict(case)]
    assert len(compared) > 300
    assert different == []


def test_where_we_differ_gnubgs_own_look_ahead_is_nearer_to_us_than_to_its_formula(tmp_path, capsys):
    """Doubling for nothing, and two away each: its 2-ply search corrects its 0-ply formula, hardly ours."""
    chance = random.Random(41)
    matches = [
        match
        for match in (any_match(chance) for _ in range(6000))
        if not match.is_money
        and match.length <= 7
        and max(match.away(0), match.away(1)) > 1
        and (
            (make_cube_game(match).arrays.states[0, 2] >= 0)
            or (match.cube, *match.score) == (1, *[match.length - 2] * 2)
        )
    ][:150]
    boards = played_boards(RacingEvaluator(), len(matches), 42)
    questions = [as_question(b, m, plies=(0, 2)) for b, m in zip(boards, matches, strict=True)]
    cases = decided(boards, matches, ask_gnubg(questions, tmp_path)["answers"])
    witness = np.array([case.answer["values"][1][1] for case in cases])
    ours = np.array([case.ours.no_double.equity for case in cases])
    formula = np.array([case.theirs[0] for case in cases])
    our_error, their_error = np.abs(ours - witness).mean(), np.abs(formula - witness).mean()
    with capsys.disabled():
        print(f"\n{len(cases)} cases: mean distance from 2-ply: {our_error:.3f}, its 0-ply {their_error:.3f}")  # noqa: T201
    assert len(cases) == 150
    assert our_error < 0.7 * their_error


def test_the_values_that_measurements_ask_for_are_those_of_the_same_decisions(tmp_path):
    """`gammond train validate-cube` asks gnubg's Python by a script of its own."""
    if GNUBG is None:
        pytest.skip("needs the program gnubg (Debian: apt-get install gnubg)")
    matches = [
        MatchState(beavers=False),
        MatchState(beavers=False, jacoby=True),
        MatchState(beavers=False, cube=2, cube_owner=0),
        MatchState(7, (3, 5), beavers=False),
        MatchState(5, (1, 4), beavers=False),
        MatchState(5, (0, 2), cube=2, cube_owner=0, beavers=False),
    ]
    boards = played_boards(RacingEvaluator(), len(matches), 52)
    asked = [(Position.from_valid_board(board), match) for board, match in zip(boards, matches, strict=True)]
    answers = ask_gnubg([as_question(b, m) for b, m in zip(boards, matches, strict=True)], tmp_path)
    wanted = [[*answer["values"][0][1:3], answer["values"][0][5]] for answer in answers["answers"]]
    assert [list(answer) for answer in ask_cube_values(asked, 0)] == wanted


def test_the_match_equity_table_is_read_as_gnubg_reads_it(tmp_path):
    theirs = np.array(ask_gnubg([], tmp_path)["table"][0])
    table = load_default_table()
    ours = np.array([[table.mwc(a, b) for b in range(1, 65)] for a in range(1, 65)])
    assert np.abs(ours - theirs)[:25, :25].max() < 1e-6
    assert np.abs(ours - theirs).max() < 0.012


def test_live_take_points_are_those_of_the_published_example():
    """GNU Backgammon's manual, "Live cube equities": 3-0 to 7, Woolsey's table, cubes of 1, 2 and 4."""
    if not WOOLSEY.exists():
        pytest.skip("needs Debian's gnubg-data for woolsey.xml")
    rows = ElementTree.parse(WOOLSEY).getroot().iter("row")
    *before, after = (np.array([float(each.text or "") for each in row.iter("me")]) for row in rows)
    table = MatchEquityTable("Woolsey", np.array(before), after)
    outcome = Outcome(0.454, 0.103, 0.0, 0.106, 0.0)
    turned = Outcome(0.546, 0.106, 0.0, 0.103, 0.0)

    def taker(cube: int, *, leads: bool) -> float | None:
        """The take point of the leader (or the trailer), doubled from a cube."""
        owner = None if cube == 1 else 0
        match = MatchState(length=7, score=(0, 3) if leads else (3, 0), cube=cube, cube_owner=owner)
        return take_point(outcome if leads else turned, 1.0, make_cube_game(match, table))

    assert taker(1, leads=True) == pytest.approx(0.273, abs=0.01)
    assert taker(1, leads=False) == pytest.approx(0.245, abs=0.01)
    assert taker(2, leads=True) == pytest.approx(0.385, abs=0.01)
    assert taker(2, leads=False) == pytest.approx(0.15, abs=0.01)


def test_the_recursion_to_the_end_of_a_bearoff_gives_gnubgs_exact_cubeful_equities(tmp_path):
    """Three checkers a side: leaf, option, turn and average, all the way, with no formula left in it."""
    if MAKEBEAROFF is None:
        pytest.skip("makebearoff is missing: install Debian's gnubg")
    file = tmp_path / "bearoff"
    subprocess.run([MAKEBEAROFF, "-t", "6x3", "-f", str(file)], check=True, capture_output=True, timeout=300)
    numbering = SideNumbering(6, 3)
    equities = (
        np.fromfile(file, "<u2", offset=40).reshape(numbering.side_count, numbering.side_count, 4) / 32767.5
        - 1
    )
    pips = numbering.compute_pips()
    is_open = (pips[:, None] > 0) & (pips[None] > 0)
    ours = _held_to_the_end(numbering)
    for state, column in enumerate((2, 1, 3)):
        assert np.abs(equities[..., column] - ours[..., state])[is_open].max() < 2e-4


def _held_to_the_end(numbering: SideNumbering):
    """``float32[sides, sides, 3]``: values without doubling now: centred cube, own, the opponent's."""
    game = make_cube_game(MatchState(beavers=False))
    sides = np.array([numbering.decode_side(i) for i in range(numbering.side_count)], np.int8)
    pips = numbering.compute_pips()
    held = np.zeros((len(sides), len(sides), 3), np.float32)
    best = np.zeros_like(held)
    best[:, 0] = game.evaluate(np.zeros((1, 5), np.float32), np.zeros(1, np.float32))
    chances = np.array([1 if a == b else 2 for a, b in ROLLS], np.float32)[None, :, None] / 36
    mirrored = [0, 2, 1]
    for total in range(2, 2 * int(pips.max()) + 1):
        own, other = np.nonzero((pips[:, None] + pips == total) & (pips[:, None] > 0) & (pips > 0))
        if not own.size:
            continue
        boards = np.zeros((len(own), 2, 26), np.int8)
        boards[:, 0, 1:7], boards[:, 1, 1:7] = sides[own], sides[other]
        boards[:, :, 0] = 15 - boards.sum(axis=2)
        dice = np.tile(np.array(ROLLS, np.int8), (len(own), 1))
        children, _, offsets = expand_rolls(np.repeat(boards, 21, axis=0), dice)
        movers, waiters = (number_sides(numbering, children[:, row, 1:7]) for row in (0, 1))
        values = np.minimum.reduceat(best[movers, waiters][:, mirrored], offsets[:-1], axis=0)
        mean = (values.reshape(len(own), 21, 3) * chances).sum(axis=1)
        held[own, other] = -mean
        best[own, other] = game.with_double(held[own, other])
    return held
