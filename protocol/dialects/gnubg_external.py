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
from contextlib import nullcontext

from engine.cubeful import CubeResponse
from engine.errors import FormatError, GammondError, PositionError
from engine.formats.fibs_board import FibsDialect, decode_fibs_board, decode_fibs_boards
from engine.play.decider import Decider
from engine.rules.notation import format_moves_plain
from engine.rules.position import Position
from engine.search import SearchWatch
from protocol.commands.evaluation import DECISION_SIZE, has_few_plays
from protocol.core.fault_log import FAULT_LOG
from protocol.core.framing import InputLine, LineSplitter
from protocol.core.jobs import Job, PendingRequest, run_batch
from protocol.core.requests import BatchItem, Reply, Work, WorkControl
from protocol.dialects.gnubg_evaluation import (
    SWITCH_WORDS,
    EvaluationOptions,
    FibsEvaluations,
    GnubgRules,
    parse_evaluation,
)
from protocol.state.offers import RESPONSE_WORDS
from protocol.state.quick_work import QuickWork

MAX_LINE_BYTES = 2048
"""The longest line taken in; gnubg's own have about 200 bytes."""

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

_REQUEST = PendingRequest("", is_ordered=True)
_log = logging.getLogger(__name__)


class Question(Job, eq=False, kw_only=True):
    """One line of a client, as far as it is understood when its turn comes.

    Attributes:
        text: The line.
        is_logged: Whether the answer is logged.
    """

    text: str
    is_logged: bool


