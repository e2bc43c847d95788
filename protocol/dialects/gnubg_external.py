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
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from engine.analysis.levels import EvalSettings
from engine.cubeful import CubeResponse
from engine.errors import CancelledWork, FormatError, GammondError, PositionError
from engine.formats.fibs_board import FibsBoard, FibsDialect, decode_fibs_board
from engine.options import Bounds, Field, parse_fields
from engine.play.decider import Decider
from engine.rules.match import MatchState
from engine.rules.notation import format_moves_plain
from engine.search import MAX_PLIES, SearchWatch
from engine.search.results import PositionEvaluation
from protocol.core.framing import InputLine, LineSplitter
from protocol.state.offers import RESPONSE_WORDS

MAX_LINE_BYTES = 2048
"""The longest line taken in; gnubg's own have about 200 bytes."""

MAX_REPLY_BYTES = 255
"""What gnubg reads of a reply, its line end included."""

_HELP = (
    "board:LINE; evaluation fibsboard board:LINE [plies N] [cube on|off|cubeful|cubeless] "
    "[crawfordrule|jacobyrule|beavers on|off]; set debug on|off; version; help; exit"
)
_INPUT_TRANSLATION = bytes.maketrans(bytes([0, *range(128, 256)]), b"\n" + b"?" * 128)
_BOARD_PATTERN = re.compile(r"(board:[^:]*:[^:]*(?::[^:\s]+){50})(?:\s+(.*))?", re.DOTALL)
_SWITCH_WORDS = ("on", "off")
_CUBE_WORDS = ("cubeful", "cubeless")
_CUBE_ON_WORDS = ("on", "cubeful")
_EVALUATION_FIELDS = (
    Field("plies", int, Bounds(0, MAX_PLIES)),
    Field("cube", str, choices=_SWITCH_WORDS + _CUBE_WORDS),
    *(Field(name, str, choices=_SWITCH_WORDS) for name in ("crawfordrule", "jacobyrule", "beavers")),
)
"""The options of ``evaluation``; no value depends on ``beavers``."""

_TURN_FIELD, _MAY_DOUBLE_FIELD, _DOUBLED_FIELD = 32, 38, 40

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class GnubgRules:
    """What gnubg's lines do not say about a money game.

    Attributes:
        jacoby: Whether gammons count only once the cube is turned; gnubg's default.
        beavers: Whether a double may be beavered. gnubg stops a game whose settings forbid the beaver it is
            sent, so the safe answer is no.
    """

    jacoby: bool = True
    beavers: bool = False


