"""GNU Backgammon's external-player dialect, without I/O: bytes in, lines out, one answer a line.

gnubg is the board. It sends ``board:…`` lines, each ended by a line feed and a NUL, and asks with them for a
play, for roll or double, or for the answer to a double. It takes an illegal play for a pass without a word
and can crash on text that is neither a play nor ``Error: …``, so nothing else is ever sent. No game is
resigned: gnubg may refuse, and would ask the same question again for ever. gnubg's own server mode knows a
few commands more, which scripts use: ``version``, ``help``, ``exit``, ``set debug on|off`` and
``evaluation``.

*Source:* the wire of gnubg 1.07.001, as player and as server.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, wait
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from gammond.engine.errors import CancelledWork, FormatError, GammondError, PositionError
from gammond.engine.formats.fibs_board import FibsDialect, decode_fibs_board, decode_fibs_boards
from gammond.engine.play.decider import Decider
from gammond.engine.rules.moves import estimate_plays
from gammond.engine.rules.notation import format_moves_plain
from gammond.engine.rules.position import Position
from gammond.engine.search import SearchWatch
from gammond.protocol.core.connection import Connection, IsInUse
from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.core.replies import format_reply
from gammond.protocol.core.requests import Answer, AnyReply, BatchItem, QuitRequest, Reply, Work, WorkControl
from gammond.protocol.dialects.gnubg_evaluation import (
    SWITCH_WORDS,
    EvaluationOptions,
    FibsEvaluations,
    GnubgRules,
    parse_evaluation,
)
from gammond.protocol.questions.decisions import ChooseDouble, ChoosePlay, ChooseResponse
from gammond.protocol.questions.question import DECISION_SIZE, MAX_QUICK_PLAYS
from gammond.protocol.state.offers import RESPONSE_WORDS
from gammond.protocol.state.readiness import QuickWork

_LIMITS = ClientLimits(line_bytes=2048)
"""Caps for one client; gnubg's own lines have about 200 bytes."""

MAX_REPLY_BYTES = 255
"""What gnubg reads of a reply, its line end included."""

LINE_SIZE = 2
"""The size (`Work.size`) of an evaluation at 0-ply, whose line is longer than that of a command."""

_HELP = (
    "board:LINE; evaluation fibsboard board:LINE [plies N] [cube on|off|cubeful|cubeless] "
    "[crawfordrule|jacobyrule|beavers on|off]; set debug on|off; version; help; exit"
)
_INPUT_TRANSLATION = bytes.maketrans(bytes([0, *range(128, 256)]), b"\n" + b"?" * 128)
_TURN_FIELD, _MAY_DOUBLE_FIELD, _DOUBLED_FIELD = 32, 38, 40

_UNLOADED_WORDS = ("help", "exit", "set")
"""Commands that are answered while the engine is being loaded; the others wait."""

_LOADING_CHECK_S = 0.1
"""How often a request that waits for the engine looks whether it was stopped."""

_log = logging.getLogger(__name__)


@dataclass
class GnubgService:
    """What all clients of one server share.

    Attributes:
        decider: Plays and handles the cube; its engine answers ``evaluation``, at its depth by default.
        rules: What the lines do not say.
        software: What ``version`` calls this program.
        quick_work: Which kinds of work are known to be quick.
    """

    decider: Decider
    rules: GnubgRules = field(default_factory=GnubgRules)
    software: str = "gammond"
    quick_work: QuickWork = field(default_factory=QuickWork)


def connect(loading: Future[GnubgService]) -> Connection:
    """Return the connection of a client: a NUL ends a line, and bytes beyond ASCII do not matter.

    Args:
        loading: As for `GnubgClient`.
    """
    client = GnubgClient(loading)
    return Connection(client, _LIMITS, has_tags=False, translation=_INPUT_TRANSLATION)


