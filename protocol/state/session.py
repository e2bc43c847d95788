"""The state of one client: position, match, dice, settings, and the steps to undo."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple

from engine.analysis.engine import Engine
from engine.analysis.levels import DEFAULT_LEVEL, LEVELS, EvalSettings, Level
from engine.errors import StateError, UnsupportedError, ValueRangeError
from engine.play.decider import Decider
from engine.rules.dice import DiceSource, Roll, RollSequence, SeededDice, format_roll
from engine.rules.match import GameResult, MatchState
from engine.rules.moves import Play, legal_plays
from engine.rules.position import Position
from engine.rules.rules import Feature
from protocol.state.game_log import GameLog, LoggedAction
from protocol.state.game_state import SEAT_NAMES, GameState, SeatNames
from protocol.state.offers import check_cube_owner, check_no_offer
from protocol.state.player_registry import ENGINE_PLAYER, HUMAN_PLAYER, SESSION_PLAYERS
from protocol.state.rollout_store import RolloutSlot
from protocol.state.service import Service

CUSTOM_LEVEL = "custom"
"""What the level is called when the settings are those of none."""

JSON_FORMAT = "json"
FORMATS = ("text", JSON_FORMAT)
"""How answers are written: lines of words, or each line as an object."""

NOISE_UNITS = 1000
"""The setting `engine.noise` counts in thousandths of a point."""

_make_eval_settings = lru_cache(maxsize=256)(EvalSettings)


@contextmanager
def rules_error_field() -> Iterator[None]:
    """Give errors about a field of the rules the name of its setting, ``game.doubles`` for ``doubles``."""
    try:
        yield
    except UnsupportedError as error:
        raise error.with_field(f"game.{error.field}") from error


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
        player: Who chooses plays; the evaluator at its level for `protocol.state.player_registry.OWN`.
        has_xgids: Whether lines with a position ID have an XGID too.
        format: One of `FORMATS`.
    """

    net: str
    seed: int
    ply: int = LEVELS[DEFAULT_LEVEL].plies + 1
    filter_name: str = LEVELS[DEFAULT_LEVEL].filter_name
    noise: int = 0
    is_cubeful: bool = True
    threads: int = 1
    player: str = ENGINE_PLAYER
    has_xgids: bool = False
    format: str = FORMATS[0]

    @property
    def plies(self) -> int:
        """Look-ahead; 0 is the net alone."""
        return self.ply - 1

    @property
    def level(self) -> str:
        """The name of the level whose settings these are, or `CUSTOM_LEVEL`."""
        own = (self.ply, self.filter_name, self.noise)
        return next(
            (name for name, level in LEVELS.items() if _list_level_values(level) == own), CUSTOM_LEVEL
        )

    def with_level(self, level: Level) -> EngineSettings:
        """The same settings, with depth, filter and noise of a level."""
        ply, filter_name, noise = _list_level_values(level)
        return replace(self, ply=ply, filter_name=filter_name, noise=noise)


def _list_level_values(level: Level) -> tuple[int, str, int]:
    """What `engine.ply`, `engine.filter` and `engine.noise` are at a level."""
    return level.plies + 1, level.filter_name, round(level.noise_points * NOISE_UNITS)


class _Step(NamedTuple):
    """What `Session.undo` goes back to: the game, its log, and the place of the dice when it came about."""

    game: GameState
    log: GameLog
    rolls: RollSequence