class GnubgExternal:
    """One connection of a gnubg that plays, or of a script.

    Args:
        decider: Plays and handles the cube; its engine answers ``evaluation``, at its depth by default.
        rules: What the lines do not say.
        software: What ``version`` calls this program.
        is_cancelled: Asked while an answer is worked out; once it says yes, what is known by then is the
            answer.
    """

    def __init__(
        self,
        decider: Decider,
        rules: GnubgRules | None = None,
        software: str = "gammond",
        is_cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self._decider = decider
        self._rules = rules or GnubgRules()
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

    def answer(self, line: InputLine) -> bytes:
        """Answer one line; may take as long as the search does.

        Returns:
            What goes to the client: one line, several after ``version``, nothing after ``exit``. Whatever
            happens inside, it is an answer that gnubg can take.
        """
        try:
            if line.error is not None:
                raise line.error
            reply = self._dispatch(line.text.strip())
        except GammondError as error:
            reply = format_error_line(error.message)
        except Exception as fault:
            _log.exception("a fault while answering %r", line.text[:300])
            reply = format_error_line(f"internal fault ({type(fault).__name__})")
        if self._is_debugging:
            _log.info("%r -> %r", line.text, reply)
        return b"" if self.is_done else f"{reply}\n".encode()

    def _dispatch(self, text: str) -> str:
        if text.startswith("board:"):
            return self._answer_board(text)
        word, _, rest = text.partition(" ")
        command = self._list_commands().get(word.lower())
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
            "evaluation": self._answer_evaluation,
        }

    def _exit(self, _: str) -> str:
        self.is_done = True
        return ""

    def _set(self, rest: str) -> str:
        words = rest.lower().split()
        if len(words) != 2 or words[0] != "debug" or words[1] not in _SWITCH_WORDS:
            raise FormatError(f"expected 'set debug on' or 'set debug off', got {('set ' + rest)[:40]!r}")
        self._is_debugging = words[1] == "on"
        return f"Debug output {words[1].upper()}"

    def _answer_board(self, text: str) -> str:
        is_beavered = _asks_about_beaver(text)
        board = decode_fibs_board(_clear_double(text) if is_beavered else text, FibsDialect.GNUBG)
        position, match = board.position, self._apply_rules(board)
        if position.is_over:
            raise PositionError("the game is over: there is nothing to decide", field="position")
        decider, watch = self._decider, SearchWatch(self._is_cancelled)
        if is_beavered:
            takes = decider.takes_beaver(position, match, watch)
            return RESPONSE_WORDS[CubeResponse.TAKE if takes else CubeResponse.PASS]
        if match.doubled:
            return RESPONSE_WORDS[decider.choose_response(position, match, watch)]
        if match.roll is not None:
            play = decider.choose_play(position, match.roll, match, watch).play
            return "" if play.is_no_move else format_moves_plain(play)
        return "double" if decider.should_double(position, match, watch) else "roll"

    def _answer_evaluation(self, rest: str) -> str:
        kind, _, rest = rest.partition(" ")
        found = _BOARD_PATTERN.fullmatch(rest.strip())
        if kind.lower() != "fibsboard" or not found:
            raise FormatError("expected 'evaluation fibsboard board:…' with its 52 fields, then the options")
        options = _parse_options(found[2] or "")
        settings = self._decider.settings
        plies = options.get("plies", settings.plies)
        settings = EvalSettings(plies, settings.filter_name, options.get("cube") in _CUBE_ON_WORDS)
        board = decode_fibs_board(found[1], FibsDialect.GNUBG)
        match = self._apply_rules(board)
        if match.is_money:
            jacoby = options.get("jacobyrule")
            match = match if jacoby is None else replace(match, jacoby=jacoby == "on")
        elif options.get("crawfordrule") == "off":
            match = replace(match, crawford=False)
        watch = SearchWatch(self._is_cancelled)
        evaluation = self._decider.engine.evaluate(board.position, match, settings, watch)
        if not evaluation.effort.is_finished:
            raise CancelledWork(f"stopped before {plies} plies were finished")
        return " ".join(
            f"{number:.6f}" for number in (*evaluation.outcome, _get_value_without_double(evaluation))
        )

    def _apply_rules(self, board: FibsBoard) -> MatchState:
        rules = self._rules
        if not board.match.is_money:
            return board.match
        return replace(board.match, jacoby=rules.jacoby, beavers=rules.beavers)


def _get_value_without_double(evaluation: PositionEvaluation) -> float:
    """Return the value of not doubling on this roll: match-winning chance in a match, else equity."""
    if evaluation.decision is None:
        return evaluation.mwc_or_equity
    value = evaluation.decision.no_double
    return value.equity_points if value.mwc is None else value.mwc


def format_error_line(message: str) -> str:
    """Write an error as gnubg takes it: one printable ASCII line, short enough for its buffer.

    Args:
        message: Any text.
    """
    printable = "".join(c if " " <= c <= "~" else "?" for c in message) or "no answer"
    return f"Error: {printable}"[: MAX_REPLY_BYTES - 1]


def _parse_options(text: str) -> dict[str, Any]:
    """Parse the options of ``evaluation``; of one given twice, the last counts."""
    values: dict[str, str] = {}
    words = iter(text.lower().split())
    for word in words:
        if word in _CUBE_WORDS:
            values["cube"] = word
        else:
            values[word] = next(words, "")
    return parse_fields(values.items(), _EVALUATION_FIELDS, "evaluation", error_field="option")


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