class GnubgClient:
    """Answers the lines of a gnubg that plays, or of a script.

    Args:
        loading: What it shares with others, once that is loaded: until then boards wait for their answers.
    """

    writes_json = False

    def __init__(self, loading: Future[GnubgService]) -> None:
        self._loading = loading
        self._batches: dict[EvaluationOptions, FibsEvaluations] = {}
        self._is_debugging = False

    def keeps_order(self, text: str) -> bool:
        """Return that a line waits for the answers to earlier ones."""
        return True

    def answer(self, text: str, is_in_use: IsInUse) -> Answer:
        """Answer a line; commands take effect. Whatever comes, nothing is raised."""
        try:
            is_ready = self._loading.done() or text.partition(" ")[0].lower() in _UNLOADED_WORDS
            answer = self._dispatch(text) if is_ready else self._wait_for_engine(text)
        except Exception as error:
            answer = [self.fail(error)]
        is_logged = self._is_debugging and _log.isEnabledFor(logging.DEBUG)
        return self._log_answer(text, answer) if is_logged else answer

    def refuse(self, text: str, is_in_use: IsInUse, error: GammondError) -> Answer:
        """Answer with an error."""
        return [self.fail(error)]

    def fail(self, error: Exception, work: Work | None = None) -> Reply:
        """Return an error as gnubg can take it."""
        if isinstance(error, GammondError):
            return Reply(format_error_line(error.message))
        FAULT_LOG.log("a line of gnubg's dialect failed", error)
        return Reply(format_error_line(f"internal fault ({type(error).__name__})"))

    def _log_answer(self, text: str, answer: Answer) -> Answer:
        """Log an answer, when it is there; at debug, for a client could fill a disk with its lines."""
        if not isinstance(answer, Work):
            lines = answer if isinstance(answer, Sequence) else ()
            _log.debug("%r -> %r", text, "\n".join(map(format_reply, lines)))
            return answer
        work = answer

        def run(control: WorkControl) -> Sequence[AnyReply]:
            try:
                replies = work.run(control)
            except Exception as error:
                replies = [self.fail(error)]
            self._log_answer(text, replies)
            return replies

        return msgspec.structs.replace(work, run=run, batch_item=None)

    @cached_property
    def _service(self) -> GnubgService:
        return self._loading.result()

    def _wait_for_engine(self, text: str) -> Work:
        """Return work that answers a line once the engine is loaded."""

        def run(control: WorkControl) -> Sequence[AnyReply]:
            while not wait((self._loading,), _LOADING_CHECK_S).done:
                if control.is_stopped:
                    raise CancelledWork("stopped before the net was loaded")
            answer = self._dispatch(text)
            if isinstance(answer, Work):
                return answer.run(control)
            assert isinstance(answer, Sequence)
            return answer

        return Work(run, is_long=True)

    def _dispatch(self, text: str) -> Answer:
        if text.startswith("board:"):
            return self._read_decision(text)
        word, _, rest = text.partition(" ")
        if handler := _HANDLERS.get(word.lower()):
            return handler(self, rest.strip())
        raise FormatError(f"expected a board: line or a command (see help), got {text[:40]!r}")

    def _tell_version(self, _: str) -> Answer:
        service = self._service
        engine, software = f"Engine: {service.decider.name}", f"Software: {service.software}"
        return [Reply(line) for line in ("Interface: 2", "RFBF: 0", engine, software)]

    def _set(self, rest: str) -> Answer:
        words = rest.lower().split()
        if len(words) != 2 or words[0] != "debug" or words[1] not in SWITCH_WORDS:
            raise FormatError(f"expected 'set debug on' or 'set debug off', got {('set ' + rest)[:40]!r}")
        self._is_debugging = words[1] == "on"
        return [Reply(f"Debug output {words[1].upper()}")]

    def _read_evaluation(self, text: str) -> Work:
        board, options = parse_evaluation(text)
        batch = self._batches.get(options)
        if batch is None:
            service = self._service
            batch = self._batches[options] = FibsEvaluations(service.decider, service.rules, options)

        def evaluate(watch: SearchWatch) -> AnyReply:
            if kind is None:
                return batch.evaluate(board, watch)
            (reply,) = item.answer_alone()
            return reply

        kind, item = None if batch.plies else ("evaluation", options.is_cubeful), BatchItem(batch, board)
        return self._make_work(evaluate, kind, LINE_SIZE, item)

    def _read_decision(self, text: str) -> Work:
        is_beavered = _asks_about_beaver(text)
        line = _clear_double(text) if is_beavered else text
        (board,), (match,) = decode_fibs_boards([line], FibsDialect.GNUBG)
        if match is None:
            position, match, _ = decode_fibs_board(line, FibsDialect.GNUBG)
        else:
            position = Position.from_valid_board(board)
        if position.is_over:
            raise PositionError("the game is over: there is nothing to decide", field="position")
        state, decider, kind = self._service.rules.apply_to(match), self._service.decider, None
        if not decider.looks_ahead and (
            state.roll is None or estimate_plays(position, state.roll) <= MAX_QUICK_PLAYS
        ):
            kind = "cube" if state.roll is None else "plays", state.is_money

        def decide(watch: SearchWatch) -> Reply:
            if is_beavered or state.doubled:
                question = ChooseResponse(position, state, is_beavered)
                return Reply(RESPONSE_WORDS[question.run(decider, lambda _: watch)])
            if state.roll is None:
                doubles = ChooseDouble(position, state).run(decider, lambda _: watch)
                return Reply("double" if doubles else "roll")
            play = ChoosePlay(position, state, state.roll).run(decider, lambda _: watch).play
            return Reply("" if play.is_no_move else format_moves_plain(play))

        return self._make_work(decide, kind, DECISION_SIZE)

    def _make_work(
        self,
        make_reply: Callable[[SearchWatch], AnyReply],
        kind: Hashable,
        size: int,
        batch_item: BatchItem | None = None,
    ) -> Work:
        """Return work that is quick once its kind, among those at 0-ply, was; None is deeper work."""

        def run(control: WorkControl) -> list[AnyReply]:
            with nullcontext() if kind is None else self._service.quick_work.time(kind):
                return [make_reply(SearchWatch(control.is_cancelled))]

        is_quick = kind is not None and kind in self._service.quick_work
        return Work(
            run,
            is_long=kind is None,
            is_quick=is_quick,
            batch_item=batch_item if is_quick else None,
            size=size,
        )


