"""The state of one client: position, match, dice, settings, and the way back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from engine.analyst import Analyst
from engine.choice import Chooser
from engine.dice import DiceSource, Roll, SeededDice
from engine.doubles import Doubles
from engine.errors import StateError, UnsupportedError
from engine.levels import DEFAULT_LEVEL, LEVELS, Depth, Level
from engine.match import MatchState
from engine.moves import Play, legal_plays
from engine.player_chooser import PlayerChooser
from engine.position import Position
from engine.two_moves import TwoMoveChooser, TwoMoveRanker
from protocol.arguments import blaming
from protocol.offers import check_cube, check_no_offer
from protocol.players import AT_THE_TABLE, HUMAN, OWN
from protocol.rollout_memory import RolloutSlot
from protocol.service import Service

CUSTOM_LEVEL = "custom"
"""What the level is called when the settings are those of none."""

NOISE_UNITS = 1000
"""The setting `engine.noise` counts in thousandths of a point."""

DOUBLES_KEY = "game.doubles"
"""The setting that says how many checker moves doubles are."""


@dataclass(frozen=True)
class GameState:
    """A game as a client set it up.

    Attributes:
        position: The checkers, those of the seat on roll first; None until one is sent.
        match: Everything else, the dice among it.
        is_given_up: Whether the game ended by a drop or a resignation; the checkers lie as they did.
        doubles: How many checker moves doubles are.
    """

    position: Position | None = None
    match: MatchState = field(default_factory=MatchState)
    is_given_up: bool = False
    doubles: Doubles = Doubles.FOUR

    @property
    def is_over(self) -> bool:
        """Whether there is a position whose game has ended."""
        return self.position is not None and (self.is_given_up or self.position.is_over)

    @property
    def may_double(self) -> bool:
        """Whether the seat on roll may offer the cube at this moment, and could gain by it."""
        return self.doubles is Doubles.FOUR and self.match.may_double(self.match.on_roll)


@dataclass(frozen=True)
class EngineSettings:
    """How a client wants its answers.

    Attributes:
        net: Name of the evaluator.
        seed: Where the session's dice, and the errors of its level, started.
        ply: Depth in UBGI's count, which is plies + 1.
        filter_name: Move filter.
        noise: How far behind the best a choice of `go` typically is, in thousandths of a point.
        is_cubeful: Whether the cube counts.
        threads: How many threads work on one answer.
        player: Who chooses plays; the evaluator at its level for `protocol.players.OWN`.
    """

    net: str
    seed: int
    ply: int = LEVELS[DEFAULT_LEVEL].plies + 1
    filter_name: str = LEVELS[DEFAULT_LEVEL].filter_name
    noise: int = 0
    is_cubeful: bool = True
    threads: int = 1
    player: str = OWN

    @property
    def plies(self) -> int:
        """Look-ahead; 0 is the net alone."""
        return self.ply - 1

    @property
    def level(self) -> str:
        """The name of the level whose settings these are, or `CUSTOM_LEVEL`."""
        own = (self.ply, self.filter_name, self.noise)
        return next((name for name, level in LEVELS.items() if _settings_of(level) == own), CUSTOM_LEVEL)

    def at_level(self, level: Level) -> EngineSettings:
        """The same settings, with depth, filter and noise of a level."""
        ply, filter_name, noise = _settings_of(level)
        return replace(self, ply=ply, filter_name=filter_name, noise=noise)


def _settings_of(level: Level) -> tuple[int, str, int]:
    """What `engine.ply`, `engine.filter` and `engine.noise` are at a level."""
    return level.plies + 1, level.filter_name, round(level.noise_points * NOISE_UNITS)


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
        self.engine = EngineSettings(service.judges.default, seed, threads=service.threads)
        self.dice: DiceSource = SeededDice(seed)
        self.speaks_ubgi01 = False
        self.requests = 0
        self.errors = 0
        self.last_rollout: RolloutSlot | None = None
        self._past: deque[GameState] = deque(maxlen=service.limits.history)
        self._undone: list[GameState] = []

    def analyst_source(self) -> Callable[[], Analyst]:
        """Return what fetches the analyst chosen at this moment; it may block while it loads.

        Raises:
            UnsupportedError: Doubles are two moves, and analysts judge as if they were four.
        """
        self.need_usual_doubles("this is judged")
        return self._find_analyst()

    def ranker_source(self) -> Callable[[], Analyst | TwoMoveRanker]:
        """Return what fetches who ranks plays, as `analyst_source`."""
        find_analyst = self._find_analyst()
        if self.game.doubles is Doubles.FOUR:
            return find_analyst
        return lambda: TwoMoveRanker(find_analyst())

    def _find_analyst(self) -> Callable[[], Analyst]:
        return partial(self.service.analyst, self.engine.net, self.engine.threads)

    def depth(
        self, plies: int | None = None, filter_name: str | None = None, cubeful: bool | None = None
    ) -> Depth:
        """Return how deep to judge: what a request says, and the settings of this moment for the rest.

        Raises:
            ValueRangeError: The plies are out of range, or no filter has this name.
            UnsupportedError: As `possible_depth`; of the settings, the cube does not matter.
        """
        engine, has_cube = self.engine, self.game.doubles is Doubles.FOUR
        depth = Depth(
            engine.plies if plies is None else plies,
            engine.filter_name if filter_name is None else filter_name,
            engine.is_cubeful and has_cube if cubeful is None else cubeful,
        )
        return self.possible_depth(depth)

    def possible_depth(self, depth: Depth) -> Depth:
        """Return a depth at which plays can be ranked by the rules of the game.

        Raises:
            UnsupportedError: Doubles are two moves, and it looks ahead or lets the cube count.
        """
        if depth.plies:
            self.need_usual_doubles("there is look-ahead")
        if depth.is_cubeful:
            self.need_usual_doubles("the cube counts")
        return depth

    def need_usual_doubles(self, what: str) -> None:
        """Make sure that doubles are four checker moves, as all that looks beyond a play takes them to be.

        Args:
            what: What needs it, as a sentence.

        Raises:
            UnsupportedError: They are two.
        """
        if self.game.doubles is not Doubles.FOUR:
            raise UnsupportedError(
                f"{what} only where doubles are four moves: 'set {DOUBLES_KEY} four' goes back to that",
                field=DOUBLES_KEY,
            )

    def chooser_source(self, depth: Depth | None = None) -> Callable[[], Chooser]:
        """Return what fetches who decides: the session's player, with the cube at the session's level.

        It may block while something loads. Nobody decides for people; for them it is the evaluator.

        Args:
            depth: How deep it looks; that of the settings if None. A player looks as deep as its name says.

        Raises:
            UnsupportedError: As `possible_depth`. Where doubles are two moves, what comes back may raise it
                too, for a player that can only play four.
        """
        engine = self.engine
        depth = self.depth() if depth is None else self.possible_depth(depth)
        find_analyst, errors = self._find_analyst(), (engine.noise / NOISE_UNITS, engine.seed)
        find_player = partial(self.service.players.find, engine.player, engine.threads)
        is_own = engine.player in AT_THE_TABLE

        def found() -> Chooser:
            if is_own:
                return Chooser(find_analyst(), depth, *errors)
            return PlayerChooser(find_player(), find_analyst(), depth, *errors)

        def found_for_two_moves() -> Chooser:
            with blaming(DOUBLES_KEY):
                return TwoMoveChooser(find_analyst(), None if is_own else find_player(), *errors)

        return found if self.game.doubles is Doubles.FOUR else found_for_two_moves

    def need_engine(self) -> None:
        """Make sure that it is not people who decide.

        Raises:
            StateError: ``engine.player`` says so.
        """
        if self.engine.player == HUMAN:
            raise StateError("engine.player is human: people decide, and 'play' tells it", field="what")

    def change(self, game: GameState) -> None:
        """Go on to another state of the game, which `undo` takes back; what was taken back before is gone."""
        self._past.append(self.game)
        self._undone.clear()
        self.game = game

    def undo(self) -> None:
        """Take back the last change of the game.

        Raises:
            StateError: There is none.
        """
        if not self._past:
            raise StateError("nothing to take back", field="request")
        self._undone.append(self.game)
        self.game = self._past.pop()

    @property
    def can_redo(self) -> bool:
        """Whether something was taken back, and nothing changed since."""
        return bool(self._undone)

    def redo(self) -> None:
        """Do again what was taken back last.

        Raises:
            StateError: Nothing was, or the game has changed since.
        """
        if not self._undone:
            raise StateError("nothing was taken back since the last change", field="request")
        self._past.append(self.game)
        self.game = self._undone.pop()

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
        self.go_to(position, match or self.game.match.before_roll())

    def go_to(self, position: Position, match: MatchState, *, is_given_up: bool = False) -> None:
        """Change everything but the rules of the game."""
        self.change(GameState(position, match, is_given_up, self.game.doubles))

    def set_roll(self, roll: Roll) -> None:
        """Put the dice of the player on roll on the board, in place of any that lie there.

        Raises:
            StateError: There is no position, the game is over, or an offer waits for its answer.
        """
        self.need_game()
        check_no_offer(self.game.match)
        self.change(replace(self.game, match=replace(self.game.match, roll=roll)))

    def roll_dice(self) -> None:
        """Roll the session's own dice.

        Raises:
            StateError: There is no position, the game is over, the dice are already out, or an offer waits.
        """
        self.need_game()
        check_no_offer(self.game.match)
        roll = self.game.match.roll
        if roll is not None:
            raise StateError(f"the dice show {roll[0]} {roll[1]}: play them first", field="dice")
        self.set_roll(self.dice.roll())

    def new_game(self) -> None:
        """Set up the starting position: cube in the middle, no dice; score and seat on roll stay."""
        match = replace(self.game.match.before_roll(), cube=1, cube_owner=None)
        self.go_to(Position.start(), match)

    def play(self, play: Play) -> None:
        """Make a play: the other seat is on roll."""
        self.go_to(play.result, self.game.match.next_turn())

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
        if self.game.is_over:
            raise StateError("the game is over: send 'newgame' or 'position' first", field="position")
        return position

    def need_roll(self) -> tuple[Position, Roll]:
        """Return the position and the dice to be played in it.

        Raises:
            StateError: One of them is missing, the game is over, or an offer waits for its answer.
        """
        position = self.need_game()
        roll = self.game.match.roll
        if roll is None:
            check_no_offer(self.game.match)
            raise StateError("no dice: send 'dice A B' or 'roll' first", field="dice")
        return position, roll

    def need_judgeable(self) -> Position:
        """Return a position that has a value: of a game that goes on, or that its checkers have decided.

        Raises:
            StateError: There is no position, or the game was given up.
        """
        return self.need_game() if self.game.is_given_up else self.need_position()

    def match_to_judge(self) -> MatchState:
        """Return the match state in which judges value a position: before the roll and before any offer.

        Raises:
            PositionError: Value and owner of the cube do not fit together.
        """
        check_cube(self.game.match)
        return self.game.match.before_roll()

    def plays(self) -> list[Play]:
        """List the legal plays of the position and dice, at least one.

        Raises:
            StateError: As for `need_roll`.
        """
        return legal_plays(*self.need_roll(), self.game.doubles)
