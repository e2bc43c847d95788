"""``isready``: everything that a session can ask for is loaded, and compiled where it has to be."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from engine.analysis.levels import EvalSettings, StoreUse
from engine.analysis.many_matches import evaluate_matches
from engine.errors import CancelledWork
from engine.formats.position_batch import parse_positions
from engine.play.decider import Decider
from engine.rules.match import MatchState
from engine.rules.rules import STANDARD_RULES
from protocol.commands.command import Command, CommandCall
from protocol.core.requests import Answer, Reply, Work, WorkControl
from protocol.state.player_registry import ENGINE_PLAYER
from protocol.state.session import Session

REPORT_EVERY_S = 0.8
"""How often readying that lasts is reported."""

_MATCH_POSITION = "-b----E-C---eE---c-e----B-:1:-1:1:33:3:2:0:7:10"
_BEAROFF = "-BBBBBC------------ccccc--:0:0:1:21:0:0:0:0:10"
_SHORT_BEAROFF = "-AA---------------------a-:0:0:1:21:0:0:0:0:10"

READY_GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "evaluation": ("position startpos", "eval", "eval cubeful=false"),
        "search": (
            "position startpos",
            "eval plies=2",
            "eval plies=2 cubeful=false",
            "eval plies=3",
            "dice 3 1",
            "moves plies=1",
        ),
        "plays": (
            "position gnubgid 4HPwATDgc/ABMA",
            "dice 3 1",
            "legal",
            "moves",
            "moves cubeful=false",
            "rank 8/5 6/5",
            "go chequer",
            "play 8/5 6/5",
            f"position xgid {_BEAROFF}",
            "eval plies=1",
            "moves",
            f"position xgid {_SHORT_BEAROFF}",
            "eval plies=1",
            "moves",
        ),
        "rollouts": (
            "position startpos",
            "rollout trials=2 truncate=3",
            "rollout trials=2 truncate=3 cubeful=false",
            "rollout trials=2 truncate=3 vr=false",
            "rollout trials=2 truncate=2 plies=1 leaf_plies=1",
            "rollout cube trials=2 truncate=2",
            "dice 3 1",
            "rollout trials=2 truncate=2 candidates=2",
        ),
        "cube, matches and the score matrix": (
            "position startpos",
            "cube plies=1",
            "take",
            "resign",
            "matrix away=2 plies=1",
            f"position xgid {_MATCH_POSITION}",
            "eval",
            "eval cubeful=false",
            "eval plies=2",
            "cube plies=1",
            "moves plies=1",
            "moves plies=1 cubeful=false",
            "rollout trials=2 truncate=2 candidates=1",
            "set game.doubles two",
            "newgame",
            "dice 3 3",
            "moves",
        ),
    }
)
"""Requests that need every part of the engine once, in groups that share few kernels; each begins with a
position, and is for a session by the standard rules."""

READY_LINES = tuple(line for lines in READY_GROUPS.values() for line in lines)
"""All of them, for one session."""

READY_TEXTS = (
    "4HPwATDgc/ABMA",
    f"XGID={_MATCH_POSITION}",
    "board:O:X:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ":1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0",
)
"""Positions in each form that queries take."""

_ready: set[str] = set()
"""The evaluators for which this process has loaded all compiled code."""

_turn = threading.Lock()
"""Held by the one thread that readies; the others wait for it."""


def handle_isready(call: CommandCall) -> Answer:
    """Load the evaluator and the player, ask for everything once, then answer."""
    session, load_decider = call.session, call.session.make_decider_loader()
    scratch = Session(session.service, session.initial_seed)
    scratch.engine_settings = replace(session.engine_settings, player=ENGINE_PLAYER, store=StoreUse.OFF)

    def run(control: WorkControl) -> list[Reply]:
        _Readying(scratch, load_decider, call.table).run(control)
        return [Reply("readyok")]

    return Work(run)


class _Readying:
    """Readies an evaluator in a thread, while another one reports.

    Args:
        session: Answers the requests; nobody else's.
        load_decider: Loads who decides.
        table: The command table.
    """

    def __init__(
        self, session: Session, load_decider: Callable[[], Decider], table: Mapping[str, Command]
    ) -> None:
        self._session = session
        self._load_decider = load_decider
        self._table = table
        self._done_count = 0
        self._error: BaseException | None = None
        self._is_stopped = False

    def run(self, control: WorkControl) -> None:
        """Ready all of it.

        Raises:
            GammondError: Something cannot be loaded.
            CancelledWork: It was stopped; the request under way is still finished.
        """
        thread = threading.Thread(target=self._work, name="isready", daemon=True)
        started_s = time.monotonic()
        thread.start()
        while thread.is_alive():
            thread.join(REPORT_EVERY_S)
            if not thread.is_alive():
                break
            if control.is_stopped:
                self._is_stopped = True
                raise CancelledWork("stopped before all was ready")
            elapsed_ms = int(1000 * (time.monotonic() - started_s))
            text = f"ready {self._done_count} of {len(READY_LINES)} time_ms {elapsed_ms}"
            control.report(Reply("info", text, is_final=False))
        if self._error is not None:
            raise self._error

    def _work(self) -> None:
        try:
            decider = self._load_decider()
            decider.choose_play(decider.engine.rules.starting_position, (3, 1), MatchState())
            while not _turn.acquire(timeout=REPORT_EVERY_S / 8):
                if self._is_stopped:
                    return
            try:
                self._ready_engine(decider)
            finally:
                _turn.release()
        except BaseException as error:
            self._error = error

    def _ready_engine(self, decider: Decider) -> None:
        """Ask for everything once, unless that was done, or until it is stopped."""
        engine = decider.engine.with_rules(STANDARD_RULES)
        if engine.name in _ready:
            return
        for line in READY_LINES:
            if self._is_stopped:
                return
            self._ask(line)
            self._done_count += 1
        parsed = parse_positions((*READY_TEXTS, *READY_TEXTS))
        evaluate_matches(engine, parsed.boards, parsed.matches, parsed.match_indices, EvalSettings())
        _ready.add(engine.name)

    def _ask(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        command = self._table[name]
        answer = command.handler(CommandCall(self._session, command.parser.parse(rest), self._table))
        if isinstance(answer, Work):
            answer.run(WorkControl())
