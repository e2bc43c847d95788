"""The state of one client: position, match, dice, settings, and the way back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from engine.dice import DiceSource, Roll, SeededDice
from engine.errors import StateError
from engine.evaluator import Evaluator
from engine.match import MatchState
from engine.moves import Play, legal_plays
from engine.position import Position
from protocol.service import Service

MAX_SEED = 2**63 - 1


@dataclass(frozen=True)
class GameState:
    """A game as a client set it up.

    Attributes:
        position: The checkers, those of the seat on roll first; None until one is sent.
        match: Everything else, the dice among it.
    """

    position: Position | None = None
    match: MatchState = field(default_factory=MatchState)


@dataclass(frozen=True)
class EngineSettings:
    """How a client wants its answers.

    Attributes:
        net: Name of the evaluator.
        ply: Depth in UBGI's count, which is plies + 1.
        seed: Where the session's dice started.
    """

    net: str
    seed: int
    ply: int = 1


class Session:
    """The state of one client. Not for several threads: requests change it in the order in which they arrive.

    Args:
        service: What it shares with other clients.
        seed: Where its dice start.
    """

    def __init__(self, service: Service, seed: int) -> None:
        self.service = service
        self.initial_seed = seed
        self.game = GameState()
        self.engine = EngineSettings(service.judges.default, seed)
        self.dice: DiceSource = SeededDice(seed)
        self.speaks_ubgi01 = False
        self.requests = 0
        self.errors = 0
        self._past: deque[GameState] = deque(maxlen=service.limits.history)

    def judge_source(self) -> Callable[[], Evaluator]:
        """Return what fetches the evaluator chosen at this moment; it may block while it loads."""
        return partial(self.service.judge, self.engine.net)

    def change(self, game: GameState) -> None:
        """Go on to another state of the game, which `undo` takes back."""
        self._past.append(self.game)
        self.game = game

    def undo(self) -> None:
        """Take back the last change of the game.

        Raises:
            StateError: There is none.
        """
        if not self._past:
            raise StateError("nothing to take back", field="request")
        self.game = self._past.pop()

    def seed(self, seed: int) -> None:
        """Start the session's dice again.

        Raises:
            ValueRangeError: The seed is negative.
        """
        self.dice = SeededDice(seed)
        self.engine = replace(self.engine, seed=seed)

    def set_position(self, position: Position, match: MatchState | None = None) -> None:
        """Set up the checkers, with the match state that came with them if one did.

        Without one, score, cube and seat on roll stay, and dice and offers go.
        """
        kept = replace(self.game.match, roll=None, doubled=False, resigned=0)
        self.change(GameState(position, match or kept))

    def set_roll(self, roll: Roll) -> None:
        """Put the dice of the player on roll on the board, in place of any that lie there.

        Raises:
            StateError: The game is over, or a double or resignation waits for its answer.
        """
        if self.game.position is not None:
            self.need_game()
        self._check_no_offer()
        self.change(replace(self.game, match=replace(self.game.match, roll=roll)))

    def roll_dice(self) -> None:
        """Roll the session's own dice.

        Raises:
            StateError: There is no position, the game is over, the dice are already out, or an offer waits.
        """
        self.need_game()
        self._check_no_offer()
        roll = self.game.match.roll
        if roll is not None:
            raise StateError(f"the dice show {roll[0]} {roll[1]}: play them first", field="dice")
        self.set_roll(self.dice.roll())

    def new_game(self) -> None:
        """Set up the starting position: cube in the middle, no dice; score and seat on roll stay."""
        match = replace(self.game.match, cube=1, cube_owner=None, roll=None, doubled=False, resigned=0)
        self.change(GameState(Position.start(), match))

    def play(self, play: Play) -> None:
        """Make a play: the other seat is on roll."""
        self.change(GameState(play.result, self.game.match.next_turn()))

    def need_position(self) -> Position:
        """Return the position.

        Raises:
            StateError: None has been set.
        """
        if self.game.position is None:
            raise StateError("no position: send 'position gnubgid ID' or 'newgame' first", field="position")
        return self.game.position

    def need_game(self) -> Position:
        """Return the position of a game that goes on.

        Raises:
            StateError: There is no position, or the game is over.
        """
        position = self.need_position()
        if position.is_over:
            raise StateError("the game is over: send 'newgame' or 'position' first", field="position")
        return position

    def need_roll(self) -> tuple[Position, Roll]:
        """Return the position and the dice to be played in it.

        Raises:
            StateError: One of them is missing, or the game is over.
        """
        position = self.need_game()
        roll = self.game.match.roll
        if roll is None:
            raise StateError("no dice: send 'dice A B' or 'roll' first", field="dice")
        return position, roll

    def plays(self) -> list[Play]:
        """List the legal plays of the position and dice, at least one.

        Raises:
            StateError: As for `need_roll`.
        """
        return legal_plays(*self.need_roll())

    def _check_no_offer(self) -> None:
        if self.game.match.doubled or self.game.match.resigned:
            raise StateError("an offer waits for its answer, the dice come after it", field="dice")
