"""The table of settings: every ``game.*`` and ``engine.*`` key, for set, get, keys and the docs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gammond.engine.analysis.levels import DEFAULT_LEVEL, LEVELS
from gammond.engine.options import Bounds, Field, format_value
from gammond.engine.rules.match import MAX_CUBE, MAX_MATCH_LENGTH, MatchState
from gammond.engine.rules.rules import STANDARD_RULES, VARIANTS, Doubles
from gammond.protocol.core.arguments import error_field
from gammond.protocol.games import find_entry, list_variants
from gammond.protocol.state.game_state import SEAT_NAMES
from gammond.protocol.state.service import Service
from gammond.protocol.state.session import (
    EngineSettings,
    Session,
    SettingField,
    SettingFields,
    list_setting_fields,
)

OWNER_NAMES = ("center", *SEAT_NAMES)
ANY = "*"
"""UBGI's sign for any text."""
EMPTY = '""'
"""What stands for no text where a word is to be."""


@dataclass(frozen=True)
class Setting:
    """One setting.

    Attributes:
        field: Its name (``game.*`` or ``engine.*``), type, bounds, default and meaning.
        read: Reads its value from a session.
        put: Sets it; raises a GammondError and changes nothing when the value does not fit.
        parse: Returns the value of a text; that of the field if None.
        start: Reads the value that it had when a session began; None for the field's default.
        list_values: Lists its values where these are known only while the program runs; None for the field's.
        list_known: Lists values to suggest, likewise, where there are others.
        is_unrated: Whether it must not enter a rating identity (UBGI's ``!``).
    """

    field: Field
    read: Callable[[Session], Any]
    put: Callable[[Session, Any], None]
    parse: Callable[[str], Any] | None = None
    start: Callable[[Session], Any] | None = None
    list_values: Callable[[], tuple[str, ...]] | None = None
    list_known: Callable[[Service], Sequence[str]] | None = None
    is_unrated: bool = False

    @property
    def name(self) -> str:
        """Its key."""
        return self.field.name

    @property
    def kind(self) -> str:
        """UBGI's word for its type: int, bool, enum or string."""
        return self.field.kind if self.list_values is None else "enum"

    @property
    def values(self) -> str:
        """Its values in UBGI's form: ``MIN..MAX``, ``a|b|c``, ``*``, or nothing for a bool."""
        if self.list_values is not None:
            return "|".join(self.list_values())
        return "" if self.kind == "bool" else self.field.allowed_values or ANY

    @property
    def default(self) -> str:
        """Its value at the start, as text; `ANY` where that depends on the server, `EMPTY` for no text."""
        return ANY if self.field.default is None else self.field.default_text or EMPTY

    @property
    def meaning(self) -> str:
        """One line of help."""
        return self.field.meaning

    def get(self, session: Session) -> str:
        """Return its value as text."""
        return format_value(self.read(session))

    def get_default(self, session: Session) -> str:
        """Return the value that it had when a session began, as text."""
        return self.default if self.start is None else format_value(self.start(session))


def format_seat(seat: int | None) -> str:
    """Return ``p0``, ``p1``, or ``center`` for None."""
    return "center" if seat is None else SEAT_NAMES[seat]


def parse_owner(name: str) -> int | None:
    """Return the seat of one of `OWNER_NAMES`; None for ``center``."""
    return SEAT_NAMES.index(name) if name in SEAT_NAMES else None


def change_match(session: Session, **changes: Any) -> None:  # noqa: ANN401  (fields of a match state)
    """Change fields of the match state, which checks that they fit together; pending offers are removed."""
    game = session.game
    session.push_state(replace(game, match=replace(game.match.without_offers(), **changes), final_score=None))


def change_rules(session: Session, **changes: Any) -> None:  # noqa: ANN401  (fields of the rules)
    """Change fields of the rules; pending offers are removed, and positions of another number of checkers."""
    game = session.game
    rules, match, position = replace(game.rules, **changes), game.match.without_offers(), game.position
    if rules.variant.checkers != game.rules.variant.checkers:
        match, position = match.before_roll(), None
    session.push_state(replace(game, position=position, match=match, rules=rules))


def _match_setting(attribute: str, field: Field) -> Setting:
    """Return the setting of an attribute of the match state."""
    return Setting(
        replace(field, default=getattr(MatchState(), attribute)),
        lambda session: getattr(session.game.match, attribute),
        lambda session, value: change_match(session, **{attribute: value}),
    )


def make_settings(
    kind: type[SettingFields], find_owner: Callable[[Session], Any], owned: str = "settings"
) -> list[Setting]:
    """Return a setting for each field of the settings of a game: they are all that stores it.

    Args:
        kind: The class of the settings.
        find_owner: Returns what has them in a session: the session, or a table of it.
        owned: The attribute that they are there.
    """

    def read(session: Session) -> SettingFields:
        settings: SettingFields = getattr(find_owner(session), owned)
        return settings

    def make(attribute: str, about: SettingField) -> Setting:
        def put(session: Session, value: Any) -> None:  # noqa: ANN401  (a value of the attribute's type)
            value = value if about.check is None else about.check(session.service, value)
            setattr(find_owner(session), owned, replace(read(session), **{attribute: value}))

        return Setting(
            about.field,
            lambda session: getattr(read(session), attribute),
            put,
            start=lambda session: getattr(kind.start(session), attribute),
            list_known=about.list_values,
            is_unrated=about.is_unrated,
        )

    return [make(attribute, about) for attribute, about in list_setting_fields(kind).items()]


