"""The table of settings: every ``game.*`` and ``engine.*`` key, for set, get, keys and the docs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from engine.analysis.levels import DEFAULT_LEVEL, LEVELS, MAX_NOISE_POINTS
from engine.errors import UnsupportedError
from engine.rules.dice import MAX_SEED
from engine.rules.match import MAX_CUBE, MAX_MATCH_LENGTH
from engine.rules.rules import VARIANTS, Doubles
from engine.runtime.cores import MAX_THREADS, count_usable_cores
from engine.search import FILTERS, MAX_PLIES
from protocol.core.arguments import MAX_QUOTED_CHARS, error_field, parse_choice, parse_integer, parse_switch
from protocol.state.session import DOUBLES_KEY, NOISE_UNITS, EngineSettings, GameState, Session

SEAT_NAMES = ("p0", "p1")
OWNER_NAMES = ("center", *SEAT_NAMES)
MAX_NOISE = round(MAX_NOISE_POINTS * NOISE_UNITS)


@dataclass(frozen=True)
class Setting:
    """One setting.

    Attributes:
        name: ``game.*`` or ``engine.*``.
        kind: UBGI's word: int, bool, enum or string.
        values: What it may be, in UBGI's form: ``MIN..MAX``, ``a|b|c``, ``*``, or nothing for a bool.
        default: Its value at the start, as text.
        meaning: One line for the reader.
        get: Reads it from a session, as text.
        put: Sets it from text; raises a GammondError and changes nothing when it cannot be.
        is_unrated: Whether it must not enter a rating identity (UBGI's ``!``).
    """

    name: str
    kind: str
    values: str
    default: str
    meaning: str
    get: Callable[[Session], str]
    put: Callable[[Session, str], None]
    is_unrated: bool = False


def format_seat(seat: int | None) -> str:
    """Return ``p0``, ``p1``, or ``center`` for None."""
    return "center" if seat is None else SEAT_NAMES[seat]


def parse_seat(name: str, text: str) -> int:
    """Read ``p0`` or ``p1``."""
    return SEAT_NAMES.index(parse_choice(name, text, SEAT_NAMES))


def parse_owner(name: str, text: str) -> int | None:
    """Read ``center``, ``p0`` or ``p1``."""
    found = OWNER_NAMES.index(parse_choice(name, text, OWNER_NAMES))
    return found - 1 if found else None


def change_match(session: Session, **changes: Any) -> None:  # noqa: ANN401  (fields of a match state)
    """Change fields of the match state, which checks that they fit together; offers that wait go."""
    session.push_state(replace(session.game, match=replace(session.game.match.without_offers(), **changes)))


def change_rules(session: Session, **changes: Any) -> None:  # noqa: ANN401  (fields of the rules)
    """Change fields of the rules; pending offers go."""
    game = session.game
    session.push_state(replace(game, match=game.match.without_offers(), rules=replace(game.rules, **changes)))


def change_engine_settings(session: Session, **changes: Any) -> None:  # noqa: ANN401  (fields of engine settings)
    """Change fields of the engine settings."""
    session.engine_settings = replace(session.engine_settings, **changes)


def _format_switch(value: bool) -> str:
    return "true" if value else "false"


def _make_match_integer(name: str, low: int, high: int, default: int, meaning: str, field: str) -> Setting:
    def put(session: Session, text: str) -> None:
        change_match(session, **{field: parse_integer(name, text, low, high)})

    return Setting(
        name, "int", f"{low}..{high}", str(default), meaning, lambda s: str(getattr(s.game.match, field)), put
    )


def _make_match_switch(name: str, default: bool, meaning: str, field: str) -> Setting:
    def put(session: Session, text: str) -> None:
        change_match(session, **{field: parse_switch(name, text)})

    return Setting(
        name,
        "bool",
        "",
        _format_switch(default),
        meaning,
        lambda s: _format_switch(getattr(s.game.match, field)),
        put,
    )


def _make_score_setting(seat: int) -> Setting:
    name = f"game.score_{SEAT_NAMES[seat]}"

    def put(session: Session, text: str) -> None:
        score = list(session.game.match.score)
        score[seat] = parse_integer(name, text, 0, MAX_MATCH_LENGTH)
        change_match(session, score=tuple(score))

    return Setting(
        name,
        "int",
        f"0..{MAX_MATCH_LENGTH}",
        "0",
        f"points of seat {SEAT_NAMES[seat]}",
        lambda s: str(s.game.match.score[seat]),
        put,
    )


def _set_length(session: Session, text: str) -> None:
    length = parse_integer("game.length", text, 0, MAX_MATCH_LENGTH)
    change_match(session, length=length, score=(0, 0), crawford=False)


def _set_variant(session: Session, text: str) -> None:
    if text not in VARIANTS:
        raise UnsupportedError(
            f"expected {'|'.join(VARIANTS)}, got {text[:MAX_QUOTED_CHARS]!r}", field="game.variant"
        )
    if text != session.game.rules.variant.name:
        change_rules(session, variant=VARIANTS[text])


def _set_doubles(session: Session, text: str) -> None:
    change_rules(session, doubles=Doubles(parse_choice(DOUBLES_KEY, text, tuple(Doubles))))


def _set_net(session: Session, text: str) -> None:
    change_engine_settings(session, net=session.service.check_evaluator_name(text))


def _set_player(session: Session, text: str) -> None:
    change_engine_settings(session, player=session.service.players.check_player(text))


def _set_level(session: Session, text: str) -> None:
    level = LEVELS[parse_choice("engine.level", text, tuple(LEVELS))]
    session.engine_settings = session.engine_settings.with_level(level)


def _make_engine_integer(name: str, field: str, low: int, high: int, default: str, meaning: str) -> Setting:
    def put(session: Session, text: str) -> None:
        change_engine_settings(session, **{field: parse_integer(name, text, low, high)})

    return Setting(
        name, "int", f"{low}..{high}", default, meaning, lambda s: str(getattr(s.engine_settings, field)), put
    )


def _set_threads(session: Session, text: str) -> None:
    threads = parse_integer("engine.threads", text, 1, MAX_THREADS)
    change_engine_settings(session, threads=min(threads, count_usable_cores()))


def _set_seed(session: Session, text: str) -> None:
    session.reseed_dice(parse_integer("engine.seed", text, 0, MAX_SEED))


_GAME_START = GameState()
_MATCH_START = _GAME_START.match
_ENGINE_START = EngineSettings("", 0)

SETTINGS: dict[str, Setting] = {
    key.name: key
    for key in (
        Setting(
            "game.variant",
            "enum",
            "|".join(VARIANTS),
            _GAME_START.rules.variant.name,
            "the game that is played",
            lambda s: s.game.rules.variant.name,
            _set_variant,
        ),
        Setting(
            "game.length",
            "int",
            f"0..{MAX_MATCH_LENGTH}",
            "0",
            "points of the match, 0 for money; setting it starts the score at 0-0",
            lambda s: str(s.game.match.length),
            _set_length,
        ),
        _make_score_setting(0),
        _make_score_setting(1),
        _make_match_switch("game.crawford", False, "this is the Crawford game", "crawford"),
        _make_match_integer("game.cube", 1, MAX_CUBE, 1, "value of the cube, a power of two", "cube"),
        Setting(
            "game.cube_owner",
            "enum",
            "|".join(OWNER_NAMES),
            "center",
            "who holds the cube",
            lambda s: format_seat(s.game.match.cube_owner),
            lambda s, text: change_match(s, cube_owner=parse_owner("game.cube_owner", text)),
        ),
        Setting(
            "game.turn",
            "enum",
            "|".join(SEAT_NAMES),
            "p0",
            "the seat on roll, whose checkers a position gives first; setting it takes the dice away",
            lambda s: format_seat(s.game.match.on_roll),
            lambda s, text: change_match(s, on_roll=parse_seat("game.turn", text), roll=None),
        ),
        _make_match_switch(
            "game.jacoby", _MATCH_START.jacoby, "gammons need a turned cube (money play)", "jacoby"
        ),
        _make_match_switch(
            "game.beavers", _MATCH_START.beavers, "beavers are allowed (money play)", "beavers"
        ),
        Setting(
            DOUBLES_KEY,
            "enum",
            "|".join(Doubles),
            _GAME_START.rules.doubles,
            "how many checker moves doubles are; two is a variant, for plays alone",
            lambda s: s.game.rules.doubles,
            _set_doubles,
        ),
        Setting(
            "engine.net", "string", "*", "default", "the evaluator", lambda s: s.engine_settings.net, _set_net
        ),
        Setting(
            "engine.player",
            "string",
            "*",
            _ENGINE_START.player,
            "who chooses the plays of 'go', as NAME or NAME:OPTION=VALUE,...; 'net' is the evaluator",
            lambda s: s.engine_settings.player,
            _set_player,
        ),
        Setting(
            "engine.level",
            "enum",
            "|".join(LEVELS),
            DEFAULT_LEVEL,
            "strength of play; sets ply, filter and noise, and is 'custom' where these fit no level",
            lambda s: s.engine_settings.level,
            _set_level,
        ),
        _make_engine_integer(
            "engine.ply",
            "ply",
            1,
            MAX_PLIES + 1,
            str(_ENGINE_START.ply),
            "depth in UBGI's count, plies + 1",
        ),
        Setting(
            "engine.filter",
            "enum",
            "|".join(FILTERS),
            _ENGINE_START.filter_name,
            "which plays are looked at deeper",
            lambda s: s.engine_settings.filter_name,
            lambda s, text: change_engine_settings(
                s, filter_name=parse_choice("engine.filter", text, tuple(FILTERS))
            ),
        ),
        _make_engine_integer(
            "engine.noise",
            "noise",
            0,
            MAX_NOISE,
            str(_ENGINE_START.noise),
            "how far behind the best a choice of 'go' typically is, in thousandths of a point",
        ),
        Setting(
            "engine.cubeful",
            "bool",
            "",
            _format_switch(_ENGINE_START.is_cubeful),
            "the cube counts",
            lambda s: _format_switch(s.engine_settings.is_cubeful),
            lambda s, text: change_engine_settings(s, is_cubeful=parse_switch("engine.cubeful", text)),
        ),
        Setting(
            "engine.threads",
            "int",
            f"1..{MAX_THREADS}",
            "*",
            "threads that work on one answer; more than there are cores sets as many as there are",
            lambda s: str(s.engine_settings.threads),
            _set_threads,
            is_unrated=True,
        ),
        Setting(
            "engine.seed",
            "int",
            f"0..{MAX_SEED}",
            "*",
            "where the dice of 'roll', and the errors of a level, start; setting it starts them again",
            lambda s: str(s.engine_settings.seed),
            _set_seed,
            is_unrated=True,
        ),
    )
}


def find_setting(name: str) -> Setting:
    """Return the setting of a name.

    Raises:
        UnsupportedError: There is none.
    """
    key = SETTINGS.get(name)
    if key is None:
        raise UnsupportedError(f"no key {name[:MAX_QUOTED_CHARS]!r}: 'keys' lists them", field="key")
    return key


def change_setting(session: Session, setting: Setting, text: str) -> None:
    """Set a key from text.

    Raises:
        GammondError: The text is nothing that the key can be; its field is the key's name.
    """
    with error_field(setting.name):
        setting.put(session, text)


def get_default(setting: Setting, session: Session) -> str:
    """Return the value that a key had when a session began."""
    if setting.name == "engine.seed":
        return str(session.initial_seed)
    if setting.name == "engine.threads":
        return str(session.service.threads)
    if setting.name == "engine.net":
        return session.service.catalogue.default
    return setting.default
