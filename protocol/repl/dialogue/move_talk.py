"""The talk about a game of moves: two sides move in turn, without dice; moves are typed as they are.

A game that inherits it says how its board is drawn, whose turn it is and which moves there are. What is done
goes through the commands of the game's own table, as any other client would send them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from gammond.engine.errors import GammondError, StateError, UnsupportedError
from gammond.engine.options import MAX_QUOTED_CHARS, Field, did_you_mean
from gammond.protocol.commands.command import Command
from gammond.protocol.commands.move_game import MoveTable
from gammond.protocol.commands.session_game import find_game, make_unknown_error
from gammond.protocol.core.errors import CommandError
from gammond.protocol.core.requests import Reply, WorkControl
from gammond.protocol.games import FIRST_GAME
from gammond.protocol.repl.answers.progress import MoveProgressLine, ProgressLine
from gammond.protocol.repl.answers.replies import send_command
from gammond.protocol.repl.answers.sentences import ENGINE_NAME, HUMAN_NAME, make_sentence
from gammond.protocol.repl.dialogue.command import ReplCommand
from gammond.protocol.repl.dialogue.suggestions import Suggestion, suggest_arguments, suggest_matching
from gammond.protocol.repl.dialogue.talk import COMMON_TOPICS, Talk
from gammond.protocol.repl.dialogue.toolbar import fit_parts
from gammond.protocol.repl.game.saved_game import KeptMoves
from gammond.protocol.state.session import Session

PERSON = "human"
"""The value of ``engine.player`` with which people play both sides."""

ENGINE = "engine"
"""That with which the engine plays."""

PLAYER_KEY = "engine.player"

SET_ASIDE = "The game that was on is set aside: 'undo' brings it back."

POSITION = "position"
"""The command that sets up a game, and begins the line that does it again."""

_CONTINUED = "  "
"""How a line begins that goes on with one before it, as wrapped lines do."""


class MoveTalk(Talk):
    """The talk about a game of moves, against the engine or between people: seats, turns, taking back.

    Args:
        session: The table, which the person shares with nobody.

    Attributes:
        title: The game, as sentences name it.
        make_table: The class of its table.
        sides: The names of sides 0 and 1.
        rules: What a beginner must know, in lines.
        table: The game on the table, and the person's side in a game against the engine.
        written: What was saved to files, by their names.
    """

    title: ClassVar[str]
    make_table: ClassVar[type[MoveTable[Any]]]
    sides: ClassVar[tuple[str, str]]
    rules: ClassVar[Sequence[str]]
    topics: ClassVar[Mapping[str, str]] = {"rules": "the rules", **COMMON_TOPICS}
    progress: ClassVar[type[ProgressLine]] = MoveProgressLine
    table: MoveTable[Any]

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.table = session.get_table(self.make_table)
        self.written: dict[str, bytes] = {}
        self._last_side = 0

    @property
    def turn(self) -> int | None:
        """The side to move; None without a game, and when it is over."""
        return self.table.turn

    @abstractmethod
    def describe_end(self) -> str:
        """Return how the game ended, as a sentence; empty while it lasts."""

    def list_played(self) -> list[str]:
        """List the moves of the game, from the position that was set up."""
        return [] if self.table.game is None else self.table.list_played(self.table.game)

    def list_setup_lines(self) -> list[str]:
        """List commands that set up settings and game again; none for a game that is not kept."""
        return []

    @property
    def is_running(self) -> bool:
        """Whether a game against the engine, or between two people who began one, goes on."""
        return self.table.human is not None and self.turn is not None

    @property
    def player(self) -> str:
        """Who chooses the engine's moves."""
        setting = find_game(self.session).settings.get(PLAYER_KEY)
        return ENGINE if setting is None else setting.get(self.session)

    @property
    def has_two_people(self) -> bool:
        """Whether people play both sides."""
        return self.player == PERSON

    @property
    def table_state(self) -> object:
        """The game on the table."""
        return self.table.game

    def describe_kept(self) -> KeptMoves | None:
        """Return the game against the engine that is on; None without one."""
        if self.table.human is None or self.turn is None:
            return None
        lines = self.list_setup_lines()
        return KeptMoves(self.table.human, tuple(lines)) if lines else None

    def resume(self, kept: KeptMoves) -> list[str]:
        """Go on with the game of an earlier session.

        Raises:
            GammondError: It is none of this game.
        """
        for line in kept.lines:
            send_command(self.session, line, WorkControl())
            self.table.human = kept.human if self.table.game is not None else None
        self._last_side = kept.human
        going_on = f"Going on with the game that you left: {self.describe_turn()}."
        return [f"{going_on} ('new' starts another.)", *self.continue_game(WorkControl())]

    def start_game(self, control: WorkControl, side: str | None = None) -> list[str]:
        """Begin a game against the engine, or between two people; one that is on is set aside.

        Args:
            control: Stops and watches the engine's turn.
            side: The person's side; that of the last game, or the first, if None.
        """
        words = tuple(name.lower() for name in self.sides)
        chosen = self._last_side
        if side is not None:
            chosen = words.index(Field("side", str, choices=words).parse(side.lower()))
        remark = [SET_ASIDE] if self.is_running else []
        send_command(self.session, "newgame", control)
        self.table.human = self._last_side = chosen
        return [*remark, *self._describe_seats(), *self.continue_game(control)]

    def play_on(self, control: WorkControl) -> list[str]:
        """Play against the engine from the position on the table, or from the start without one.

        Raises:
            StateError: A game against it is on.
        """
        if self.turn is None:
            return self.start_game(control)
        if self.table.human is not None:
            raise StateError(
                "a game is in progress: play it, 'leave' it, or start another with 'new'", field="play"
            )
        self.table.human = self._last_side = self.turn
        return [*self._describe_seats(), *self.continue_game(control)]

    def play_against(self, player: str, control: WorkControl) -> list[str]:
        """Set who plays against the person, and begin a game or go on with the present one.

        Args:
            player: What ``engine.player`` takes.
            control: Stops and watches the other player's turn.

        Raises:
            GammondError: There is no such player.
        """
        send_command(self.session, f"set {PLAYER_KEY} {player}", control)
        if not self.is_running:
            return self.play_on(control)
        return [*self._describe_seats(), *self.continue_game(control)]

    def _describe_seats(self) -> list[str]:
        assert self.table.human is not None
        if self.has_two_people:
            return [f"You play both sides; {self.describe_turn()}."]
        other = self._name_side(1 - self.table.human)
        return [f"You play {self.sides[self.table.human]}, {other} {self.sides[1 - self.table.human]}."]

    def _name_side(self, side: int) -> str:
        """Return who plays a side, as sentences have it."""
        if self.table.human is None or self.has_two_people:
            return self.sides[side]
        if side == self.table.human:
            return HUMAN_NAME
        return ENGINE_NAME if self.player == ENGINE else self.player

    def say_of(self, side: int, verb: str, rest: str = "") -> str:
        """Return a sentence about who plays a side: ``You win.``, ``gammond wins.``."""
        return make_sentence(self._name_side(side), verb, rest)

    def make_move(self, text: str, control: WorkControl) -> list[str]:
        """Make a move for the side to move; in a game the engine answers it.

        Raises:
            GammondError: It is no legal move; the table is as it was.
        """
        lines = self.continue_game(control)
        return [*lines, *self._move(text, control), *self.continue_game(control)]

    def play_best(self, control: WorkControl) -> list[str]:
        """Make the best move, for the side to move."""
        return self.make_move(self.find_best_move(control), control)

    def find_best_move(self, control: WorkControl) -> str:
        """Return the best move: the one that the engine would choose, unless the game knows better.

        Raises:
            GammondError: There is none to choose.
        """
        return self._choose_move(control)

    def _choose_move(self, control: WorkControl) -> str:
        return send_command(self.session, "go", control)[-1].text

    def _move(self, text: str, control: WorkControl) -> list[str]:
        side = self.turn
        done = send_command(self.session, f"play {text}", control)[-1].values
        assert side is not None  # else the command would have failed
        end = self.describe_end()
        return [self.say_of(side, "play", str(done["play"])), *([end] if end else [])]

    def continue_game(self, control: WorkControl) -> list[str]:
        """Let the engine move where it is its turn."""
        lines: list[str] = []
        while self._is_engines_turn:
            lines += self._move(self._choose_move(control), control)
        return lines

    @property
    def _is_engines_turn(self) -> bool:
        return (
            self.table.human is not None
            and self.turn not in (None, self.table.human)
            and not self.has_two_people
        )

    def undo(self, control: WorkControl) -> list[str]:
        """Take back the last change, a game set aside too; in a game, all since the person's last move.

        Raises:
            StateError: There is nothing to take back.
        """
        before, human = self.list_played(), self.table.human
        self.table.undo()
        while self._is_engines_turn and self.table.can_undo:
            self.table.undo()
        change = self._describe_change(self.list_played(), before, human)
        return [f"Undone: {change}.", *self.continue_game(control)]

    def redo(self, control: WorkControl) -> list[str]:
        """Do again what `undo` took back last, the engine's answer included.

        Raises:
            StateError: Nothing was taken back, or something was done since.
        """
        before, human = self.list_played(), self.table.human
        self.table.redo()
        while self._is_engines_turn and self.table.can_redo:
            self.table.redo()
        change = self._describe_change(before, self.list_played(), human)
        return [f"Redone: {change}.", *self.continue_game(control)]

    def _describe_change(self, shorter: Sequence[str], longer: Sequence[str], human: int | None) -> str:
        """Say what undo or redo changed: moves of the game, or the game.

        Args:
            shorter: The moves of the game before what was undone or redone.
            longer: Those after it.
            human: The person's side up to now.
        """
        if human != self.table.human or list(shorter) != list(longer[: len(shorter)]):
            return f"{'you are back in the game, and ' if self.is_running else ''}{self.describe_turn()}"
        moves = longer[len(shorter) :]
        return f"{' '.join(moves)}; {self.describe_turn()}" if moves else self.describe_turn()

    def leave(self) -> list[str]:
        """End the game against the engine; the position stays, and `undo` goes back to the game.

        Raises:
            StateError: None is on.
        """
        if self.table.human is None:
            raise StateError("no game against the engine: 'play' starts one", field="leave")
        self.table.push(self.table.game)
        self.table.human = None
        return ["You have left the game: the position stays, 'undo' goes back to the game."]

    def describe_turn(self) -> str:
        """Say whose turn it is, as part of a sentence."""
        if self.table.game is None:
            return "no game is on the table"
        if self.turn is None:
            return "the game is over"
        return f"{self.sides[self.turn]} is to move"

    def list_moves(self) -> list[str]:
        """List the legal moves as they are typed; none without a game, and when it is over."""
        return [] if self.table.game is None else self.table.list_moves(self.table.game)

    @abstractmethod
    def format_hint(self, replies: Sequence[Reply]) -> list[str]:
        """Format the answer to ``moves`` for a person."""

    @property
    def first_side(self) -> int:
        """The side that had the first move of the game."""
        game = self.table.require_game()
        return self.table.find_turn(self.table.find_start(game)) or 0

    def is_position(self, text: str) -> bool:
        """Return whether a line is written as a position, with or without moves after it."""
        return False

    def write_position(self) -> str:
        """Return the position on the table as text.

        Raises:
            StateError: There is none.
        """
        return str(self.table.describe_game(self.table.require_game())["position"])

    def write_record(self) -> str:
        """Return the game on the table as ``position`` takes it: where it began, and its moves.

        Raises:
            StateError: There is none.
        """
        return self.table.write_record(self.table.require_game())

    def draw_start(self) -> list[str]:
        """Draw the board as a game begins; nothing if that is not worth a look."""
        return []

    def describe_strength(self) -> str:
        """Say in a sentence how strongly the engine plays, and how to change that; empty for nothing."""
        return ""

    def take_up(self) -> list[str]:
        """Return how to begin, and the board."""
        second = self.sides[1]
        return [
            f"{self.title}: 'new' starts a game against the engine, 'new {second.lower()}' one as {second}.",
            *([strength] if (strength := self.describe_strength()) else []),
            f"'help' has the rules and the commands, {FIRST_GAME!r} goes back to {FIRST_GAME}.",
            *(self.draw_start() if self.table.game is None else self.show_board()),
        ]

    def split(self, text: str) -> list[str]:
        """Split what was entered, or pasted, into lines; a position that was wrapped is one."""
        lines: list[str] = []
        for line in text.splitlines():
            if lines and line.startswith(_CONTINUED) and self._begins_position(lines[-1]):
                lines[-1] += f" {line.strip()}"
            elif line.strip():
                lines.append(line)
        return lines or [""]

    def _begins_position(self, line: str) -> bool:
        return line.split(maxsplit=1)[0] == POSITION or self.is_position(line)

    def set_up(self, text: str, control: WorkControl) -> list[str] | None:
        """Set up a position that is typed as it is, or write that on the table; None for other lines."""
        if text == POSITION:
            return [self.write_position()]
        return self.run_command(f"{POSITION} {text}", control) if self.is_position(text) else None

    def run_command(self, text: str, control: WorkControl) -> list[str]:
        """Carry out a command of the line protocol; one that sets up another game sets that at hand aside."""
        before, was_running = self.table_state, self.is_running
        _, lines = self.run_wire(text, control)
        if self.table_state is before:
            return lines
        self.table.human = None
        return [*lines, *([f"{SET_ASIDE} 'play' goes on from here."] if was_running else [])]

    def is_legal(self, text: str) -> bool:
        """Return whether a line is a legal move."""
        return text.strip().lower() in self.list_moves()

    def begins_word(self, text: str, *, may_wait: bool) -> bool:
        """Return whether a line begins like a command or a legal move, or is a position."""
        moves = self.list_moves() if may_wait else []
        name = text.split(" ", 1)[0].lower()
        is_word = super().begins_word(name, may_wait=may_wait)
        return is_word or any(each.startswith(name) for each in moves) or self.is_position(text)

    def explain_unknown(self, text: str) -> GammondError:
        """Return the error for a line that is neither command nor move."""
        name = text.split()[0]
        error = make_unknown_error(name, self.session)
        if isinstance(error, UnsupportedError):  # a command of another game
            return error
        moves = self.list_moves()
        example = f" such as {moves[0]}" if moves else ""
        hint = did_you_mean(name, self.list_commands()) or ": 'help' lists the commands"
        return CommandError(
            f"expected a command or a move{example}, got {name[:MAX_QUOTED_CHARS]!r}{hint}", field="command"
        )

    def explain_topic(self, name: str) -> list[str]:
        """Return the rules, where they are asked for."""
        return list(self.rules) if name == "rules" else []

    def show_overview(self, commands: Sequence[str]) -> list[str]:
        """Return the rules and the commands in groups: less than a screen."""
        return [*self.rules, "A move is typed as it is, a position is pasted as it is.", *commands]

    def show_hint(self, control: WorkControl, arguments: str) -> list[str]:
        """Rank the moves, best first.

        Args:
            control: Stops and watches the search.
            arguments: Those of the command ``moves``.
        """
        return self.format_hint(send_command(self.session, f"moves {arguments}", control))

    def list_status(self) -> list[str]:
        """List what the line below the prompt says, the most important first."""
        if self.table.game is None:
            return [f"{self.title}: 'new' starts a game"]
        turn = self.describe_turn().replace(" is to move", " to move").replace("the game is", "game")
        if self.table.human is None:
            return [turn]
        return [turn, f"you play {'both sides' if self.has_two_people else self.sides[self.table.human]}"]

    def toolbar(self, width: int) -> str:
        """Write the line below the prompt: as much as there is room for."""
        parts = self.list_status()
        return fit_parts(parts, [(place, "") for place in range(len(parts) - 1, 0, -1)], width)

    def suggest_moves(self, typed: str) -> Iterable[Suggestion]:
        """Suggest legal moves that begin with what was typed."""
        return suggest_matching(typed, ((move, "") for move in self.list_moves()))

    def suggest_rest(self, command: ReplCommand | Command, typed: str) -> Iterable[Suggestion]:
        """Suggest values of the argument of a command that the cursor is in."""
        words: dict[str, Callable[[], Iterable[tuple[str, str]]]] = {
            "MOVE": lambda: ((move, "") for move in self.list_moves()),
            "SIDE": lambda: ((side.lower(), "") for side in self.sides),
            "COMMAND": lambda: {**self.list_commands(), **self.topics}.items(),
        }
        return suggest_arguments(command.name, command.arguments, typed, self.session, words, {})
