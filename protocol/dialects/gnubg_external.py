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
from dataclasses import dataclass

from engine.cubeful import CubeResponse
from engine.errors import FormatError, GammondError, PositionError
from engine.formats.fibs_board import FibsDialect, decode_fibs_board, decode_fibs_boards
from engine.play.decider import Decider
from engine.rules.match import MatchState
from engine.rules.notation import format_moves_plain
from engine.rules.position import Position
from engine.search import SearchWatch
from protocol.commands.evaluation import DECISION_SIZE, has_few_plays
from protocol.core.fault_log import FAULT_LOG
from protocol.core.framing import InputLine, LineSplitter
from protocol.dialects.gnubg_evaluation import (
    SWITCH_WORDS,
    EvaluationQuery,
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

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Decision:
    """A board line that asks for a decision.

    Attributes:
        position: The checkers, those of the seat on roll first.
        match: The match state.
        is_beavered: Whether the double of the seat on roll came back as a beaver.
    """

    position: Position
    match: MatchState
    is_beavered: bool


@dataclass(frozen=True, eq=False)
class Question:
    """One line of a client, as far as it is understood when its turn comes.

    Attributes:
        line: The line.
        asker: The connection it came from.
        content: What takes time to answer, or else the answer; empty for ``exit``.
        kind: The kind of work at 0-ply that it is, as for `QuickWork`; None for deeper work.
        is_logged: Whether the answer is logged.
    """

    line: InputLine
    asker: GnubgExternal
    content: EvaluationQuery | Decision | str
    kind: Hashable
    is_logged: bool

    @property
    def is_quick(self) -> bool:
        """Whether the answer takes microseconds."""
        return isinstance(self.content, str) or (self.kind is not None and self.kind in self.asker.quick_work)

    @property
    def size(self) -> int:
        """The time that it takes if it is quick, as `Work.size`."""
        return DECISION_SIZE if isinstance(self.content, Decision) else LINE_SIZE


class GnubgExternal:
    """One connection of a gnubg that plays, or of a script.

    Args:
        decider: Plays and handles the cube; its engine answers ``evaluation``, at its depth by default.
        rules: What the lines do not say.
        software: What ``version`` calls this program.
        is_cancelled: Asked while an answer is worked out; once it says yes, what is known by then is the
            answer.
        quick_work: Which kinds of work are known to be quick, for all connections with this decider.
    """

    def __init__(
        self,
        decider: Decider,
        rules: GnubgRules | None = None,
        software: str = "gammond",
        is_cancelled: Callable[[], bool] | None = None,
        quick_work: QuickWork | None = None,
    ) -> None:
        self.evaluations = FibsEvaluations(decider, rules or GnubgRules())
        self.quick_work = quick_work or QuickWork()
        self._decider = decider
        self._software = software
        self._is_cancelled = is_cancelled
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
        content: EvaluationQuery | Decision | str
        try:
            if line.error is not None:
                raise line.error
            content = self._dispatch(line.text.strip())
        except GammondError as error:
            content = format_error_line(error.message)
        except Exception as fault:
            content = _answer_fault(fault)
        return Question(line, self, content, self._find_kind(content), self._is_debugging)

    def answer(self, question: Question) -> bytes:
        """Answer one question; may take as long as the search does.

        Returns:
            What goes to the client: one line, several after ``version``, nothing after ``exit``. Whatever
            happens inside, it is an answer that gnubg can take.
        """
        reply = question.content
        try:
            with nullcontext() if question.kind is None else self.quick_work.time(question.kind):
                if isinstance(reply, EvaluationQuery):
                    reply = self._evaluate(reply, is_deep=question.kind is None)
                elif isinstance(reply, Decision):
                    reply = self._decide(reply)
        except GammondError as error:
            reply = format_error_line(error.message)
        except Exception as fault:
            reply = _answer_fault(fault)
        return finish_answer(question, reply)

    def _find_kind(self, content: EvaluationQuery | Decision | str) -> Hashable:
        """Return the kind of 0-ply work, among those that need different code."""
        if isinstance(content, EvaluationQuery):
            is_quick = self.evaluations.find_plies(content) == 0
            return ("evaluation", content.options.is_cubeful) if is_quick else None
        if isinstance(content, str) or self._decider.looks_ahead:
            return None
        position, match = content.position, content.match
        if match.roll is None:
            return "cube", match.is_money
        return ("plays", match.is_money) if has_few_plays(position, match.roll) else None

    def _evaluate(self, query: EvaluationQuery, *, is_deep: bool) -> str:
        answer = None if is_deep else self.evaluations.answer_many([query])[0]
        return answer or self.evaluations.answer(query, SearchWatch(self._is_cancelled))

    def _dispatch(self, text: str) -> EvaluationQuery | Decision | str:
        if text.startswith("board:"):
            return self._read_decision(text)
        word, _, rest = text.partition(" ")
        word = word.lower()
        if word == "evaluation":
            return parse_evaluation(rest.strip())
        command = self._list_commands().get(word)
        if command is None:
            raise FormatError(f"expected a board: line or a command (see help), got {text[:40]!r}")
        return command(rest.strip())

    def _list_commands(self) -> dict[str, Callable[[str], str]]:
        return {
            "version": lambda _: (
                f"Interface: 2\nRFBF: 0\nEngine: {self._decider.name}\nSoftware: {self._software}"
            ),
            "help": lambda _: f"\t{_HELP}",
            "exit": self._exit,
            "set": self._set,
        }

    def _exit(self, _: str) -> str:
        self.is_done = True
        return ""

    def _set(self, rest: str) -> str:
        words = rest.lower().split()
        if len(words) != 2 or words[0] != "debug" or words[1] not in SWITCH_WORDS:
            raise FormatError(f"expected 'set debug on' or 'set debug off', got {('set ' + rest)[:40]!r}")
        self._is_debugging = words[1] == "on"
        return f"Debug output {words[1].upper()}"

    def _read_decision(self, text: str) -> Decision:
        is_beavered = _asks_about_beaver(text)
        line = _clear_double(text) if is_beavered else text
        (board,), (match,) = decode_fibs_boards([line], FibsDialect.GNUBG)
        if match is None:
            decoded = decode_fibs_board(line, FibsDialect.GNUBG)
            position, match = decoded.position, decoded.match
        else:
            position = Position.from_valid_board(board)
        if position.is_over:
            raise PositionError("the game is over: there is nothing to decide", field="position")
        return Decision(position, self.evaluations.rules.apply_to(match), is_beavered)

    def _decide(self, decision: Decision) -> str:
        decider, watch = self._decider, SearchWatch(self._is_cancelled)
        position, match = decision.position, decision.match
        if decision.is_beavered:
            takes = decider.takes_beaver(position, match, watch)
            return RESPONSE_WORDS[CubeResponse.TAKE if takes else CubeResponse.PASS]
        if match.doubled:
            return RESPONSE_WORDS[decider.choose_response(position, match, watch)]
        if match.roll is not None:
            play = decider.choose_play(position, match.roll, match, watch).play
            return "" if play.is_no_move else format_moves_plain(play)
        return "double" if decider.should_double(position, match, watch) else "roll"


def answer_together(questions: Sequence[Question]) -> list[bytes]:
    """Answer questions of any connections: evaluations at 0-ply in one call, the others one by one.

    Returns:
        The answers, each as by `GnubgExternal.answer`.
    """
    replies: list[str | None] = [None] * len(questions)
    batches: dict[FibsEvaluations, list[tuple[int, EvaluationQuery]]] = {}
    for place, question in enumerate(questions):
        if isinstance(question.content, str):
            replies[place] = question.content
        elif isinstance(question.content, EvaluationQuery) and question.kind is not None:
            batches.setdefault(question.asker.evaluations, []).append((place, question.content))
    for evaluations, items in batches.items():
        try:
            answers = evaluations.answer_many([query for _, query in items])
        except Exception:  # one of them is at fault: each gets an answer of its own
            continue
        for (place, _), answer in zip(items, answers, strict=True):
            replies[place] = answer
    return [
        question.asker.answer(question) if reply is None else finish_answer(question, reply)
        for question, reply in zip(questions, replies, strict=True)
    ]


def finish_answer(question: Question, reply: str) -> bytes:
    """Log an answer if its client wants that, and return its bytes."""
    if question.is_logged:
        _log.info("%r -> %r", question.line.text, reply)
    return f"{reply}\n".encode() if reply or question.content else b""


def _answer_fault(fault: Exception) -> str:
    FAULT_LOG.log("a line of gnubg's dialect failed", fault)
    return format_error_line(f"internal fault ({type(fault).__name__})")


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
