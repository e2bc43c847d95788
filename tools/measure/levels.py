"""Measure how much each level loses by its errors, compared with a deeper search.

Every level plays money games with the cube against itself. The default net evaluates each of its decisions
some plies deeper. The loss is the cubeful equity of the best choice minus that of the level's own, where 1 is
a single game at the present cube. A play counts if there was a choice, a cube decision if it was close or
wrong. Errors that the net itself does not see stay unseen: the rates compare levels, and flatter the best.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np
from msgspec import Struct

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import LEVELS, EvalSettings, Level, find_level
from gammond.engine.errors import CancelledWork
from gammond.engine.evaluation.results import CubeResponse
from gammond.engine.match_analysis.statistics import MILLIPOINTS
from gammond.engine.play.cube_games import play_game
from gammond.engine.play.decider import Decider
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import Play
from gammond.engine.rules.position import Position
from gammond.engine.runtime.version import read_version
from gammond.engine.search import FILTERS, MAX_PLIES, SearchWatch
from gammond.engine.search.ranked_plays import ChosenPlay
from gammond.engine.statistics import ValueWithError
from gammond.tools.common.command_options import Json, ToolCommand, argument, option, threads_option
from gammond.tools.common.interrupts import end_with_partial
from gammond.tools.common.opponents import load_net_engine
from gammond.tools.common.progress import Progress
from gammond.tools.common.reports import format_json_report
from gammond.tools.common.strength import DEFAULT_NET, net_option
from gammond.tools.measure.decisions import estimate_mean_by_game

SUMMARY = "measure the error rate of each level"

CLOSE_DECISION_POINTS = 0.16
"""A cube decision whose two choices differ by no more than this counts even if it was right."""

_MONEY = MatchState(beavers=False)


class LevelsOptions(Struct, frozen=True, kw_only=True):
    """Which levels are measured, by how many decisions and which reference."""

    levels: Annotated[
        tuple[str, ...], argument("LEVEL", f"{', '.join(LEVELS)} (default all)", count="*")
    ] = ()
    decisions: Annotated[int, option("plays to evaluate for each level", ge=2)] = 1000
    reference_plies: Annotated[int, option("look-ahead of the reference search", ge=0, le=MAX_PLIES)] = 2
    reference_filter: Annotated[str, option(f"move filter of the reference search: {', '.join(FILTERS)}")] = (
        "large"
    )
    seed: Annotated[int, option("seed of dice and errors, 0 or more", ge=0)] = 1
    threads: Annotated[int, threads_option("threads for one evaluation", shown=None)] = 1
    net: Annotated[str, net_option("evaluator of the levels and of the reference")] = DEFAULT_NET
    json: Json = False


def run(options: LevelsOptions) -> int:
    """Measure and report.

    Returns:
        0.

    Raises:
        ValueRangeError: An unknown level or filter, or a number out of range.
        DataFileError: A net or database is missing or faulty.
        KeyboardInterrupt: Ctrl-C or SIGTERM; the levels finished by then are reported.
    """
    levels = [find_level(name) for name in options.levels or LEVELS]
    depth = EvalSettings(options.reference_plies, options.reference_filter)
    engine = load_net_engine(options.net, options.threads)
    title = (
        f"gammond {read_version()}, reference {engine.name} at {depth.plies} plies ({depth.filter_name}), "
        f"seed {options.seed}\n"
    )
    if not options.json:
        sys.stdout.write(title + _TABLE_HEADER)
    rates: list[ErrorRate] = []
    try:
        for each in levels:
            with Progress(options.decisions, each.name) as bar:
                rates.append(
                    measure_error_rate(each, engine, depth, options.decisions, options.seed, bar.update)
                )
            if not options.json:
                sys.stdout.write(rates[-1].as_row())
                sys.stdout.flush()
    except KeyboardInterrupt:
        pass
    if options.json and rates:
        about = {"net": engine.name, "reference": asdict(depth), "seed": options.seed}
        sys.stdout.write(format_json_report(**about, levels=[asdict(rate) for rate in rates]))
    if len(rates) < len(levels):
        raise end_with_partial("levels") if rates else KeyboardInterrupt("no level was finished")
    return 0


@dataclass(frozen=True)
class ErrorRate:
    """The error rate of a level, in thousandths of a point per decision.

    Attributes:
        level: The level's name.
        plays: Plays evaluated; forced ones do not count.
        play_error: Mean loss of a play.
        play_standard_error: Of that mean, by games; nan if there was one.
        cubes: Cube decisions evaluated, close or wrong ones.
        cube_error: Mean loss of a cube decision; nan if there were none.
        cube_standard_error: Of that mean, by games; nan if they are of fewer than two.
        games: Games begun.
        seconds: How long it took.
    """

    level: str
    plays: int
    play_error: float
    play_standard_error: float
    cubes: int
    cube_error: float
    cube_standard_error: float
    games: int
    seconds: float

    def as_row(self) -> str:
        """Format it as a line of the table."""
        plays = f"{ValueWithError(self.play_error, self.play_standard_error):.1f}"
        cubes = f"{ValueWithError(self.cube_error, self.cube_standard_error):.1f}"
        return (
            f"{self.level:<14}{self.plays:>7,}{plays:>16}{self.cubes:>8,}{cubes:>16}{self.seconds:>8.0f} s\n"
        )


_TABLE_HEADER = f"{'level':<14}{'plays':>7}{'millipoints':>16}{'cubes':>8}{'millipoints':>16}\n"


def measure_error_rate(
    measured_level: Level,
    engine: Engine,
    reference_settings: EvalSettings,
    decisions: int,
    seed: int = 1,
    progress: Callable[[int], None] | None = None,
) -> ErrorRate:
    """Play a level against itself and measure the cost of its decisions.

    Args:
        measured_level: The level.
        engine: Evaluates for the level, and deeper for the reference.
        reference_settings: Look-ahead of the reference.
        decisions: Plays to evaluate, 2 or more.
        seed: Of the dice and of the level's errors, 0 or more.
        progress: Called with the number of plays evaluated.
    """
    started_s = time.monotonic()
    decider = Decider(
        engine,
        EvalSettings(measured_level.plies, measured_level.filter_name),
        measured_level.noise_points,
        seed,
    )
    measured = _MeasuredDecider(decider, reference_settings)
    generator = np.random.Generator(np.random.PCG64(seed))

    def roll_dice(turn: int) -> Roll:
        while True:
            die, other = (int(face) for face in generator.integers(1, 7, size=2))
            if die != other or turn:
                return die, other

    def is_enough() -> bool:
        if progress is not None:
            progress(len(measured.play_costs))
        return len(measured.play_costs) >= decisions

    with suppress(CancelledWork):
        while True:
            measured.games += 1
            play_game((measured, measured), _MONEY, roll_dice, is_enough)
    plays, cubes = _estimate_cost(measured.play_costs), _estimate_cost(measured.cube_costs)
    return ErrorRate(
        measured_level.name,
        len(measured.play_costs),
        round(plays.value, 3),
        round(plays.error, 3),
        len(measured.cube_costs),
        round(cubes.value, 3),
        round(cubes.error, 3),
        measured.games,
        round(time.monotonic() - started_s, 3),
    )


_GameCost = tuple[int, float]
"""The number of a game, and the cost of a decision in it, in points."""


def _estimate_cost(costs: list[_GameCost]) -> ValueWithError:
    """Return the mean, in thousandths of a point; nan without any."""
    games, points = zip(*costs, strict=True) if costs else ((), ())
    return estimate_mean_by_game(MILLIPOINTS * np.array(points), np.array(games, np.int64))


class _MeasuredDecider(Decider):
    """A decider that plays both sides, with the costs of its decisions by a deeper search.

    Args:
        decider: Makes the decisions.
        settings: Of the deeper search.

    Attributes:
        games: Those begun.
        play_costs: Of plays with a choice.
        cube_costs: Of cube decisions that were close or wrong.
    """

    def __init__(self, decider: Decider, settings: EvalSettings) -> None:
        super().__init__(decider.engine, settings)
        self.games = 0
        self.play_costs: list[_GameCost] = []
        self.cube_costs: list[_GameCost] = []
        self._decider = decider

    def choose_play(
        self, position: Position, roll: Roll, match: MatchState, watch: SearchWatch | None = None
    ) -> ChosenPlay:
        """Choose a play, and note what it costs if there was a choice."""
        choice = self._decider.choose_play(position, roll, match, watch)
        if len(choice.ranked) > 1:
            cost = self._compute_play_cost(position, roll, match, choice.play)
            self.play_costs.append((self.games, cost))
        return choice

    def should_double(self, position: Position, match: MatchState, watch: SearchWatch | None = None) -> bool:
        """Decide whether to double, and note what that costs."""
        doubles = self._decider.should_double(position, match, watch)
        if values := self._find_cube_values(position, match):
            rolled, taken = values
            self._note_cube_cost(rolled, min(taken, 1.0), chose_first=not doubles)
            return doubles
        return False

    def choose_response(
        self, position: Position, match: MatchState, watch: SearchWatch | None = None
    ) -> CubeResponse:
        """Answer a double, and note what that costs."""
        response = self._decider.choose_response(position, match, watch)
        if values := self._find_cube_values(position, match):
            self._note_cube_cost(-values[1], -1.0, chose_first=response is not CubeResponse.PASS)
        return response

    def _compute_play_cost(self, position: Position, roll: Roll, match: MatchState, played: Play) -> float:
        """Return how much worse a play is than the best one, in points at the present cube."""
        ranked = self.engine.rank_plays(position, roll, match, self.settings)
        best = ranked.best.evaluation.equity
        for each in ranked:
            if each.survived and each.play == played:
                return best - each.evaluation.equity
        after = self.engine.evaluate(played.result, match.next_turn(), self.settings)
        return max(best + after.equity, 0.0)

    def _find_cube_values(self, position: Position, match: MatchState) -> tuple[float, float] | None:
        """Return the equities of no double and of a double that is taken; None where there is no choice."""
        decision = self.engine.evaluate(position, match, self.settings).decision
        if decision is None or decision.double_take is None:
            return None
        return decision.no_double.equity, decision.double_take.equity

    def _note_cube_cost(self, first: float, second: float, *, chose_first: bool) -> None:
        """Note the cost of choosing between two values."""
        cost = max((second - first) if chose_first else (first - second), 0.0)
        if cost > 0.0 or abs(first - second) <= CLOSE_DECISION_POINTS:
            self.cube_costs.append((self.games, cost))


COMMAND = ToolCommand(LevelsOptions, run)
