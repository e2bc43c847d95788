"""A game of moves at the terminal, against the engine or between people: seats, turns, taking back.

All goes through the commands of the game's own table, as any other client would send them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from gammond.engine.errors import StateError
from gammond.engine.options import Field
from gammond.protocol.commands.session_game import find_game
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.replies import send_command
from gammond.protocol.repl.answers.sentences import ENGINE_NAME, HUMAN_NAME, make_sentence
from gammond.protocol.repl.dialogue.talk import Talk
from gammond.protocol.repl.game.kept_moves import KeptMoves
from gammond.protocol.state.move_table import MoveTable
from gammond.protocol.state.session import Session

PERSON = "human"
"""The value of ``engine.player`` with which people play both sides."""

ENGINE = "engine"
"""That with which the engine plays."""

PLAYER_KEY = "engine.player"

SET_ASIDE = "The game that was on is set aside: 'undo' brings it back."


class MoveGame(Talk):
    """A game of moves on the table of a talk.

    Args:
        session: The table, which the person shares with nobody.
        table: The game on it.

    Attributes:
        sides: The names of sides 0 and 1.
        table: The game on the table, and the person's side in a game against the engine.
    """

    sides: ClassVar[tuple[str, str]]
    table: MoveTable[Any]

    def __init__(self, session: Session, table: MoveTable[Any]) -> None:
        super().__init__(session)
        self.table = table
        self._last_side = 0

    @property
    @abstractmethod
    def turn(self) -> int | None:
        """The side to move; None without a game, and when it is over."""

    @abstractmethod
    def describe_end(self) -> str:
        """Return how the game ended, as a sentence; empty while it lasts."""

    def list_played(self) -> Sequence[str]:
        """List the moves of the game, from the position that was set up."""
        return ()

    def list_setup_lines(self) -> list[str]:
        """List commands that set up settings and game again; none for a game that is not kept."""
        return []

    @property
    def human(self) -> int | None:
        """The person's side in a game against the engine; None without one."""
        return self.table.human

    @property
    def is_running(self) -> bool:
        """Whether a game against the engine, or between two people who began one, goes on."""
        return self.human is not None and self.turn is not None

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
        if self.human is None or self.turn is None:
            return None
        lines = self.list_setup_lines()
        return KeptMoves(self.human, tuple(lines)) if lines else None

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

    def start_game(self, side: str | None, control: WorkControl) -> list[str]:
        """Begin a game against the engine, or between two people; one that is on is set aside.

        Args:
            side: The person's side; that of the last game, or the first, if None.
            control: Stops and watches the engine's turn.
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
            return self.start_game(None, control)
        if self.human is not None:
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
        assert self.human is not None
        if self.has_two_people:
            return [f"You play both sides; {self.describe_turn()}."]
        other = self._name_side(1 - self.human)
        return [f"You play {self.sides[self.human]}, {other} {self.sides[1 - self.human]}."]

    def _name_side(self, side: int) -> str:
        """Return who plays a side, as sentences have it."""
        if self.human is None or self.has_two_people:
            return self.sides[side]
        if side == self.human:
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
        return self.human is not None and self.turn not in (None, self.human) and not self.has_two_people

    def undo(self, control: WorkControl) -> list[str]:
        """Take back the last change, a game set aside too; in a game, all since the person's last move.

        Raises:
            StateError: There is nothing to take back.
        """
        before, human = self.list_played(), self.human
        send_command(self.session, "undo", control)
        while self._is_engines_turn and self.table.can_undo:
            send_command(self.session, "undo", control)
        change = self._describe_change(self.list_played(), before, human)
        return [f"Undone: {change}.", *self.continue_game(control)]

    def redo(self, control: WorkControl) -> list[str]:
        """Do again what `undo` took back last, the engine's answer included.

        Raises:
            StateError: Nothing was taken back, or something was done since.
        """
        before, human = self.list_played(), self.human
        send_command(self.session, "redo", control)
        while self._is_engines_turn and self.table.can_redo:
            send_command(self.session, "redo", control)
        change = self._describe_change(before, self.list_played(), human)
        return [f"Redone: {change}.", *self.continue_game(control)]

    def _describe_change(self, shorter: Sequence[str], longer: Sequence[str], human: int | None) -> str:
        """Say what undo or redo changed: moves of the game, or the game.

        Args:
            shorter: The moves of the game before what was undone or redone.
            longer: Those after it.
            human: The person's side up to now.
        """
        if human != self.human or list(shorter) != list(longer[: len(shorter)]):
            return f"{'you are back in the game, and ' if self.is_running else ''}{self.describe_turn()}"
        moves = longer[len(shorter) :]
        return f"{' '.join(moves)}; {self.describe_turn()}" if moves else self.describe_turn()

    def leave(self) -> list[str]:
        """End the game against the engine; the position stays, and `undo` goes back to the game.

        Raises:
            StateError: None is on.
        """
        if self.human is None:
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