def _score_setting(seat: int) -> Setting:
    def put(session: Session, points: int) -> None:
        score = list(session.game.match.score)
        score[seat] = points
        change_match(session, score=tuple(score))

    name = SEAT_NAMES[seat]
    field = Field(
        f"game.score_{name}",
        int,
        Bounds(0, MAX_MATCH_LENGTH),
        default=0,
        meaning=f"score of seat {name}, in points",
    )
    return Setting(field, lambda session: session.game.score[seat], put)


def _set_length(session: Session, length: int) -> None:
    change_match(session, length=length, score=(0, 0), crawford=False)


def make_variant_setting(read: Callable[[Session], str]) -> Setting:
    """Return the setting that chooses the game: every game has it.

    Args:
        read: Reads which of its variants a session plays.
    """
    field = Field("game.variant", str, default=STANDARD_RULES.variant.name, meaning="the game that is played")
    return Setting(field, read, _take_up_variant, _parse_variant, list_values=list_variants)


def _parse_variant(text: str) -> str:
    find_entry(text)
    return text.lower()


def _take_up_variant(session: Session, variant: str) -> None:
    entry = find_entry(variant)
    entry.load_commands().set_variant(session, variant)
    session.game_name = entry.name


def set_backgammon_variant(session: Session, name: str) -> None:
    """Play by the rules of a variant of backgammon."""
    if name != session.game.rules.variant.name:
        change_rules(session, variant=VARIANTS[name])


def _keep_match(session: Session, is_kept: bool) -> None:
    session.keeps_match = is_kept


def _set_level(session: Session, level: str) -> None:
    session.engine_settings = session.engine_settings.with_level(LEVELS[level])


def _make_engine_settings() -> Iterator[Setting]:
    for setting in make_settings(EngineSettings, lambda session: session, "engine_settings"):
        yield replace(setting, put=Session.reseed_dice) if setting.name == "engine.seed" else setting
        if setting.name == "engine.player":
            yield Setting(
                Field(
                    "engine.level",
                    str,
                    choices=tuple(LEVELS),
                    default=DEFAULT_LEVEL,
                    meaning="strength of play; sets ply, filter and noise; 'custom' if these fit no level",
                ),
                lambda session: session.engine_settings.level,
                _set_level,
            )


_SETTINGS = (
    make_variant_setting(lambda session: session.game.rules.variant.name),
    Setting(
        Field(
            "game.length",
            int,
            Bounds(0, MAX_MATCH_LENGTH),
            default=0,
            meaning="points of the match, 0 for money; setting it resets the score to 0-0",
        ),
        lambda session: session.game.match.length,
        _set_length,
    ),
    _score_setting(0),
    _score_setting(1),
    _match_setting("crawford", Field("game.crawford", bool, meaning="this is the Crawford game")),
    _match_setting(
        "cube", Field("game.cube", int, Bounds(1, MAX_CUBE), meaning="value of the cube, a power of two")
    ),
    Setting(
        Field("game.cube_owner", str, choices=OWNER_NAMES, default="center", meaning="owner of the cube"),
        lambda session: format_seat(session.game.match.cube_owner),
        lambda session, name: change_match(session, cube_owner=parse_owner(name)),
    ),
    Setting(
        Field(
            "game.turn",
            str,
            choices=SEAT_NAMES,
            default="p0",
            meaning="the seat on roll, whose checkers a position gives first; setting it removes the dice",
        ),
        lambda session: format_seat(session.game.match.on_roll),
        lambda session, name: change_match(session, on_roll=SEAT_NAMES.index(name), roll=None),
    ),
    _match_setting("jacoby", Field("game.jacoby", bool, meaning="gammons need a turned cube (money play)")),
    _match_setting("beavers", Field("game.beavers", bool, meaning="beavers are allowed (money play)")),
    Setting(
        Field(
            "game.doubles",
            str,
            choices=tuple(map(str, Doubles)),
            default=str(STANDARD_RULES.doubles),
            meaning="checker moves of a double; two is a variant, for checker play only",
        ),
        lambda session: session.game.rules.doubles,
        lambda session, doubles: change_rules(session, doubles=Doubles(doubles)),
    ),
    Setting(
        Field(
            "game.keep",
            bool,
            default=False,
            meaning="the session keeps score, Crawford game and record of the match by itself",
        ),
        lambda session: session.keeps_match,
        _keep_match,
    ),
    *_make_engine_settings(),
)

SETTINGS: dict[str, Setting] = {setting.name: setting for setting in _SETTINGS}
"""Those of backgammon."""


def change_setting(session: Session, setting: Setting, text: str) -> None:
    """Set a key from text.

    Raises:
        GammondError: The text is nothing that the key can be; its field is the key's name.
    """
    with error_field(setting.name):
        setting.put(session, (setting.parse or setting.field.parse)(text))
