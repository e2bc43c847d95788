"""The state of one client: its table, its settings, and what they make of the engine."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any, TypeVar

from engine.analysis.engine import Engine
from engine.analysis.engine_store import KeptAnalysis
from engine.analysis.levels import DEFAULT_LEVEL, LEVELS, EvalSettings, Level, StoreUse
from engine.errors import StateError, UnsupportedError
from engine.play.decider import Decider
from engine.rules.dice import Roll, SeededDice
from engine.rules.match import MatchState
from engine.rules.position import Position
from engine.rules.rules import Feature, Rules
from protocol.games import FIRST_GAME
from protocol.state.player_registry import ENGINE_PLAYER, HUMAN_PLAYER, SESSION_PLAYERS
from protocol.state.rollout_store import RolloutSlot
from protocol.state.service import Service
from protocol.state.table import GameTable

CUSTOM_LEVEL = "custom"
"""What the level is called when the settings are those of none."""

JSON_FORMAT = "json"
FORMATS = ("text", JSON_FORMAT)
"""How answers are written: lines of words, or each line as an object."""

NOISE_UNITS = 1000
"""The setting `engine.noise` counts in thousandths of a point."""

_TableT = TypeVar("_TableT")


@contextmanager
def rules_error_field() -> Iterator[None]:
    """Give errors about a field of the rules the name of its setting, ``game.doubles`` for ``doubles``."""
    try:
        yield
    except UnsupportedError as error:
        raise error.with_field(f"game.{error.field}") from error


@lru_cache(maxsize=256)
def _make_eval_settings(
    rules: Rules, plies: int, filter_name: str, is_cubeful: bool, store: StoreUse
) -> EvalSettings:
    return _check_supported(EvalSettings(plies, filter_name, is_cubeful, store), rules)


def _check_supported(settings: EvalSettings, rules: Rules) -> EvalSettings:
    with rules_error_field():
        settings.check_supported(rules)
    return settings


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
        store: What the store of analyses is asked for, if the server has one.
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
    store: StoreUse = StoreUse.ON

    @cached_property
    def answer_key(self) -> Hashable:
        """All that answers depend on which are made of kept analyses."""
        return self.net, self.ply, self.filter_name, self.is_cubeful, self.has_xgids, self.format, self.store

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


class Session(GameTable):
    """The state of one client. Not for several threads: requests change it in the order in which they arrive.

    It is itself the table of backgammon; other games have tables of their own, which stay as they are while
    another game is played.

    Args:
        service: What it shares with other clients.
        seed: Where its dice start.

    Attributes:
        engine_settings: How its requests are answered.
        game_name: The game that is played, a name of `protocol.games.GAMES`.
    """

    def __init__(self, service: Service, seed: int) -> None:
        super().__init__(seed, service.limits.undo_steps)
        self.service = service
        self.initial_seed = seed
        self.engine_settings = EngineSettings(service.catalogue.default, seed, threads=service.threads)
        self.speaks_ubgi01 = False
        self.request_count = 0
        self.error_count = 0
        self.last_rollout: RolloutSlot | None = None
        self.game_name = FIRST_GAME
        self._tables: dict[Callable[[Session], Any], Any] = {}

    def get_table(self, make_table: Callable[[Session], _TableT]) -> _TableT:
        """Return the client's table of another game; the first call makes it.

        Args:
            make_table: Its class.
        """
        table: _TableT | None = self._tables.get(make_table)
        if table is None:
            table = self._tables[make_table] = make_table(self)
        return table

    def count_request(self, count: int = 1) -> None:
        """Count a request, of this client and of all; -1 takes one back."""
        self.request_count += count
        self.service.request_count += count

    def count_error(self, code: str) -> None:
        """Count an error by its code, of this client and of all."""
        self.error_count += 1
        self.service.error_counts[code] += 1

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

        def load() -> Engine:
            with rules_error_field():
                return self.service.get_engine(engine.net, engine.threads).with_rules(rules)

        return load

    def find_quick_engine(self, kind: Hashable = None) -> Engine | None:
        """Return the engine of the present settings and rules if it is loaded and quick at a kind of work."""
        engine = self.service.find_quick_engine(self.engine_settings.net, self.engine_settings.threads, kind)
        rules = self.game.rules
        return engine.with_rules(rules) if engine is not None and engine.has_at_hand(rules) else None

    def recall(
        self,
        kind: Hashable,
        position: Position,
        match: MatchState,
        settings: EvalSettings,
        roll: Roll | None = None,
    ) -> KeptAnalysis | None:
        """Return an analysis that is kept and at hand, if answering with it was seen to be quick.

        Args:
            kind: The kind of work, as for `Service.time_evaluation`.
            position: The checkers, those of the seat on roll first.
            match: The match state.
            settings: How it is evaluated.
            roll: The dice, to ask for plays; None to ask for the position.
        """
        engine = self.find_quick_engine(kind) if settings.plies else None
        return None if engine is None else engine.recall(position, match, settings, roll)

    def make_eval_settings(
        self, plies: int | None = None, filter_name: str | None = None, cubeful: bool | None = None
    ) -> EvalSettings:
        """Return evaluation settings: those of a request, and the current ones for the rest.

        Raises:
            ValueRangeError: The plies are out of range, or no filter has this name.
            UnsupportedError: As `check_eval_settings`; of the settings, the cube does not matter.
        """
        engine, rules = self.engine_settings, self.game.rules
        return _make_eval_settings(
            rules,
            engine.plies if plies is None else plies,
            engine.filter_name if filter_name is None else filter_name,
            engine.is_cubeful and rules.supports(Feature.CUBE) if cubeful is None else cubeful,
            engine.store,
        )

    def check_eval_settings(self, settings: EvalSettings) -> EvalSettings:
        """Return settings with which plays can be ranked by the rules of the game.

        Raises:
            UnsupportedError: The rules support neither look-ahead nor the cube, and the settings use them.
        """
        return _check_supported(settings, self.game.rules)

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

    def reseed_dice(self, seed: int) -> None:
        """Start the session's dice again.

        Raises:
            ValueRangeError: The seed is negative.
        """
        self.dice = SeededDice(seed)
        self.engine_settings = replace(self.engine_settings, seed=seed)
