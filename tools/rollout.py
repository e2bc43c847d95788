"""Roll out the plays of a roll, a position or a cube decision, with standard errors.

POSITION is a GNU position ID, with or without a match ID after a colon, an XGID or a FIBS board line. Dice in
it are played unless --dice gives others; score and cube are those of the text, money play with the cube in
the middle where it has none.

The table on stdout has for each play, or for the position, or for no double and take: the trials; chances in
percent, wins with gammons and backgammons among them; the cubeless money equity; with the cube the cubeful
equity, where 1 is a single game at the present cube; in a match the chance to win it; each with its standard
error; and the difference to the best play, also in joint standard deviations (JSD). --json writes the same as
one JSON object, with the keys that docs/protocol.md gives the lines of 'rollout'.

Ctrl-C ends a rollout with the trials that are complete; the exit status is then 130. --state FILE keeps the
trials: they are saved at the end and once a minute, and the same command goes on from them; with more
--trials it adds to them. The numbers are those of a single run. A file of another rollout is refused.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

from engine.analyst import Analyst
from engine.cores import usable_cores
from engine.cubeful import CubeGame
from engine.dice import Roll, checked_roll
from engine.errors import CancelledWork, StateError, UnsupportedError, ValueRangeError
from engine.formats.reading import read_position
from engine.levels import Depth
from engine.match import MatchState
from engine.moves import Play
from engine.position import Position
from engine.rollout import (
    RolledOutCube,
    RolledOutPlay,
    Rollout,
    RolloutSettings,
    RolloutState,
    StopReason,
    roll_out_cube,
    roll_out_plays,
    roll_out_position,
)
from engine.rollout.results import Estimate
from engine.search.cubeful import resting_cube
from nets.loading import load_analyst
from tools.rollout_keeping import RolloutProgress, StateKeeper
from tools.rollout_report import Report, json_report, table

SUMMARY = "roll out plays, a position or a cube decision"

MOVES, POSITION, CUBE = KINDS = ("moves", "position", "cube")

USUAL_CANDIDATES = 5

EXIT_INTERRUPTED = 130


@dataclass(frozen=True)
class Question:
    """What is rolled out.

    Attributes:
        kind: One of `KINDS`.
        position: The checkers, those of the player on roll first.
        match: Score and cube, before the roll and without offers.
        roll: The dice, for ``moves``.
        candidates: How many plays are rolled out at most.
        is_cubeful: Whether the cube is turned.
        plies: Look-ahead of plays and doubles.
        leaf_plies: Look-ahead of the values at the truncation.
    """

    kind: str
    position: Position
    match: MatchState
    roll: Roll | None
    candidates: int
    is_cubeful: bool
    plies: int
    leaf_plies: int

    def game(self, analyst: Analyst) -> CubeGame | None:
        """Lay out the cube, as the player on roll sees it; None for money play without one."""
        if self.is_cubeful:
            return analyst.cube_game(self.match)
        return None if self.match.is_money else resting_cube(self.match, analyst.table)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("position", metavar="POSITION", help="what is on the board; quote it")
    parser.add_argument("--dice", type=int, nargs=2, metavar=("A", "B"), help="the roll to be played")
    parser.add_argument(
        "--what", choices=KINDS, help="what is rolled out (default moves if there are dice, else position)"
    )
    usual = RolloutSettings()
    numbers: tuple[tuple[str, str, int | float, str], ...] = (
        ("--candidates", "N", USUAL_CANDIDATES, "how many plays are rolled out, the best at 0 plies"),
        ("--trials", "N", usual.trials, "games of each"),
        ("--seed", "N", usual.seed, "of the dice"),
        ("--truncate", "PLIES", usual.truncation, "plies after which a game ends with its value; 0 plays on"),
        ("--plies", "PLIES", 0, "look-ahead of plays and doubles"),
        ("--leaf-plies", "PLIES", 0, "look-ahead of the values at the truncation"),
        ("--stop-error", "POINTS", usual.stop_error, "end at this standard error of equities; 0 never does"),
        (
            "--stop-jsd",
            "JSD",
            usual.stop_jsd,
            "give up plays so many joint standard deviations behind; 0 never does",
        ),
        ("--min-trials", "N", usual.min_trials, "trials before either of these ends anything"),
    )
    for name, unit, default, meaning in numbers:
        parser.add_argument(
            name, type=type(default), default=default, metavar=unit, help=f"{meaning} (default %(default)s)"
        )
    parser.add_argument("--no-vr", action="store_true", help="do not take luck off: more noise, less work")
    parser.add_argument("--cubeless", action="store_true", help="nobody doubles")
    parser.add_argument("--threads", type=int, help="threads to work with (default one for each core)")
    parser.add_argument(
        "--state", type=Path, metavar="FILE", help="keep the trials here, and go on from them"
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object in place of the table")
    parser.add_argument(
        "--net", default="default", metavar="NAME", help="the evaluator (default the manifest's)"
    )


def main(args: argparse.Namespace) -> int:
    """Run the tool.

    Returns:
        0, or 130 if Ctrl-C ended it early.

    Raises:
        GammondError: The arguments make no sense, or the state is unusable or of another rollout.
        KeyboardInterrupt: Ctrl-C, before any trial was complete.
    """
    question, settings = read_question(args), _settings(args)
    keeper = StateKeeper(args.state)
    resume = keeper.load()
    analyst = load_analyst(args.net)
    with _ctrl_c() as stopped, RolloutProgress(settings.trials, resume, keeper) as told:
        rolling = _Rolling(question, settings, analyst, resume, told, stopped.is_set)
        try:
            report = rolling.run()
        except CancelledWork:
            raise KeyboardInterrupt from None
    unsaved = keeper.save(report.rollout.state)
    sys.stdout.write(json_report(report) if args.json else table(report))
    sys.stdout.flush()
    if unsaved is not None:
        raise unsaved
    return EXIT_INTERRUPTED if report.rollout.reason is StopReason.CANCELLED else 0


def read_question(args: argparse.Namespace) -> Question:
    """Read what is rolled out from the arguments.

    Raises:
        StateError: Plays without dice, or of a game that is over.
        UnsupportedError: Options that exclude each other.
        ValueRangeError: A number is out of range.
        GammondError: As `engine.formats.reading.read_position`.
    """
    position, match = read_position(args.position)
    match = match or MatchState()
    roll = match.roll if args.dice is None else checked_roll(*args.dice)
    kind = args.what or (POSITION if roll is None else MOVES)
    if kind != MOVES and args.dice is not None:
        raise UnsupportedError(f"--dice goes with --what {MOVES}, not {kind}", field="dice")
    if kind == MOVES and roll is None:
        raise StateError(f"--what {MOVES} needs dice: --dice 3 1", field="dice")
    if kind == CUBE and args.cubeless:
        raise UnsupportedError("a cube decision is not rolled out without the cube", field="cubeless")
    if args.candidates < 1:
        raise ValueRangeError(f"candidates are 1 or more, not {args.candidates}", field="candidates")
    for plies in (args.plies, args.leaf_plies):
        Depth(plies)
    return Question(
        kind=kind,
        position=position,
        match=replace(match.without_offers(), roll=None),
        roll=roll,
        candidates=args.candidates,
        is_cubeful=not args.cubeless,
        plies=args.plies,
        leaf_plies=args.leaf_plies,
    )


def _settings(args: argparse.Namespace) -> RolloutSettings:
    return RolloutSettings(
        trials=args.trials,
        seed=args.seed,
        truncation=args.truncate,
        variance_reduction=not args.no_vr,
        stop_error=args.stop_error,
        stop_jsd=args.stop_jsd,
        min_trials=args.min_trials,
        threads=usable_cores() if args.threads is None else args.threads,
    )


class _Rolling:
    """A rollout that is asked for; the arguments after the analyst are those of `engine.rollout.roll_out`."""

    def __init__(
        self,
        question: Question,
        settings: RolloutSettings,
        analyst: Analyst,
        resume: RolloutState | None,
        progress: Callable[[RolloutState], None],
        cancelled: Callable[[], bool],
    ) -> None:
        self._question = question
        self._settings = settings
        self._analyst = analyst
        self._resume = resume
        self._progress = progress
        self._cancelled = cancelled
        self._game = question.game(analyst)
        self._judges = analyst.rollout_judges(question.plies, question.leaf_plies, question.plies, cancelled)

    def run(self) -> Report:
        """Roll out.

        Raises:
            GammondError: As `engine.rollout.roll_out`, or the question has no answer.
        """
        if self._question.kind == MOVES:
            return self._report(*self._roll_out_plays())
        if self._question.kind == CUBE:
            rolled = self._roll_out_cube()
            return self._report(rolled, rolled.rollout)
        return self._report(*self._roll_out_position())

    def _roll_out_plays(self) -> tuple[list[RolledOutPlay], Rollout]:
        question = self._question
        assert question.roll is not None  # read_question asks for dice
        return roll_out_plays(
            question.position,
            question.roll,
            self._judges,
            self._settings,
            plays=self._candidates(question.roll),
            game=self._game,
            resume=self._resume,
            progress=self._progress,
            cancelled=self._cancelled,
        )

    def _roll_out_cube(self) -> RolledOutCube:
        assert self._game is not None  # read_question asks for the cube
        return roll_out_cube(
            self._question.position,
            self._game,
            self._judges,
            self._settings,
            resume=self._resume,
            progress=self._progress,
            cancelled=self._cancelled,
        )

    def _roll_out_position(self) -> tuple[Estimate, Rollout]:
        return roll_out_position(
            self._question.position,
            self._judges,
            self._settings,
            game=self._game,
            resume=self._resume,
            progress=self._progress,
            cancelled=self._cancelled,
        )

    def _candidates(self, roll: Roll) -> list[Play]:
        question = self._question
        depth = Depth(0, is_cubeful=question.is_cubeful)
        ranked = self._analyst.rank_plays(question.position, roll, question.match, depth)
        return [judged.play for judged in ranked.plays[: question.candidates]]

    def _report(self, rows: list[RolledOutPlay] | Estimate | RolledOutCube, rollout: Rollout) -> Report:
        question = self._question
        return Report(
            position=question.position,
            match=question.match,
            roll=question.roll if question.kind == MOVES else None,
            game=self._game,
            is_cubeful=question.is_cubeful,
            rows=rows,
            rollout=rollout,
            plies=self._analyst.evaluator.plies + question.plies,
            net=self._analyst.name,
        )


@contextmanager
def _ctrl_c() -> Iterator[threading.Event]:
    """Turn Ctrl-C into a flag as long as the block lasts; pressed twice, it breaks in.

    Does nothing where Ctrl-C is handled otherwise, as in a background job that ignores it.
    """
    stopped = threading.Event()
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield stopped
        return

    def stop(number: int, frame: FrameType | None) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()

    signal.signal(signal.SIGINT, stop)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