class Session:
    """The state of one client. Not for several threads: requests change it in the order in which they arrive.

    Args:
        service: What it shares with other clients.
        seed: Where its dice start.

    Attributes:
        keeps_match: Whether it counts the points of games, sets up the next ones, and logs what is done.
        log: What was done while it did.
    """

    def __init__(self, service: Service, seed: int) -> None:
        self.service = service
        self.initial_seed = seed
        self.game = GameState()
        self.engine_settings = EngineSettings(service.catalogue.default, seed, threads=service.threads)
        self._rolls = self._rolls_of_game = RollSequence(SeededDice(seed))
        self.speaks_ubgi01 = False
        self.request_count = 0
        self.error_count = 0
        self.last_rollout: RolloutSlot | None = None
        self.keeps_match = False
        self.log = GameLog()
        self._opening: GameState | None = None
        self._opening_rolled: GameState | None = None
        self._undo_stack: deque[_Step] = deque(maxlen=service.limits.undo_steps)
        self._redo_stack: list[_Step] = []

    def count_request(self) -> None:
        """Count a request, of this client and of all."""
        self.request_count += 1
        self.service.request_count += 1

    def count_error(self) -> None:
        """Count an error, of this client and of all."""
        self.error_count += 1
        self.service.error_count += 1

    def make_engine_loader(self, needs: Feature | None = Feature.EVALUATION) -> Callable[[], Engine]:
        """Return what loads the engine of the present settings and rules; calling that may block.

        Args:
            needs: What it is needed for; None for what rules of every kind support.

        Raises:
            UnsupportedError: The rules of the game do not support it.
        """
        if needs is not None:
            self.check_supports(needs)
        engine, rules = self.engine_settings, self.game.rules
        return lambda: self.service.get_engine(engine.net, engine.threads).with_rules(rules)

    def find_quick_engine(self, kind: Hashable = None) -> Engine | None:
        """Return the engine of the present settings and rules if it is loaded and quick at a kind of work."""
        engine = self.service.find_quick_engine(self.engine_settings.net, self.engine_settings.threads, kind)
        return None if engine is None else engine.with_rules(self.game.rules)

    def make_eval_settings(
        self, plies: int | None = None, filter_name: str | None = None, cubeful: bool | None = None
    ) -> EvalSettings:
        """Return evaluation settings: those of a request, and the current ones for the rest.

        Raises:
            ValueRangeError: The plies are out of range, or no filter has this name.
            UnsupportedError: As `check_eval_settings`; of the settings, the cube does not matter.
        """
        engine, has_cube = self.engine_settings, self.game.rules.supports(Feature.CUBE)
        settings = _make_eval_settings(
            engine.plies if plies is None else plies,
            engine.filter_name if filter_name is None else filter_name,
            engine.is_cubeful and has_cube if cubeful is None else cubeful,
        )
        return self.check_eval_settings(settings)

    def check_eval_settings(self, settings: EvalSettings) -> EvalSettings:
        """Return settings with which plays can be ranked by the rules of the game.

        Raises:
            UnsupportedError: The rules support neither look-ahead nor the cube, and the settings use them.
        """
        with rules_error_field():
            settings.check_supported(self.game.rules)
        return settings

    def check_supports(self, feature: Feature) -> None:
        """Refuse what the rules of the game do not support.

        Raises:
            UnsupportedError: They do not support the feature.
        """
        with rules_error_field():
            self.game.rules.check_supports(feature)

    def make_decider_loader(self, settings: EvalSettings | None = None) -> Callable[[], Decider]:
        """Return what fetches who decides: the session's player, with the cube at the session's level.

        It may block while something loads. Nobody decides for people; for them it is the evaluator.

        Args:
            settings: How deep it looks; that of the settings if None. A player looks as deep as its name
                says.

        Raises:
            UnsupportedError: As `check_eval_settings`. What comes back may raise it too, for a player that
                cannot play by the rules of the game.
        """
        engine = self.engine_settings
        settings = self.make_eval_settings() if settings is None else self.check_eval_settings(settings)
        load_engine, errors = self.make_engine_loader(needs=None), (engine.noise / NOISE_UNITS, engine.seed)
        find_player = partial(self.service.players.find, engine.player, engine.threads)
        is_own = engine.player in SESSION_PLAYERS

        def load_decider() -> Decider:
            if is_own:
                return Decider(load_engine(), settings, *errors)
            player, evaluation_engine = find_player(), load_engine()
            with rules_error_field():
                return Decider(evaluation_engine, settings, *errors, player=player)

        return load_decider

    def require_engine_player(self) -> None:
        """Make sure that it is not people who decide.

        Raises:
            StateError: ``engine.player`` says so.
        """
        if self.engine_settings.player == HUMAN_PLAYER:
            raise StateError("engine.player is human: send the player's decision with 'play'", field="what")

    def push_state(self, game: GameState) -> None:
        """Go on to another state of the game, which `undo` takes back; what was taken back before is gone."""
        self._undo_stack.append(self._describe_step())
        self._redo_stack.clear()
        self.game, self._rolls_of_game = game, self._rolls

    def undo(self) -> None:
        """Take back the last change of the game; rolls that came after it come again.

        Raises:
            StateError: There is none.
        """
        if not self._undo_stack:
            raise StateError("nothing to undo", field="request")
        self._redo_stack.append(self._describe_step())
        self._go_to(self._undo_stack.pop())

    @property
    def can_redo(self) -> bool:
        """Whether something was taken back, and nothing changed since."""
        return bool(self._redo_stack)

    def redo(self) -> None:
        """Do again what was taken back last.

        Raises:
            StateError: Nothing was, or the game has changed since.
        """
        if not self._redo_stack:
            raise StateError("nothing to redo", field="request")
        self._undo_stack.append(self._describe_step())
        self._go_to(self._redo_stack.pop())

    def _describe_step(self) -> _Step:
        return _Step(self.game, self.log, self._rolls_of_game)

    def _go_to(self, step: _Step) -> None:
        self.game, self.log, rolls = step
        self.rewind_dice(rolls)

    @property
    def dice(self) -> DiceSource:
        """Where rolls come from."""
        return self._rolls.source

    @dice.setter
    def dice(self, source: DiceSource) -> None:
        self._rolls = self._rolls_of_game = RollSequence(source)

    @property
    def rolls(self) -> RollSequence:
        """The place of the dice."""
        return self._rolls

    def rewind_dice(self, rolls: RollSequence) -> None:
        """Go to a place of the dice, unless they have been started again since."""
        if rolls.source is self._rolls.source:
            self._rolls = self._rolls_of_game = rolls

    def _read_dice(self) -> Roll:
        roll, self._rolls = self._rolls.read()
        return roll

    def reseed_dice(self, seed: int) -> None:
        """Start the session's dice again.

        Raises:
            ValueRangeError: The seed is negative.
        """
        self.dice = SeededDice(seed)
        self.engine_settings = replace(self.engine_settings, seed=seed)

    def set_position(self, position: Position, match: MatchState | None = None) -> None:
        """Set up the checkers, with the match state that came with them if one did.

        Without one, score, cube and seat on roll stay, and dice and offers go.
        """
        self.push_state(GameState(position, match or self.game.match.before_roll(), rules=self.game.rules))

    def push_action(
        self,
        text: str,
        position: Position,
        match: MatchState,
        result: GameResult | None = None,
        *,
        is_conceded: bool = False,
    ) -> None:
        """Go on after what a seat did; in a match that is kept, log it, and count the points.

        Args:
            text: What ``play`` calls it.
            position: The checkers after it.
            match: The match state after it, before the points of a game that it ended are counted.
            result: How the game ended by it; None if it did not.
            is_conceded: Whether the game ended by a drop or a resignation.

        Raises:
            ValueRangeError: A money score exceeds its range; nothing is changed.
        """
        before, final_score = self.game, None
        if result is not None and self.keeps_match:
            following = match.after_game(result.winner, result.points)
            if following is None:
                final_score = match.score_after(result.winner, result.points)
            else:
                match = following
        self.push_state(GameState(position, match, is_conceded, before.rules, final_score))
        if self.keeps_match:
            self.log = self.log.add(LoggedAction(before, self.game, text, result))

    def set_roll(self, roll: Roll) -> None:
        """Put the dice of the player on roll on the board, in place of any that lie there.

        Raises:
            StateError: There is no position, the game is over, or an offer waits for its answer.
        """
        self.require_game()
        check_no_offer(self.game.match)
        game = self.game
        match = game.match.with_roll(roll)
        sets_opening = self.sets_opening_roll
        if sets_opening:
            if roll[0] == roll[1]:
                raise ValueRangeError(
                    f"expected two different dice, the first of p0 and the second of p1, to begin a game, "
                    f"got {roll[0]} and {roll[1]}: roll again",
                    field="dice",
                )
            match = replace(match, on_roll=int(roll[1] > roll[0]), roll=(max(roll), min(roll)))
        self.push_state(GameState(game.position, match, game.is_conceded, game.rules))
        if sets_opening:
            self._opening_rolled = self.game

    def roll_dice(self) -> None:
        """Roll the session's own dice.

        Raises:
            StateError: There is no position, the game is over, the dice are already out, or an offer waits.
        """
        self.require_game()
        check_no_offer(self.game.match)
        roll = self.game.match.roll
        if roll is not None:
            raise StateError(f"the roll {format_roll(roll)} is not played yet: play it first", field="dice")
        if self.is_opening:
            self.roll_opening()
            self._opening_rolled = self.game
        else:
            self.set_roll(self._read_dice())

    @property
    def is_opening(self) -> bool:
        """Whether a game of a match that is kept begins: the next roll decides who plays it."""
        return self.keeps_match and self.game is self._opening

    @property
    def sets_opening_roll(self) -> bool:
        """Whether dice decide who begins: those of an opening, or in place of its roll."""
        return self.is_opening or (self.keeps_match and self.game is self._opening_rolled)

    def roll_opening(self, first_seat: int = 0) -> Roll:
        """Roll one die for each seat until they differ; the higher begins with both.

        Dice that are set in its place belong to this seat, whatever they are.

        Args:
            first_seat: The seat whose die is rolled first.

        Returns:
            The dice of this seat and of the other.
        """
        roll = self._read_dice()
        while roll[0] == roll[1]:
            roll = self._read_dice()
        self.set_roll(roll if first_seat == 0 else roll[::-1])
        self._opening_rolled = None
        return roll

    def start_game(self, names: SeatNames = SEAT_NAMES) -> None:
        """Set up the starting position: cube in the middle, no dice; score and seat on roll stay.

        Where the match is kept and over, another one of its length begins.

        Args:
            names: Of seats 0 and 1, in the log.
        """
        game, match = self.game, self.game.match
        if game.final_score is not None:
            start = MatchState(
                match.length, jacoby=match.jacoby, beavers=match.beavers, on_roll=match.on_roll
            )
        else:
            start = replace(match.before_roll(), cube=1, cube_owner=None)
        self.push_state(GameState(game.rules.starting_position, start, rules=game.rules))
        if self.keeps_match:
            self._opening, self.log = self.game, self.log.begin(self.game, names)

    def require_position(self) -> Position:
        """Return the position.

        Raises:
            StateError: None has been set.
        """
        if self.game.position is None:
            raise StateError(
                "no position",
                field="position",
                missing="position",
                advice="send 'position gnubgid ID' or 'newgame' first",
            )
        return self.game.position

    def require_game(self) -> Position:
        """Return the position of an unfinished game.

        Raises:
            StateError: There is no position, or the game is over.
        """
        position = self.require_position()
        if self.game.is_over:
            raise StateError(
                "the game is over",
                field="position",
                missing="game",
                advice="send 'newgame' or 'position' first",
            )
        return position

    def require_roll(self) -> tuple[Position, Roll]:
        """Return the position and the dice to be played in it.

        Raises:
            StateError: One of them is missing, the game is over, or an offer waits for its answer.
        """
        position = self.require_game()
        roll = self.game.match.roll
        if roll is None:
            check_no_offer(self.game.match)
            raise StateError(
                "no dice", field="dice", missing="dice", advice="send 'dice A B' or 'roll' first"
            )
        return position, roll

    def require_evaluable_position(self) -> Position:
        """Return a position that can be evaluated: of an unfinished game, or decided by the checkers.

        Raises:
            StateError: There is no position, or the game was given up.
        """
        return self.require_game() if self.game.is_conceded else self.require_position()

    def require_evaluable_match(self) -> MatchState:
        """Return the match state for evaluations: before the roll and without offers.

        Raises:
            PositionError: Value and owner of the cube do not fit together.
        """
        check_cube_owner(self.game.match)
        return self.game.match.before_roll()

    def list_legal_plays(self) -> list[Play]:
        """List the legal plays of the position and dice, at least one.

        Raises:
            StateError: As for `require_roll`.
        """
        return legal_plays(*self.require_roll(), self.game.rules)
