"""``isready``: everything that a session can ask for is loaded, and compiled where it has to be."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

import numpy as np

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings, StoreUse
from gammond.engine.analysis.many_positions import evaluate_matches
from gammond.engine.errors import CancelledWork
from gammond.engine.formats.position_batch import parse_positions
from gammond.engine.formats.position_id import decode_position_id
from gammond.engine.play.decider import Decider
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import generate_plays
from gammond.engine.rules.outcome import classify_results
from gammond.engine.rules.position import CHECKERS, OFF
from gammond.engine.rules.rules import STANDARD_RULES, Doubles, Rules
from gammond.protocol.commands.command import Values
from gammond.protocol.commands.session_game import find_game
from gammond.protocol.core.requests import Answer, Reply, Work, WorkControl
from gammond.protocol.state.player_registry import ENGINE_PLAYER
from gammond.protocol.state.readiness import Readiness
from gammond.protocol.state.session import Session

REPORT_EVERY_S = 0.8
"""How often readying that lasts is reported."""

_STOPPED = "stopped before all was ready"

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


def _play() -> None:
    """List plays by rules of each kind, and find the result of a game."""
    start = STANDARD_RULES.starting_position
    for doubles in Doubles:
        generate_plays(start, (3, 1), Rules(doubles=doubles))
    board = np.zeros_like(start.board)
    board[:, OFF] = CHECKERS, CHECKERS - 1
    board[1, 1] = 1
    classify_results(board[None])


ID_KERNELS = Readiness(lambda: decode_position_id(READY_TEXTS[0]))
"""Those that read a position ID."""

TEXT_KERNELS = Readiness(lambda: parse_positions(READY_TEXTS))
"""Those that read positions in bulk."""

PLAY_KERNELS = Readiness(_play)
"""Those that play."""


def _warm_rules() -> None:
    for group in (ID_KERNELS, TEXT_KERNELS, PLAY_KERNELS):
        group.warm()


RULE_KERNELS = Readiness(_warm_rules)
"""All that handlers of backgammon call."""

_ENGINES: dict[str, Readiness] = {}
"""Of everything that a session can ask for, by the evaluator's name."""


def handle_isready(session: Session, _: Values) -> Answer:
    """Load the evaluator and the player, ask for everything once, then answer."""
    load_decider = session.make_decider_loader()
    scratch = Session(session.service, session.initial_seed)
    scratch.engine_settings = replace(session.engine_settings, player=ENGINE_PLAYER, store=StoreUse.OFF)

    def run(control: WorkControl) -> list[Reply]:
        _Readying(scratch, load_decider).run(control)
        return [Reply("readyok")]

    return Work(run)


class _Readying:
    """Readies an evaluator in a thread, while another one reports.

    Args:
        session: Answers the requests; nobody else's.
        load_decider: Loads who decides.
    """

    def __init__(self, session: Session, load_decider: Callable[[], Decider]) -> None:
        self._session = session
        self._load_decider = load_decider
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
                raise CancelledWork(_STOPPED)
            elapsed_ms = int(1000 * (time.monotonic() - started_s))
            text = f"ready {self._done_count} of {len(READY_LINES)} time_ms {elapsed_ms}"
            control.report(Reply("info", text, is_final=False))
        if self._error is not None:
            raise self._error

    def _work(self) -> None:
        try:
            decider = self._load_decider()
            decider.choose_play(decider.engine.rules.starting_position, (3, 1), MatchState())
            RULE_KERNELS.warm()
            engine = decider.engine.with_rules(STANDARD_RULES)
            readiness = _ENGINES.setdefault(engine.name, Readiness())
            try:
                readiness.warm(partial(self._ready_engine, engine), lambda: self._is_stopped)
            except Exception:  # the next one tries again: what a file lacked may be there
                _ENGINES.pop(engine.name, None)
                raise
        except BaseException as error:
            self._error = error

    def _ready_engine(self, engine: Engine) -> None:
        """Ask for everything once.

        Raises:
            CancelledWork: It was stopped.
        """
        for line in READY_LINES:
            if self._is_stopped:
                raise CancelledWork(_STOPPED)
            self._ask(line)
            self._done_count += 1
        parsed = parse_positions((*READY_TEXTS, *READY_TEXTS))
        evaluate_matches(engine, parsed.boards, parsed.matches, parsed.match_indices, EvalSettings())

    def _ask(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        answer = find_game(self._session).commands[name].answer(self._session, rest)
        if isinstance(answer, Work):
            answer.run(WorkControl())