class GnubgExternal:
    """One connection of a gnubg that plays, or of a script.

    Args:
        decider: Plays and handles the cube; its engine answers ``evaluation``, at its depth by default.
        rules: What the lines do not say.
        software: What ``version`` calls this program.
        quick_work: Which kinds of work are known to be quick, for all connections with this decider.
    """

    def __init__(
        self,
        decider: Decider,
        rules: GnubgRules | None = None,
        software: str = "gammond",
        quick_work: QuickWork | None = None,
    ) -> None:
        self._decider = decider
        self._rules = rules or GnubgRules()
        self._software = software
        self._quick_work = quick_work or QuickWork()
        self._batches: dict[EvaluationOptions, FibsEvaluations] = {}
        self._splitter = LineSplitter(MAX_LINE_BYTES)
        self._is_debugging = False
        self.is_done = False
        """Whether the client has said ``exit``: nothing more is answered."""

    def receive_data(self, data: bytes) -> None:
        """Take in bytes; a NUL ends a line, and bytes beyond ASCII (in names) do not matter."""
        self._splitter.feed(data.translate(_INPUT_TRANSLATION))

    def receive_eof(self) -> None:
        """Take in the end of the client's input."""
        self._splitter.close()

    @property
    def has_partial_line(self) -> bool:
        """Whether an unfinished line has begun; true only once all complete lines are taken out."""
        return self._splitter.has_partial_line

    def next_line(self) -> InputLine | None:
        """Return the next line to answer, or None until more arrives; blank lines are passed over."""
        return None if self.is_done else self._splitter.next_line()

    @property
    def buffered_bytes(self) -> int:
        """Bytes of lines that are not taken out."""
        return self._splitter.buffered_bytes

    def read_question(self, line: InputLine) -> Question:
        """Understand one line; commands take effect. Whatever comes, nothing is raised."""
        try:
            if line.error is not None:
                raise line.error
            work = self._dispatch(line.text.strip())
        except Exception as error:
            work = _make_ready_work([_explain_error(error)])
        return Question(work, _REQUEST, text=line.text, is_logged=self._is_debugging)

    def _dispatch(self, text: str) -> Work:
        if text.startswith("board:"):
            return self._read_decision(text)
        word, _, rest = text.partition(" ")
        rest = rest.strip()
        match word.lower():
            case "evaluation":
                return self._read_evaluation(rest)
            case "version":
                engine, software = f"Engine: {self._decider.name}", f"Software: {self._software}"
                return _make_ready_work(["Interface: 2", "RFBF: 0", engine, software])
            case "help":
                return _make_ready_work([f"\t{_HELP}"])
            case "exit":
                self.is_done = True
                return _make_ready_work([])
            case "set":
                return _make_ready_work([self._set(rest)])
        raise FormatError(f"expected a board: line or a command (see help), got {text[:40]!r}")

    def _set(self, rest: str) -> str:
        words = rest.lower().split()
        if len(words) != 2 or words[0] != "debug" or words[1] not in SWITCH_WORDS:
            raise FormatError(f"expected 'set debug on' or 'set debug off', got {('set ' + rest)[:40]!r}")
        self._is_debugging = words[1] == "on"
        return f"Debug output {words[1].upper()}"

    def _read_evaluation(self, text: str) -> Work:
        board, options = parse_evaluation(text)
        batch = self._batches.get(options)
        if batch is None:
            batch = self._batches[options] = FibsEvaluations(self._decider, self._rules, options)

        def evaluate(watch: SearchWatch) -> Reply:
            if kind is None:
                return batch.evaluate(board, watch)
            (reply,) = batch.answer([board])
            if isinstance(reply, Exception):
                raise reply
            return reply

        kind = None if batch.plies else ("evaluation", options.is_cubeful)
        return self._make_work(evaluate, kind, LINE_SIZE, BatchItem(batch, board))

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
        state, decider, kind = self._rules.apply_to(match), self._decider, None
        if not decider.looks_ahead and (state.roll is None or has_few_plays(position, state.roll)):
            kind = "cube" if state.roll is None else "plays", state.is_money

        def decide(watch: SearchWatch) -> Reply:
            if is_beavered:
                takes = decider.takes_beaver(position, state, watch)
                return Reply(RESPONSE_WORDS[CubeResponse.TAKE if takes else CubeResponse.PASS])
            if state.doubled:
                return Reply(RESPONSE_WORDS[decider.choose_response(position, state, watch)])
            if state.roll is None:
                return Reply("double" if decider.should_double(position, state, watch) else "roll")
            play = decider.choose_play(position, state.roll, state, watch).play
            return Reply("" if play.is_no_move else format_moves_plain(play))

        return self._make_work(decide, kind, DECISION_SIZE)

    def _make_work(
        self,
        make_reply: Callable[[SearchWatch], Reply],
        kind: Hashable,
        size: int,
        batch_item: BatchItem | None = None,
    ) -> Work:
        """Return work that is quick once its kind, among those at 0-ply, was; None is deeper work."""

        def run(control: WorkControl) -> list[Reply]:
            with nullcontext() if kind is None else self._quick_work.time(kind):
                return [make_reply(SearchWatch(lambda: control.is_stopped))]

        is_quick = kind is not None and kind in self._quick_work
        return Work(run, is_quick=is_quick, batch_item=batch_item if is_quick else None, size=size)


def answer_together(questions: Sequence[Question]) -> list[bytes]:
    """Answer questions of any connections: quick evaluations in one call, the others one by one.

    Returns:
        What goes to the clients, for each question: one line, several after ``version``, nothing after
        ``exit``. Whatever happens inside, it is an answer that gnubg can take.
    """
    answers = []
    for question, result in zip(questions, run_batch(questions), strict=True):
        answer = f"{_explain_error(result)}\n".encode() if isinstance(result, Exception) else result
        if question.is_logged:
            _log.info("%r -> %r", question.text, answer.decode().removesuffix("\n"))
        answers.append(answer)
    return answers


def _make_ready_work(lines: Sequence[str]) -> Work:
    replies = [Reply(line) for line in lines]
    return Work(lambda _: replies, is_quick=True, size=LINE_SIZE)


def _explain_error(error: Exception) -> str:
    if isinstance(error, GammondError):
        return format_error_line(error.message)
    FAULT_LOG.log("a line of gnubg's dialect failed", error)
    return format_error_line(f"internal fault ({type(error).__name__})")


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