_HANDLERS: dict[str, Callable[[GnubgClient, str], Answer]] = {
    "evaluation": GnubgClient._read_evaluation,
    "version": GnubgClient._tell_version,
    "help": lambda client, rest: [Reply(f"\t{_HELP}")],
    "exit": lambda client, rest: QuitRequest(()),
    "set": GnubgClient._set,
}

COMMANDS = tuple(_HANDLERS)
"""The words of lines that are no boards."""


def format_error_line(message: str) -> str:
    """Write an error as gnubg takes it: one printable ASCII line, short enough for its buffer.

    Args:
        message: Any text.
    """
    printable = "".join(c if " " <= c <= "~" else "?" for c in message) or "no answer"
    return f"Error: {printable}"[: MAX_REPLY_BYTES - 1]


def _asks_about_beaver(text: str) -> bool:
    """Whether a double waits that the side on roll could not have made: its own came back as a beaver."""
    fields = text.split(":")
    if len(fields) <= _DOUBLED_FIELD or fields[_DOUBLED_FIELD] != "1":
        return False
    own = _MAY_DOUBLE_FIELD if fields[_TURN_FIELD] == "1" else _MAY_DOUBLE_FIELD + 1
    other = 2 * _MAY_DOUBLE_FIELD + 1 - own
    return fields[own] == "0" and fields[other] == "1"


def _clear_double(text: str) -> str:
    """A line that asks about a beaver as one before the roll, whose order of names and scores it has."""
    fields = text.split(":")
    fields[_DOUBLED_FIELD] = "0"
    return ":".join(fields)
