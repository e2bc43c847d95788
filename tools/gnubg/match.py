"""Play games and matches against GNU Backgammon, and check every one of them.

This process runs a server; gnubg connects to it as to any external player, plays the other seat itself and
writes the records, which are then replayed. Half of the games and matches are played in each seat.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Struct

from gammond.engine.errors import GammondError
from gammond.engine.evaluation.results import CubeResponse
from gammond.engine.match_files.model import RecordedGame, describe_issues
from gammond.engine.match_files.sgf.reader import parse_sgf
from gammond.engine.match_files.sgf.tree import parse_sgf_trees
from gammond.engine.play.decider import Decider
from gammond.engine.rules.dice import Roll, format_roll
from gammond.engine.rules.game_record import (
    DoubleAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
)
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.runtime.files import check_output_folder
from gammond.engine.runtime.version import read_version
from gammond.engine.search import SearchWatch
from gammond.engine.search.ranked_plays import ChosenPlay
from gammond.engine.statistics import mean_with_error
from gammond.engine.wording import format_count
from gammond.protocol.transports.gnubg import gnubg_server
from gammond.tools.common.command_options import (
    CORES,
    Force,
    ToolCommand,
    option,
    threads_option,
    written_file,
)
from gammond.tools.common.progress import Progress
from gammond.tools.common.strength import DEFAULT_NET, Net, StrengthOptions, load_decider, player_option
from gammond.tools.gnubg import require_gnubg

SUMMARY = "play against GNU Backgammon, and check its records"

STALL_TIMEOUT_S = 60.0
"""Seconds without a request from gnubg after which it counts as stalled, for up to 2 plies of look-ahead on
both sides; each ply more multiplies them by ten."""

MAX_GNUBG_PLIES = 4

_RESUME_COMMANDS = 6
_POLL_S = 0.2


@dataclass(frozen=True)
class GnubgSession:
    """The games or matches that gnubg plays in one run.

    Attributes:
        seat: This engine's, 0 or 1.
        count: Money games, or matches.
        length: Points of a match; 0 for money games.
        seed: Of gnubg's dice.
        gnubg_plies: gnubg's look-ahead for plays and cube decisions.
    """

    seat: int
    count: int
    length: int
    seed: int
    gnubg_plies: int = 0

    @property
    def name(self) -> str:
        """The name in reports."""
        things = ("match", "matches") if self.length else ("money game", "money games")
        length = f" to {self.length}" if self.length else ""
        return f"{format_count(self.count, *things)}{length} in seat {self.seat}"


@dataclass
class GnubgSessionResult:
    """The result of a session, for this engine.

    Attributes:
        points: Of each finished game, negative if it was lost.
        matches: Whether each finished match was won; empty for money games.
        rolls: Plays of both sides replayed.
        cube_actions: Doubles and responses of both sides checked.
        requests: Requests of gnubg.
        seconds: Wall-clock time.
        faults: What went wrong, one line each.
    """

    points: list[int] = field(default_factory=list)
    matches: list[bool] = field(default_factory=list)
    rolls: int = 0
    cube_actions: int = 0
    requests: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    def as_text(self, name: str, length: int) -> str:
        """Format it for people: one line, and one for each fault.

        Args:
            name: What was played.
            length: Points of a match; 0 for money games.
        """
        won = [points for points in self.points if points > 0]
        lost = [points for points in self.points if points < 0]
        parts = [
            f"{len(won)} of {format_count(len(self.points), 'game')} won",
            f"points {sum(won)}-{-sum(lost)}",
            f"{format_count(self.rolls, 'play')} and "
            f"{format_count(self.cube_actions, 'cube action')} checked",
            f"{self.seconds:.0f} s",
        ]
        if length:
            matches = f"{sum(self.matches)} of {format_count(len(self.matches), 'match', 'matches')} won"
            parts.insert(0, matches + _format_win_share(self.matches))
        elif len(self.points) > 1:
            parts.insert(2, f"{mean_with_error(np.array(self.points)):+.3f} points per game")
        return (
            "\n".join([f"{name}: {', '.join(parts)}", *(f"  FAULT {fault}" for fault in self.faults)]) + "\n"
        )

    def add(self, other: GnubgSessionResult) -> None:
        """Add the result of another session, except its faults."""
        self.points += other.points
        self.matches += other.matches
        self.rolls += other.rolls
        self.cube_actions += other.cube_actions
        self.requests += other.requests
        self.seconds += other.seconds


def _format_win_share(won: Sequence[bool]) -> str:
    if len(won) < 2:
        return ""
    return f" ({mean_with_error(np.array(won, np.float64)).scale(100):.1f} %)"


class GnubgMatchOptions(Struct, frozen=True, kw_only=True):
    """What is played, and how strong each program is."""

    games: Annotated[int, option("money games", ge=0)] = 100
    matches: Annotated[int, option("matches", ge=0)] = 10
    match: Annotated[int, option("points of a match", "N", ge=0)] = 5
    seed: Annotated[int, option("seed of gnubg's dice", ge=0)] = 1
    net: Net = DEFAULT_NET
    player: Annotated[str, player_option()] | None = None
    strength: StrengthOptions = StrengthOptions()
    threads: Annotated[int, threads_option("threads for each decision")] = CORES
    gnubg_plies: Annotated[
        int, option("gnubg's look-ahead for plays and cube decisions", "N", ge=0, le=MAX_GNUBG_PLIES)
    ] = 0
    gnubg: Annotated[
        str, option("the program (default gnubg on the path, or where Debian has it)", "FILE")
    ] = ""
    records: Annotated[Path, written_file("keep gnubg's records and output here", "FOLDER")] | None = None
    force: Force = False


def run(options: GnubgMatchOptions) -> int:
    """Run the tool.

    Returns:
        0 when all games were played and checked without a fault, 1 otherwise.

    Raises:
        GammondError: The options are invalid, or gnubg or the nets are missing.
    """
    if options.records is not None:
        check_output_folder(options.records, force=options.force, field="records")
    strength = options.strength.choose()
    program = options.gnubg or require_gnubg()
    decider = load_decider(options.net, strength, options.threads, options.seed, options.player)
    sys.stdout.write(
        f"gammond {read_version()} ({decider.name}, {strength.name}) against {program} "
        f"({options.gnubg_plies}-ply), seed {options.seed}\n"
    )
    faults = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.records or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for count, length, seed in (
            (options.games, 0, options.seed),
            (options.matches, options.match, options.seed + 2),
        ):
            sessions = split_between_seats(count, length, seed, options.gnubg_plies)
            faults += _play_sessions(sessions, decider, program, folder)
    sys.stdout.write(f"faults: {faults}\n")
    return EXIT_FAULTS if faults else EXIT_OK


def _play_sessions(sessions: list[GnubgSession], decider: Decider, program: str, folder: Path) -> int:
    """Play sessions of one kind, and write their results and the total.

    Returns:
        The number of faults.
    """
    total, faults = GnubgSessionResult(), 0
    for session in sessions:
        result = play_session(session, decider, program, folder)
        sys.stdout.write(result.as_text(session.name, session.length))
        sys.stdout.flush()
        total.add(result)
        faults += len(result.faults)
    if len(sessions) > 1:
        sys.stdout.write(total.as_text("both seats", sessions[0].length))
    return faults


def split_between_seats(count: int, length: int, seed: int, gnubg_plies: int = 0) -> list[GnubgSession]:
    """Divide games or matches between the two seats, each with dice of its own."""
    halves = (count + 1) // 2, count // 2
    return [
        GnubgSession(seat, half, length, seed + seat, gnubg_plies) for seat, half in enumerate(halves) if half
    ]


def choose_stall_timeout_s(plies: int) -> float:
    """Return how many seconds gnubg may send no request, by the look-ahead of the deeper side."""
    return STALL_TIMEOUT_S * 10.0 ** max(0, plies - 2)


def play_session(
    session: GnubgSession, decider: Decider, program: str, folder: Path, stall_timeout_s: float | None = None
) -> GnubgSessionResult:
    """Run gnubg for one session against a server of this process, and check its records.

    Args:
        session: What is played.
        decider: Plays for this engine.
        program: gnubg.
        folder: For its script, records and output; each session has its own files.
        stall_timeout_s: Seconds without a request after which gnubg is stopped; `choose_stall_timeout_s`
            if None.

    Returns:
        The result, with everything that went wrong in its faults.
    """
    counting = _CountingDecider(decider)
    if stall_timeout_s is None:
        stall_timeout_s = choose_stall_timeout_s(max(decider.settings.plies, session.gnubg_plies))
    stem = f"{'match' if session.length else 'money'}-{session.seat}"
    records = [folder / f"{stem}-{i}.sgf" for i in range(session.count if session.length else 1)]
    output = folder / f"{stem}.out"
    result = GnubgSessionResult()
    begun = time.monotonic()
    with gnubg_server(counting) as port:
        script = folder / f"{stem}.gnubg"
        script.write_text("\n".join(_generate_script(session, port, records)) + "\n")
        result.faults += _run_gnubg(program, script, output, counting, session, stall_timeout_s)
    result.seconds = time.monotonic() - begun
    result.requests = counting.requests
    if not counting.requests:
        result.faults.append("gnubg sent no request: it did not connect")
    for line in output.read_text(errors="replace").splitlines():
        if line.startswith(("Error", "gnubg: ")):
            result.faults.append(f"gnubg wrote {line!r}")
    for record in records:
        _check_record(record, session, result)
    return result


class _CountingDecider(Decider):
    """A decider that counts its requests."""

    def __init__(self, decider: Decider) -> None:
        super().__init__(decider.engine, decider.settings)
        self._decider = decider
        self.requests = 0

    def choose_play(
        self, position: Position, roll: Roll, match: MatchState, watch: SearchWatch | None = None
    ) -> ChosenPlay:
        """Count the request and pass it on, as all that follow."""
        self.requests += 1
        return self._decider.choose_play(position, roll, match, watch)

    def should_double(self, position: Position, match: MatchState, watch: SearchWatch | None = None) -> bool:
        self.requests += 1
        return self._decider.should_double(position, match, watch)

    def choose_response(
        self, position: Position, match: MatchState, watch: SearchWatch | None = None
    ) -> CubeResponse:
        self.requests += 1
        return self._decider.choose_response(position, match, watch)

    def takes_beaver(self, position: Position, match: MatchState, watch: SearchWatch | None = None) -> bool:
        self.requests += 1
        return self._decider.takes_beaver(position, match, watch)


def _generate_script(session: GnubgSession, port: int, records: list[Path]) -> Iterator[str]:
    yield from ("set rng mersenne", f"set seed {session.seed}", "set display off")
    yield from ("set confirm new off", "set confirm save off", "set automatic roll on")
    for seat in (0, 1):
        yield f"set player {seat} gnubg"
        yield f"set player {seat} chequer evaluation plies {session.gnubg_plies}"
        yield f"set player {seat} cubedecision evaluation plies {session.gnubg_plies}"
    yield f"set player {session.seat} external localhost:{port}"
    yield f"set automatic game {'on' if session.length else 'off'}"
    # After a beaver gnubg leaves its loop: "play" takes it up again, and is refused once the game is over.
    resumes = ["play"] * _RESUME_COMMANDS
    if session.length:
        for record in records:
            yield from (f"new match {session.length}", *resumes, f"save match {record}")
    else:
        yield from ("new session", *resumes)
        for _ in range(session.count - 1):
            yield from ("new game", *resumes)
        yield f"save match {records[0]}"


def _run_gnubg(
    program: str,
    script: Path,
    output: Path,
    decider: _CountingDecider,
    session: GnubgSession,
    stall_timeout_s: float,
) -> list[str]:
    """Run gnubg to its end, or until it stalls; return what went wrong."""
    with script.open() as commands, output.open("w") as log, Progress(None, session.name) as progress:
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
                progress.update(decider.requests, "requests")
                if decider.requests != seen:
                    seen, seen_at = decider.requests, time.monotonic()
                elif time.monotonic() - seen_at > stall_timeout_s:
                    return [f"stalled: no request for {stall_timeout_s:g} s"]
        finally:
            process.kill()
            process.wait()
    return [f"gnubg ended with status {process.returncode}"] if process.returncode else []


def check_record(text: str) -> tuple[list[RecordedGame], list[str]]:
    """Read a record of gnubg, and list what in it is against the rules.

    gnubg takes an illegal play of an external player for no move: its record has the roll alone, and shows
    what the wire does not.

    Returns:
        The games, and the faults in words.

    Raises:
        FormatError: It is no record.
    """
    matches = parse_sgf(text)
    games = [game for match in matches for game in match.games]
    faults = [fault for match in matches for fault in describe_issues(match.issues)]
    for game, tree in zip(games, parse_sgf_trees(text), strict=False):
        rolls = [action for action in game.actions if isinstance(action, RollAction)]
        faults += [
            f"game {game.number}: seat {each.seat} did not play {format_roll(each.roll)}" for each in rolls
        ]
        is_given_up = game.actions and isinstance(game.actions[-1], ResignationAction)
        if is_given_up and game.result and not tree.nodes[0].text("RE").endswith("R"):
            faults.append(f"game {game.number}: the record has seat {game.result.winner} win before its end")
    return games, faults


def _check_record(record: Path, session: GnubgSession, result: GnubgSessionResult) -> None:
    """Check a record and add it to a result."""
    try:
        games, faults = check_record(record.read_text(errors="replace"))
    except (OSError, GammondError) as error:
        result.faults.append(f"{record.name}: no record ({error})")
        return
    if not session.length and len(games) != session.count:
        faults.insert(0, f"expected {format_count(session.count, 'game')}, got {len(games)}")
    for game in games:
        result.rolls += sum(isinstance(action, PlayAction) for action in game.actions)
        result.cube_actions += sum(
            isinstance(action, DoubleAction | ResponseAction) for action in game.actions
        )
        if won := game.result:
            result.points.append(won.points if won.winner == session.seat else -won.points)
    if session.length and games and (won := games[-1].result):
        if games[-1].initial_state.score[won.winner] + won.points < session.length:
            faults.append("the match was not finished")
        else:
            result.matches.append(won.winner == session.seat)
    result.faults += [f"{record.name}: {fault}" for fault in faults]


COMMAND = ToolCommand(GnubgMatchOptions, run)
