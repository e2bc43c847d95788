"""The table of settings: every ``game.*`` and ``engine.*`` key, for set, get, keys and the docs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from engine.cores import MAX_THREADS, usable_cores
from engine.dice import MAX_SEED
from engine.doubles import Doubles
from engine.errors import UnsupportedError
from engine.levels import DEFAULT_LEVEL, LEVELS, MAX_NOISE_POINTS
from engine.match import MAX_CUBE, MAX_LENGTH
from engine.search import FILTERS, MAX_PLIES
from protocol.arguments import SHOWN, blaming, parse_choice, parse_integer, parse_switch
from protocol.session import DOUBLES_KEY, NOISE_UNITS, EngineSettings, GameState, Session

SEATS = ("p0", "p1")
OWNERS = ("center", *SEATS)
MAX_NOISE = round(MAX_NOISE_POINTS * NOISE_UNITS)


@dataclass(frozen=True)
class Key:
    """One setting.

    Attributes:
        name: ``game.*`` or ``engine.*``.
        kind: UBGI's word: int, bool, enum or string.
        values: What it may be, in UBGI's form: ``MIN..MAX``, ``a|b|c``, ``*``, or nothing for a bool.
        default: Its value at the start, as text.
        meaning: One line for the reader.
        get: Reads it from a session, as text.
        put: Sets it from text; raises a GammondError and changes nothing when it cannot be.
        is_minor: Whether it must not enter a rating identity (UBGI's ``!``).
    """

    name: str
    kind: str
    values: str
    default: str
    meaning: str
    get: Callable[[Session], str]
    put: Callable[[Session, str], None]
    is_minor: bool = False


def seat_text(seat: int | None) -> str:
    """Return ``p0``, ``p1``, or ``center`` for None."""
    return "center" if seat is None else SEATS[seat]


def parse_seat(name: str, text: str) -> int:
    """Read ``p0`` or ``p1``."""
    return SEATS.index(parse_choice(name, text, SEATS))


def parse_owner(name: str, text: str) -> int | None:
    """Read ``center``, ``p0`` or ``p1``."""
    found = OWNERS.index(parse_choice(name, text, OWNERS))
    return found - 1 if found else None


def change_match(session: Session, **changes: Any) -> None:  # noqa: ANN401  (fields of a match state)
    """Change fields of the match state, which checks that they fit together; offers that wait go."""
    session.change(replace(session.game, match=replace(session.game.match.without_offers(), **changes)))


def change_engine(session: Session, **changes: Any) -> None:  # noqa: ANN401  (fields of engine settings)
    """Change fields of the engine settings."""
    session.engine = replace(session.engine, **changes)


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _match_int(name: str, low: int, high: int, default: int, meaning: str, field: str) -> Key:
    def put(session: Session, text: str) -> None:
        change_match(session, **{field: parse_integer(name, text, low, high)})

    return Key(
        name, "int", f"{low}..{high}", str(default), meaning, lambda s: str(getattr(s.game.match, field)), put
    )


def _match_bool(name: str, default: bool, meaning: str, field: str) -> Key:
    def put(session: Session, text: str) -> None:
        change_match(session, **{field: parse_switch(name, text)})

    return Key(name, "bool", "", _flag(default), meaning, lambda s: _flag(getattr(s.game.match, field)), put)


def _score(seat: int) -> Key:
    name = f"game.score_{SEATS[seat]}"

    def put(session: Session, text: str) -> None:
        score = list(session.game.match.score)
        score[seat] = parse_integer(name, text, 0, MAX_LENGTH)
        change_match(session, score=tuple(score))

    return Key(
        name,
        "int",
        f"0..{MAX_LENGTH}",
        "0",
        f"points of seat {SEATS[seat]}",
        lambda s: str(s.game.match.score[seat]),
        put,
    )


def _put_length(session: Session, text: str) -> None:
    length = parse_integer("game.length", text, 0, MAX_LENGTH)
    change_match(session, length=length, score=(0, 0), crawford=False)


def _put_variant(session: Session, text: str) -> None:
    if text != "backgammon":
        raise UnsupportedError(f"only backgammon is played here, not {text[:SHOWN]!r}", field="game.variant")


def _put_doubles(session: Session, text: str) -> None:
    doubles = Doubles(parse_choice(DOUBLES_KEY, text, tuple(Doubles)))
    match = session.game.match.without_offers()
    session.change(replace(session.game, match=match, doubles=doubles))


def _put_net(session: Session, text: str) -> None:
    change_engine(session, net=session.service.check_judge(text))


def _put_player(session: Session, text: str) -> None:
    change_engine(session, player=session.service.players.check(text))


def _put_level(session: Session, text: str) -> None:
    level = LEVELS[parse_choice("engine.level", text, tuple(LEVELS))]
    session.engine = session.engine.at_level(level)


def _engine_int(name: str, field: str, low: int, high: int, default: str, meaning: str) -> Key:
    def put(session: Session, text: str) -> None:
        change_engine(session, **{field: parse_integer(name, text, low, high)})

    return Key(name, "int", f"{low}..{high}", default, meaning, lambda s: str(getattr(s.engine, field)), put)


def _put_threads(session: Session, text: str) -> None:
    threads = parse_integer("engine.threads", text, 1, MAX_THREADS)
    change_engine(session, threads=min(threads, usable_cores()))


def _put_seed(session: Session, text: str) -> None:
    session.seed(parse_integer("engine.seed", text, 0, MAX_SEED))


_GAME_START = GameState()
_START = _GAME_START.match
_ENGINE_START = EngineSettings("", 0)

KEYS: dict[str, Key] = {
    key.name: key
    for key in (
        Key(
            "game.variant",
            "enum",
            "backgammon",
            "backgammon",
            "the game that is played",
            lambda s: "backgammon",
            _put_variant,
        ),
        Key(
            "game.length",
            "int",
            f"0..{MAX_LENGTH}",
            "0",
            "points of the match, 0 for money; setting it starts the score at 0-0",
            lambda s: str(s.game.match.length),
            _put_length,
        ),
        _score(0),
        _score(1),
        _match_bool("game.crawford", False, "this is the Crawford game", "crawford"),
        _match_int("game.cube", 1, MAX_CUBE, 1, "value of the cube, a power of two", "cube"),
        Key(
            "game.cube_owner",
            "enum",
            "|".join(OWNERS),
            "center",
            "who holds the cube",
            lambda s: seat_text(s.game.match.cube_owner),
            lambda s, text: change_match(s, cube_owner=parse_owner("game.cube_owner", text)),
        ),
        Key(
            "game.turn",
            "enum",
            "|".join(SEATS),
            "p0",
            "the seat on roll, whose checkers a position gives first; setting it takes the dice away",
            lambda s: seat_text(s.game.match.on_roll),
            lambda s, text: change_match(s, on_roll=parse_seat("game.turn", text), roll=None),
        ),
        _match_bool("game.jacoby", _START.jacoby, "gammons need a turned cube (money play)", "jacoby"),
        _match_bool("game.beavers", _START.beavers, "beavers are allowed (money play)", "beavers"),
        Key(
            DOUBLES_KEY,
            "enum",
            "|".join(Doubles),
            _GAME_START.doubles,
            "how many checker moves doubles are; two is a variant, for plays alone",
            lambda s: s.game.doubles,
            _put_doubles,
        ),
        Key("engine.net", "string", "*", "default", "the evaluator", lambda s: s.engine.net, _put_net),
        Key(
            "engine.player",
            "string",
            "*",
            _ENGINE_START.player,
            "who chooses the plays of 'go', as NAME or NAME:OPTION=VALUE,...; 'net' is the evaluator",
            lambda s: s.engine.player,
            _put_player,
        ),
        Key(
            "engine.level",
            "enum",
            "|".join(LEVELS),
            DEFAULT_LEVEL,
            "strength of play; sets ply, filter and noise, and is 'custom' where these fit no level",
            lambda s: s.engine.level,
            _put_level,
        ),
        _engine_int(
            "engine.ply",
            "ply",
            1,
            MAX_PLIES + 1,
            str(_ENGINE_START.ply),
            "depth in UBGI's count, plies + 1",
        ),
        Key(
            "engine.filter",
            "enum",
            "|".join(FILTERS),
            _ENGINE_START.filter_name,
            "which plays are looked at deeper",
            lambda s: s.engine.filter_name,
            lambda s, text: change_engine(s, filter_name=parse_choice("engine.filter", text, tuple(FILTERS))),
        ),
        _engine_int(
            "engine.noise",
            "noise",
            0,
            MAX_NOISE,
            str(_ENGINE_START.noise),
            "how far behind the best a choice of 'go' typically is, in thousandths of a point",
        ),
        Key(
            "engine.cubeful",
            "bool",
            "",
            _flag(_ENGINE_START.is_cubeful),
            "the cube counts",
            lambda s: _flag(s.engine.is_cubeful),
            lambda s, text: change_engine(s, is_cubeful=parse_switch("engine.cubeful", text)),
        ),
        Key(
            "engine.threads",
            "int",
            f"1..{MAX_THREADS}",
            "*",
            "threads that work on one answer; more than there are cores sets as many as there are",
            lambda s: str(s.engine.threads),
            _put_threads,
            is_minor=True,
        ),
        Key(
            "engine.seed",
            "int",
            f"0..{MAX_SEED}",
            "*",
            "where the dice of 'roll', and the errors of a level, start; setting it starts them again",
            lambda s: str(s.engine.seed),
            _put_seed,
            is_minor=True,
        ),
    )
}


def find_key(name: str) -> Key:
    """Return the setting of a name.

    Raises:
        UnsupportedError: There is none.
    """
    key = KEYS.get(name)
    if key is None:
        raise UnsupportedError(f"no key {name[:SHOWN]!r}: 'keys' lists them", field="key")
    return key


def put(session: Session, key: Key, text: str) -> None:
    """Set a key from text.

    Raises:
        GammondError: The text is nothing that the key can be; its field is the key's name.
    """
    with blaming(key.name):
        key.put(session, text)


def key_default(key: Key, session: Session) -> str:
    """Return the value that a key had when a session began."""
    if key.name == "engine.seed":
        return str(session.initial_seed)
    if key.name == "engine.threads":
        return str(session.service.threads)
    if key.name == "engine.net":
        return session.service.judges.default
    return key.default
