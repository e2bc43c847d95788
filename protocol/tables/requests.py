"""What visitors send: requests as objects, checked and typed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from gammond.engine.errors import FormatError, GammondError, LimitError
from gammond.engine.wording import escape_unprintable
from gammond.protocol.core.errors import CommandError
from gammond.protocol.tables.clock import MAX_BANK_S, MAX_DELAY_S, ClockSpec
from gammond.protocol.tables.names import MAX_NAME_CHARS, check_name

MAX_PLAYER_CHARS = 200
MAX_POSITION_CHARS = 2000
MAX_PLAY_CHARS = 200
MAX_FRAME_CHARS = 16 * 1024
MAX_TOKENS = 8
MAX_PACE_MS = 10_000

_GUEST = "Guest"


class SeatSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who is to play a seat.

    Attributes:
        kind: A person, a place that whoever has the link takes, or an engine.
        name: The person's name.
        player: The engine's player: ``engine`` for the game's own, or as ``engine.player`` takes it.
        level: The level of the game's own; its usual one if empty.
    """

    kind: Literal["person", "open", "engine"]
    name: str = ""
    player: str = "engine"
    level: str = ""


class TableSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a table is created with.

    Attributes:
        seats: Who plays.
        variant: A value of ``game.variant``.
        length: Points of the match; 0 for money play.
        crawford: Whether the Crawford rule holds.
        jacoby: Whether the Jacoby rule holds, in money play.
        beavers: Whether beavers are allowed, in money play.
        cube: Whether there is a cube.
        doubles: A value of ``game.doubles``.
        begins: The seat that begins each game, whatever it rolls; that of an opening roll if None.
        position: Where the first game begins; the start if None.
        dice: Whether the server rolls, fairly, or the players type their dice.
        clock: How much time the seats have; None for all of it.
        undo: Whether actions can be taken back.
        public: Whether the table is listed, and anybody may watch.
        auto_roll: Whether the server rolls at once for who may not double.
        pace_ms: The least time between what an engine sees and what it does, in milliseconds.
    """

    seats: tuple[SeatSpec, SeatSpec]
    variant: str = "backgammon"
    length: int = 0
    crawford: bool = True
    jacoby: bool = True
    beavers: bool = True
    cube: bool = True
    doubles: Literal["four", "two"] = "four"
    begins: Literal[0, 1] | None = None
    position: str | None = None
    dice: Literal["server", "typed"] = "server"
    clock: ClockSpec | None = None
    undo: bool = True
    public: bool = False
    auto_roll: bool = False
    pace_ms: int | None = None


def read_spec(document: dict[str, Any]) -> TableSpec:
    """Return what a table was created with, as an archive kept it."""
    return msgspec.convert(document, TableSpec)


class CreateRequest(TableSpec, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="create"):
    """Create a table."""

    id: int = 0

    @property
    def spec(self) -> TableSpec:
        """The table."""
        return TableSpec(**{name: getattr(self, name) for name in TableSpec.__struct_fields__})


Tokens = str | Annotated[list[str | None], msgspec.Meta(max_length=MAX_TOKENS)] | None
"""One secret, or several."""


class _TokenRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request of who may have secrets of a table.

    Attributes:
        table: The table.
        token: Secrets of seats or of spectators; None for a public table.
    """

    table: str
    id: int = 0
    token: Tokens = None

    @property
    def tokens(self) -> list[str]:
        """The secrets."""
        tokens = self.token if isinstance(self.token, list) else [self.token]
        return [token for token in tokens if token]


class JoinRequest(_TokenRequest, frozen=True, kw_only=True, tag_field="do", tag="join"):
    """Come to a table, to play or to watch, or come back to it.

    Attributes:
        after: The last event that the visitor has; None for a new one.
        name: The name of who takes an open seat.
        seed: A seed for the dice, told at once.
        seed_commitment: The SHA-256 of a seed that is told later.
    """

    after: int | None = None
    name: str = ""
    seed: str = ""
    seed_commitment: str = ""


class LookRequest(_TokenRequest, frozen=True, tag_field="do", tag="look"):
    """Ask what is played at a table before coming to it."""


class RecordRequest(_TokenRequest, frozen=True, tag_field="do", tag="record"):
    """Ask for what was played at a table that could not be rebuilt after a restart."""


class LeaveRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="leave"):
    """Go away from a table."""

    table: str
    id: int = 0


class PingRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="ping"):
    """Ask for an answer."""

    id: int = 0


class ListRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="list"):
    """List the public tables."""

    id: int = 0


class ActRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="act"):
    """Do something at a table.

    Attributes:
        table: The table.
        act: What.
        seat: For which seat; the visitor's only one, or the one to act of both, if None.
        dice: The dice, for ``dice``.
        play: The play or move, for ``play``.
        points: 1 a single game, 2 a gammon, 3 a backgammon, for ``resign``.
        to: The number of an action, for ``go_back``.
        ms: Milliseconds, for ``pace``.
        player: Who decides, for ``hint_play``, as `SeatSpec.player`.
        seed_commitment: The SHA-256 of a seed, for ``commit_seed``.
        seed: The seed, for ``tell_seed``.
        help: Whether an engine chose it, or had told what it would choose, for what is done in the game.
    """

    table: str
    act: str
    id: int = 0
    seat: Literal[0, 1] | None = None
    dice: tuple[int, int] | None = None
    play: str | None = None
    points: int = 1
    to: int | None = None
    ms: int | None = None
    player: str = "engine"
    seed_commitment: str = ""
    seed: str = ""
    help: bool = False


AnyRequest = (
    CreateRequest
    | JoinRequest
    | LookRequest
    | RecordRequest
    | LeaveRequest
    | PingRequest
    | ListRequest
    | ActRequest
)

_DECODER: msgspec.json.Decoder[AnyRequest] = msgspec.json.Decoder(AnyRequest)


class _Identified(msgspec.Struct):
    """As much of a request as its answer needs, whatever else is in it."""

    id: int | None = None


_ID_DECODER = msgspec.json.Decoder(_Identified)


def read_id(frame: str) -> int | None:
    """Return the ``id`` of a request that may have any other fault; None where there is none."""
    try:
        found = _ID_DECODER.decode(frame).id
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return None if found is None or abs(found) >= 2**53 else found


def read_request(frame: str) -> AnyRequest:
    """Read a request.

    Raises:
        LimitError: It is too long.
        CommandError: It is no object of JSON, or none of a request.
        FormatError: A field has a wrong type.
    """
    if len(frame) > MAX_FRAME_CHARS:
        raise LimitError(
            f"expected a request of at most {MAX_FRAME_CHARS} characters, got {len(frame)}", field="request"
        )
    try:
        return _DECODER.decode(frame)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        field = place.rstrip("`").lstrip(".").partition("[")[0] or "request"
        kind = CommandError if field in ("request", "do") else FormatError
        raise kind(escape_unprintable(message[:200]), field=field) from None
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise CommandError("expected an object of JSON", field="request") from None


def read_guest_name(request: JoinRequest) -> str:
    """Return the name by which who takes an open seat plays.

    Raises:
        FormatError: As `check_name`.
    """
    return check_name(request.name or _GUEST)


def check_spec(spec: TableSpec) -> TableSpec:
    """Return what a table is created with, its names tidied, as far as no game is asked.

    Raises:
        FormatError: A name or the position is none.
        GammondError: A number is out of range, or two fields do not fit together.
    """
    seats = tuple(
        msgspec.structs.replace(seat, name=check_name(seat.name, "seats") if seat.kind == "person" else "")
        for seat in spec.seats
    )
    for seat in seats:
        if len(seat.player) > MAX_PLAYER_CHARS or len(seat.level) > MAX_NAME_CHARS:
            raise LimitError(f"expected a player of at most {MAX_PLAYER_CHARS} characters", field="seats")
    if spec.position is not None and len(spec.position) > MAX_POSITION_CHARS:
        raise LimitError(f"expected a position of at most {MAX_POSITION_CHARS} characters", field="position")
    if spec.dice == "typed" and all(seat.kind == "engine" for seat in seats):
        raise _make_range_error("dice", "'server' where no person sits", "typed")
    if spec.clock is not None:
        _check_range("clock", spec.clock.bank_s, 1, MAX_BANK_S)
        _check_range("clock", spec.clock.move_s, 0, MAX_DELAY_S)
    if spec.pace_ms is not None:
        _check_range("pace_ms", spec.pace_ms, 0, MAX_PACE_MS)
    return msgspec.structs.replace(spec, seats=seats)


def _check_range(field: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise _make_range_error(field, f"{least}..{most}", value)


def _make_range_error(field: str, expected: str, got: object) -> GammondError:
    return FormatError(f"expected {expected}, got {got}", field=field)
