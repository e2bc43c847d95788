"""Play games and matches against GNU Backgammon's board, and check every one of them.

A server of this engine runs in the process; gnubg connects to it as to any external player, plays the other
seat itself and writes the record, which is then replayed. Half of everything is played in each seat.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import GammondError, UnsupportedError, ValueRangeError
from engine.evaluator import Evaluator
from engine.outcome import Outcomes
from engine.position import Board
from engine.version import version
from nets.loading import load_evaluator
from protocol.transports.gnubg import gnubg_server
from tools.gnubg_record import RecordedGame, check_game, read_record
from tools.progress import Progress

SUMMARY = "play games and matches against GNU Backgammon's board, and check each of them"

STALL_S = 60.0
"""Seconds without a question from gnubg after which it counts as stalled."""

_DEBIAN_GAMES = "/usr/games"
_RESUMES = 6
_POLL_S = 0.2


@dataclass(frozen=True)
class Sitting:
    """What gnubg plays in one run.

    Attributes:
        seat: Where this engine sits, 0 or 1.
        count: Money games, or matches.
        length: Points of a match; 0 for money games.
        seed: Of gnubg's dice.
    """

    seat: int
    count: int
    length: int
    seed: int

    @property
    def name(self) -> str:
        """What reports call it."""
        kind = _counted(self.count, "match", "es") if self.length else _counted(self.count, "money game")
        return f"{kind}{f' to {self.length}' if self.length else ''} in seat {self.seat}"


@dataclass
class Result:
    """What came of a sitting, for this engine.

    Attributes:
        games: Games finished.
        games_won: Of these, won by this engine.
        points_won: Points of the won games.
        points_lost: Points of the lost games.
        matches_won: Matches won; 0 for money games.
        rolls: Plays of both sides that were replayed.
        questions: Questions that gnubg asked.
        seconds: Wall-clock time.
        faults: What went wrong, one line each.
    """

    games: int = 0
    games_won: int = 0
    points_won: int = 0
    points_lost: int = 0
    matches_won: int = 0
    rolls: int = 0
    questions: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    def as_text(self, sitting: Sitting) -> str:
        """Write it for people, one line and one for each fault."""
        text = f"{sitting.name}: "
        if sitting.length:
            text += f"{_counted(self.matches_won, 'match', 'es')} won, "
        text += (
            f"{self.games_won} of {_counted(self.games, 'game')} won, "
            f"points {self.points_won}-{self.points_lost}, "
            f"{_counted(self.rolls, 'play')} checked, {self.seconds:.0f} s"
        )
        return "\n".join([text, *(f"  FAULT {fault}" for fault in self.faults)]) + "\n"


def _counted(count: int, thing: str, plural: str = "s") -> str:
    return f"{count} {thing}{'' if count == 1 else plural}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--games", type=int, default=100, help="money games (default %(default)s)")
    parser.add_argument("--matches", type=int, default=10, help="matches (default %(default)s)")
    parser.add_argument("--length", type=int, default=5, help="points of a match (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of gnubg's dice (default %(default)s)")
    parser.add_argument(
        "--net", default="default", metavar="NAME", help="the evaluator (default the manifest's)"
    )
    parser.add_argument(
        "--gnubg", metavar="FILE", help="the program; looked up where Debian has it unless given"
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="where to leave gnubg's records and output"
    )


def main(args: argparse.Namespace) -> int:
    """Run the tool.

    Returns:
        0 when all games were played and checked without a fault, 1 otherwise.

    Raises:
        GammondError: The options cannot be, or gnubg or the nets are missing.
    """
    for name in ("games", "matches", "length", "seed"):
        if getattr(args, name) < 0:
            raise ValueRangeError(f"{name} is 0 or more, not {getattr(args, name)}", field=name)
    program = args.gnubg or find_gnubg()
    if program is None:
        raise UnsupportedError("gnubg is not installed (Debian: apt-get install gnubg)", field="gnubg")
    evaluator = load_evaluator(args.net)
    sys.stdout.write(f"gammond {version()} ({evaluator.name}) against {program}, seed {args.seed}\n")
    sittings = [*shared_out(args.games, 0, args.seed), *shared_out(args.matches, args.length, args.seed + 2)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        results = [play(sitting, evaluator, program, folder) for sitting in sittings]
    for sitting, result in zip(sittings, results, strict=True):
        sys.stdout.write(result.as_text(sitting))
    faults = sum(len(result.faults) for result in results)
    sys.stdout.write(f"faults: {faults}\n")
    return 1 if faults else 0


def find_gnubg() -> str | None:
    """Find gnubg on the path or where Debian puts it."""
    return shutil.which("gnubg") or shutil.which("gnubg", path=_DEBIAN_GAMES)


def shared_out(count: int, length: int, seed: int) -> list[Sitting]:
    """Share games or matches out between the two seats, each with dice of its own."""
    halves = (count + 1) // 2, count // 2
    return [Sitting(seat, half, length, seed + seat) for seat, half in enumerate(halves) if half]


def play(
    sitting: Sitting, evaluator: Evaluator, program: str, folder: Path, stall_s: float = STALL_S
) -> Result:
    """Let gnubg play one sitting against a server of this process, and check its records.

    Args:
        sitting: What is played.
        evaluator: This engine's judge.
        program: gnubg.
        folder: Where its script, records and output go; each sitting has its own files.
        stall_s: Seconds without a question after which gnubg is stopped.

    Returns:
        The result; what went wrong is in its faults.
    """
    counted = _Counted(evaluator)
    stem = f"{'match' if sitting.length else 'money'}-{sitting.seat}"
    records = [folder / f"{stem}-{i}.sgf" for i in range(sitting.count if sitting.length else 1)]
    output = folder / f"{stem}.out"
    result = Result()
    begun = time.monotonic()
    with gnubg_server(counted) as port:
        script = folder / f"{stem}.gnubg"
        script.write_text("\n".join(_script(sitting, port, records)) + "\n")
        result.faults += _run(program, script, output, counted, sitting, stall_s)
    result.seconds = time.monotonic() - begun
    result.questions = counted.questions
    if not counted.questions:
        result.faults.append("gnubg asked nothing: it was not connected")
    for line in output.read_text(errors="replace").splitlines():
        if line.startswith(("Error", "gnubg: ")):
            result.faults.append(f"gnubg wrote {line!r}")
    for record in records:
        _check(record, sitting, result)
    return result


class _Counted:
    """An evaluator that counts how often it was asked."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self.name = evaluator.name
        self.plies = evaluator.plies
        self.questions = 0

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate as the evaluator does."""
        self.questions += 1
        return self._evaluator.evaluate(boards)


def _script(sitting: Sitting, port: int, records: list[Path]) -> Iterator[str]:
    yield from ("set rng mersenne", f"set seed {sitting.seed}", "set display off")
    yield from ("set confirm new off", "set confirm save off", "set automatic roll on")
    for seat in (0, 1):
        yield f"set player {seat} gnubg"
        yield f"set player {seat} chequer evaluation plies 0"
        yield f"set player {seat} cubedecision evaluation plies 0"
    yield f"set player {sitting.seat} external localhost:{port}"
    yield f"set automatic game {'on' if sitting.length else 'off'}"
    # After a beaver gnubg leaves its loop: "play" takes it up again, and is refused once the game is over.
    resumes = ["play"] * _RESUMES
    if sitting.length:
        for record in records:
            yield from (f"new match {sitting.length}", *resumes, f"save match {record}")
    else:
        yield from ("new session", *resumes)
        for _ in range(sitting.count - 1):
            yield from ("new game", *resumes)
        yield f"save match {records[0]}"


def _run(
    program: str, script: Path, output: Path, counted: _Counted, sitting: Sitting, stall_s: float
) -> list[str]:
    """Run gnubg to its end, or until it stalls; returns what went wrong."""
    with script.open() as commands, output.open("w") as log, Progress(None, sitting.name) as progress:
        process = subprocess.Popen(
            [program, "-t", "-q", "-r"],
            stdin=commands,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "HOME": str(output.parent)},
        )
        seen, seen_at = -1, time.monotonic()
        try:
            while process.poll() is None:
                time.sleep(_POLL_S)
                progress.update(counted.questions, "questions")
                if counted.questions != seen:
                    seen, seen_at = counted.questions, time.monotonic()
                elif time.monotonic() - seen_at > stall_s:
                    return [f"stalled: no question for {stall_s:g} s"]
        finally:
            process.kill()
            process.wait()
    return [f"gnubg ended with status {process.returncode}"] if process.returncode else []


def _check(record: Path, sitting: Sitting, result: Result) -> None:
    """Replay a record and add it to a result."""
    try:
        games = read_record(record.read_text(errors="replace"))
    except (OSError, GammondError) as error:
        result.faults.append(f"{record.name}: no record ({error})")
        return
    if not sitting.length and len(games) != sitting.count:
        result.faults.append(
            f"{record.name}: expected {_counted(sitting.count, 'game')}, {len(games)} recorded"
        )
    for number, game in enumerate(games, 1):
        rolls, faults = check_game(game)
        result.rolls += rolls
        result.faults += [f"{record.name} game {number}: {fault}" for fault in faults]
        if game.winner is not None:
            _add(game, sitting, result)
    last = games[-1]
    if sitting.length and last.winner is not None:
        if last.score[last.winner] + last.points < sitting.length:
            result.faults.append(f"{record.name}: the match was not finished")
        result.matches_won += last.winner == sitting.seat


def _add(game: RecordedGame, sitting: Sitting, result: Result) -> None:
    result.games += 1
    if game.winner == sitting.seat:
        result.games_won += 1
        result.points_won += game.points
    else:
        result.points_lost += game.points
