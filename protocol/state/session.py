"""The state of one client: its table, its settings, and what they make of the engine."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache, cached_property, lru_cache, partial
from typing import Any, Self, TypeVar

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import (
    DEFAULT_LEVEL,
    LEVELS,
    MAX_NOISE_POINTS,
    EvalSettings,
    Level,
    StoreUse,
)
from gammond.engine.errors import StateError, UnsupportedError
from gammond.engine.options import Bounds, Field
from gammond.engine.play.decider import Decider
from gammond.engine.rules.dice import MAX_SEED, SeededDice
from gammond.engine.rules.rules import Feature, Rules
from gammond.engine.runtime.machine import MAX_THREADS, count_usable_cores
from gammond.engine.search import FILTERS, MAX_PLIES
from gammond.protocol.games import FIRST_GAME
from gammond.protocol.state.player_registry import ENGINE_PLAYER, HUMAN_PLAYER, SESSION_PLAYERS
from gammond.protocol.state.rollout_store import RolloutSlot
from gammond.protocol.state.service import Service
from gammond.protocol.state.table import GameTable

CUSTOM_LEVEL = "custom"
"""What the level is called when the settings are those of none."""

JSON_FORMAT = "json"
FORMATS = ("text", JSON_FORMAT)
"""How answers are written: lines of words, or each line as an object."""

NOISE_UNITS = 1000
"""The setting `engine.noise` counts in thousandths of a point."""

MAX_NOISE = round(MAX_NOISE_POINTS * NOISE_UNITS)

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


_SETTING = "setting"


@dataclass(frozen=True)
class SettingField:
    """What makes a setting of a field of a dataclass; its default is that of the setting.

    Attributes:
        field: Its name (``engine.*``), type, bounds, default and meaning.
        check: Returns what is set for a value, given what the client may use; raises a GammondError where it
            does not fit. None where every value of the field does.
        list_values: Lists values to suggest, where these are known only while the program runs.
        is_unrated: Whether it must not enter a rating identity (UBGI's ``!``).
        shapes_no_answer: Whether no answer that is made of kept analyses depends on it.
    """

    field: Field
    check: Callable[[Service, Any], Any] | None = None
    list_values: Callable[[Service], Sequence[str]] | None = None
    is_unrated: bool = False
    shapes_no_answer: bool = False

    @property
    def attribute(self) -> Any:  # noqa: ANN401  (as of dataclasses.field)
        """The field of the dataclass."""
        default = MISSING if self.field.default is None else self.field.default
        return field(default=default, metadata={_SETTING: self})


@dataclass(frozen=True, kw_only=True)
class SettingFields:
    """The settings of a game, in the order of ``keys``: each field is the `attribute` of a `SettingField`."""

    @classmethod
    def start(cls, session: Session) -> Self:
        """Return those with which a session begins."""
        raise NotImplementedError


def list_setting_fields(kind: type[Any]) -> dict[str, SettingField]:
    """List the settings of a dataclass by attribute, in their order."""
    return {each.name: each.metadata[_SETTING] for each in fields(kind)}


def _list_nets(service: Service) -> Sequence[str]:
    return [service.catalogue.default, *service.catalogue.list_names()]


@dataclass(frozen=True, kw_only=True)
class EngineSettings(SettingFields):
    """How a client wants its answers."""

    net: str = SettingField(
        Field("engine.net", str, default="default", meaning="the evaluator"),
        check=lambda service, name: service.check_evaluator_name(name),
        list_values=_list_nets,
    ).attribute
    player: str = SettingField(
        Field(
            "engine.player",
            str,
            default=ENGINE_PLAYER,
            meaning="the player that chooses the plays of 'go', as NAME or NAME:OPTION=VALUE,...; "
            "'net' is the evaluator",
        ),
        check=lambda service, name: service.players.check_player(name),
        list_values=lambda service: service.players.list_names(),
        shapes_no_answer=True,
    ).attribute
    ply: int = SettingField(
        Field(
            "engine.ply",
            int,
            Bounds(1, MAX_PLIES + 1),
            default=LEVELS[DEFAULT_LEVEL].plies + 1,
            meaning="depth in UBGI's count, plies + 1",
        )
    ).attribute
    filter_name: str = SettingField(
        Field(
            "engine.filter",
            str,
            choices=tuple(FILTERS),
            default=LEVELS[DEFAULT_LEVEL].filter_name,
            meaning="the move filter of searches",
        )
    ).attribute
    noise: int = SettingField(
        Field(
            "engine.noise",
            int,
            Bounds(0, MAX_NOISE),
            default=0,
            meaning="typical loss of a choice of 'go' against the best, in thousandths of a point",
        ),
        shapes_no_answer=True,
    ).attribute
    is_cubeful: bool = SettingField(
        Field("engine.cubeful", bool, default=True, meaning="whether evaluations are cubeful")
    ).attribute
    format: str = SettingField(
        Field(
            "engine.format",
            str,
            choices=FORMATS,
            default=FORMATS[0],
            meaning="whether answers are lines of words or of JSON",
        ),
        is_unrated=True,
    ).attribute
    has_xgids: bool = SettingField(
        Field("engine.xgid", bool, default=False, meaning="whether lines with a gnubgid have the xgid too"),
        is_unrated=True,
    ).attribute
    store: StoreUse = SettingField(
        Field(
            "engine.store",
            str,
            choices=tuple(map(str, StoreUse)),
            default=StoreUse.ON,
            meaning="whether kept analyses answer, of the depth asked for or also deeper ones, and "
            "searches are kept",
        ),
        check=lambda _, use: StoreUse(use),
    ).attribute
    threads: int = SettingField(
        Field(
            "engine.threads",
            int,
            Bounds(1, MAX_THREADS),
            meaning="threads that work on one answer, limited to the number of cores",
        ),
        check=lambda _, threads: min(threads, count_usable_cores()),
        is_unrated=True,
        shapes_no_answer=True,
    ).attribute
    seed: int = SettingField(
        Field(
            "engine.seed",
            int,
            Bounds(0, MAX_SEED),
            meaning="seed of the dice of 'roll' and of the noise of a level; setting it restarts both",
        ),
        is_unrated=True,
        shapes_no_answer=True,
    ).attribute

    @classmethod
    def start(cls, session: Session) -> Self:
        """Return those with which a session begins."""
        service = session.service
        return cls(net=service.catalogue.default, seed=session.initial_seed, threads=service.threads)

    @cached_property
    def answer_key(self) -> Hashable:
        """All that answers depend on which are made of kept analyses."""
        return tuple(getattr(self, name) for name in _list_shaping_settings())

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


@cache
def _list_shaping_settings() -> tuple[str, ...]:
    found = list_setting_fields(EngineSettings).items()
    return tuple(name for name, each in found if not each.shapes_no_answer)


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
        game_name: The game that is played, a name of `gammond.protocol.games.GAMES`.
    """

    def __init__(self, service: Service, seed: int) -> None:
        super().__init__(seed, service.limits.undo_steps)
        self.service = service
        self.initial_seed = seed
        self.engine_settings = EngineSettings.start(self)
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

    def count_request(self) -> None:
        """Count a request, of this client and of all."""
        self.request_count += 1
        self.service.request_count += 1

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

    def find_quick_engine(
        self, kind: Hashable, net: str | None = None, rules: Rules | None = None
    ) -> Engine | None:
        """Return an engine if it is loaded and was seen to be quick at a kind of work.

        Args:
            kind: The kind of work, as for `Service.time_evaluation`.
            net: Its name; None for that of the settings.
            rules: Its rules; None for those of the game.
        """
        own, rules = self.engine_settings, rules or self.game.rules
        engine = self.service.find_quick_engine(net or own.net, own.threads, kind)
        return engine.with_rules(rules) if engine is not None and engine.has_at_hand(rules) else None

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
        if not self.game.rules.supports(feature):  # the context takes a microsecond
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
