"""Play games and matches against GNU Backgammon's board, and check every one of them.

A server of this engine runs in the process; gnubg connects to it as to any external player, plays the other
seat itself and writes the record, which is then replayed. Half of everything is played in each seat.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.choice import Choice, Chooser
from engine.cores import usable_cores
from engine.cubeful import Response
from engine.dice import Roll
from engine.errors import GammondError, UnsupportedError, ValueRangeError
from engine.match import MatchState
from engine.position import Position
from engine.search import SearchWatch
from engine.version import version
from protocol.transports.gnubg import gnubg_server
from tools.gnubg.program import find_gnubg
from tools.gnubg.record import check_game, read_record
from tools.gnubg.result import Result, counted
from tools.progress import Progress
from tools.strength import add_player_argument, add_strength_arguments, load_chooser, strength

SUMMARY = "play games and matches against GNU Backgammon's board, and check each of them"

STALL_S = 60.0
"""Seconds without a question from gnubg after which it counts as stalled, where both sides look 2 plies ahead
at most; each ply more makes them ten times as many."""

MAX_GNUBG_PLIES = 4

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
        gnubg_plies: How far gnubg looks ahead, for plays and cube.
    """

    seat: int
    count: int
    length: int
    seed: int
    gnubg_plies: int = 0

    @property
    def name(self) -> str:
        """What reports call it."""
        kind = counted(self.count, "match", "es") if self.length else counted(self.count, "money game")
        return f"{kind}{f' to {self.length}' if self.length else ''} in seat {self.seat}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--games", type=int, default=100, help="money games (default %(default)s)")
    parser.add_argument("--matches", type=int, default=10, help="matches (default %(default)s)")
    parser.add_argument("--length", type=int, default=5, help="points of a match (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of gnubg's dice (default %(default)s)")
    parser.add_argument(
        "--net", default="default", metavar="NAME", help="the evaluator (default the manifest's)"
    )
    add_player_argument(parser)
    add_strength_arguments(parser)
    parser.add_argument("--threads", type=int, help="that work on each answer (default one for each core)")
    parser.add_argument(
        "--gnubg-plies",
        type=int,
        default=0,
        metavar="N",
        help="how far gnubg looks ahead for plays and cube (default %(default)s)",
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
    _check_options(args)
    chosen = strength(args)
    program = args.gnubg or find_gnubg()
    if program is None:
        raise UnsupportedError("gnubg is not installed (Debian: apt-get install gnubg)", field="gnubg")
    threads = usable_cores() if args.threads is None else args.threads
    chooser = load_chooser(args.net, chosen, threads, args.seed, args.player)
    sys.stdout.write(
        f"gammond {version()} ({chooser.name}, {chosen.name}) against {program} "
        f"({args.gnubg_plies}-ply), seed {args.seed}\n"
    )
    faults = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for count, length, seed in (
            (args.games, 0, args.seed),
            (args.matches, args.length, args.seed + 2),
        ):
            sittings = shared_out(count, length, seed, args.gnubg_plies)
            faults += _play_all(sittings, chooser, program, folder)
    sys.stdout.write(f"faults: {faults}\n")
    return 1 if faults else 0


def _check_options(args: argparse.Namespace) -> None:
    for name in ("games", "matches", "length", "seed"):
        if getattr(args, name) < 0:
            raise ValueRangeError(f"{name} is 0 or more, not {getattr(args, name)}", field=name)
    if not 0 <= args.gnubg_plies <= MAX_GNUBG_PLIES:
        raise ValueRangeError(
            f"gnubg looks 0 to {MAX_GNUBG_PLIES} plies ahead, not {args.gnubg_plies}", field="gnubg_plies"
        )


def _play_all(sittings: list[Sitting], chooser: Chooser, program: str, folder: Path) -> int:
    """Play sittings of one kind, write their results and what they come to together.

    Returns:
        How many faults there were.
    """
    total, faults = Result(), 0
    for sitting in sittings:
        result = play(sitting, chooser, program, folder)
        sys.stdout.write(result.as_text(sitting.name, sitting.length))
        sys.stdout.flush()
        total.add(result)
        faults += len(result.faults)
    if len(sittings) > 1:
        sys.stdout.write(total.as_text("both seats", sittings[0].length))
    return faults


def shared_out(count: int, length: int, seed: int, gnubg_plies: int = 0) -> list[Sitting]:
    """Share games or matches out between the two seats, each with dice of its own."""
    halves = (count + 1) // 2, count // 2
    return [Sitting(seat, half, length, seed + seat, gnubg_plies) for seat, half in enumerate(halves) if half]


def patience_s(plies: int) -> float:
    """Return how long gnubg may ask nothing, in seconds, when the deeper of both sides looks so far ahead."""
    return STALL_S * 10.0 ** max(0, plies - 2)


def play(
    sitting: Sitting, chooser: Chooser, program: str, folder: Path, stall_s: float | None = None
) -> Result:
    """Let gnubg play one sitting against a server of this process, and check its records.

    Args:
        sitting: What is played.
        chooser: Plays for this engine.
        program: gnubg.
        folder: Where its script, records and output go; each sitting has its own files.
        stall_s: Seconds without a question after which gnubg is stopped; `patience_s` if None.

    Returns:
        The result; what went wrong is in its faults.
    """
    asked = _CountedChooser(chooser)
    if stall_s is None:
        stall_s = patience_s(max(chooser.depth.plies, sitting.gnubg_plies))
    stem = f"{'match' if sitting.length else 'money'}-{sitting.seat}"
    records = [folder / f"{stem}-{i}.sgf" for i in range(sitting.count if sitting.length else 1)]
    output = folder / f"{stem}.out"
    result = Result()
    begun = time.monotonic()
    with gnubg_server(asked) as port:
        script = folder / f"{stem}.gnubg"
        script.write_text("\n".join(_script(sitting, port, records)) + "\n")
        result.faults += _run(program, script, output, asked, sitting, stall_s)
    result.seconds = time.monotonic() - begun
    result.questions = asked.questions
    if not asked.questions:
        result.faults.append("gnubg asked nothing: it was not connected")
    for line in output.read_text(errors="replace").splitlines():
        if line.startswith(("Error", "gnubg: ")):
            result.faults.append(f"gnubg wrote {line!r}")
    for record in records:
        _check(record, sitting, result)
    return result


class _CountedChooser(Chooser):
    """A chooser that counts what it is asked."""

    def __init__(self, chooser: Chooser) -> None:
        super().__init__(chooser.analyst, chooser.depth)
        self._chooser = chooser
        self.questions = 0

    def play(
        self, position: Position, roll: Roll, match: MatchState, watch: SearchWatch | None = None
    ) -> Choice:
        """Choose as the chooser does, as all that follow."""
        self.questions += 1
        return self._chooser.play(position, roll, match, watch)

    def doubles(self, position: Position, match: MatchState, watch: SearchWatch | None = None) -> bool:
        self.questions += 1
        return self._chooser.doubles(position, match, watch)

    def response(self, position: Position, match: MatchState, watch: SearchWatch | None = None) -> Response:
        self.questions += 1
        return self._chooser.response(position, match, watch)

    def takes_beaver(self, position: Position, match: MatchState, watch: SearchWatch | None = None) -> bool:
        self.questions += 1
        return self._chooser.takes_beaver(position, match, watch)


def _script(sitting: Sitting, port: int, records: list[Path]) -> Iterator[str]:
    yield from ("set rng mersenne", f"set seed {sitting.seed}", "set display off")
    yield from ("set confirm new off", "set confirm save off", "set automatic roll on")
    for seat in (0, 1):
        yield f"set player {seat} gnubg"
        yield f"set player {seat} chequer evaluation plies {sitting.gnubg_plies}"
        yield f"set player {seat} cubedecision evaluation plies {sitting.gnubg_plies}"
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
    program: str, script: Path, output: Path, asked: _CountedChooser, sitting: Sitting, stall_s: float
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
                progress.update(asked.questions, "questions")
                if asked.questions != seen:
                    seen, seen_at = asked.questions, time.monotonic()
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
            f"{record.name}: expected {counted(sitting.count, 'game')}, {len(games)} recorded"
        )
    for number, game in enumerate(games, 1):
        replayed = check_game(game)
        result.rolls += replayed.rolls
        result.cube_actions += replayed.cube_actions
        result.faults += [f"{record.name} game {number}: {fault}" for fault in replayed.faults]
        if game.winner is not None:
            result.points.append(game.points if game.winner == sitting.seat else -game.points)
    last = games[-1]
    if sitting.length and last.winner is not None:
        if last.score[last.winner] + last.points < sitting.length:
            result.faults.append(f"{record.name}: the match was not finished")
        else:
            result.matches.append(last.winner == sitting.seat)
