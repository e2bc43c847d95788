"""What visitors do at a table: the requests ``act``, each checked for who sends it and when."""

from __future__ import annotations

from collections.abc import Callable

from gammond.engine.errors import StateError, UnsupportedError, ValueRangeError
from gammond.engine.options import MAX_QUOTED_CHARS, did_you_mean
from gammond.protocol.tables.archive import TableAction
from gammond.protocol.tables.audience import Member
from gammond.protocol.tables.dice import check_commitment, check_seed
from gammond.protocol.tables.game_view import TablePhase
from gammond.protocol.tables.requests import MAX_PACE_MS, MAX_PLAY_CHARS, MAX_PLAYER_CHARS, ActRequest
from gammond.protocol.tables.table import Table

_GAME_ACTS = ("roll", "dice", "play", "double", "take", "drop", "beaver", "resign", "accept", "reject")
_HISTORY_ACTS = ("undo", "redo", "go_back")


def carry_out(table: Table, member: Member, request: ActRequest) -> None:
    """Do what a visitor asks for at a table.

    Args:
        table: The table.
        member: The visitor's place at it.
        request: The request.

    Raises:
        GammondError: It is refused; nothing has changed.
    """
    handler = _HANDLERS.get(request.act)
    if handler is None:
        hint = did_you_mean(request.act, _HANDLERS) if len(request.act) <= MAX_QUOTED_CHARS else ""
        raise UnsupportedError(f"no act {request.act[:MAX_QUOTED_CHARS]!r}{hint}", field="act")
    handler(table, member, request)


def _find_seat(table: Table, member: Member, request: ActRequest) -> int:
    """Return the seat for which a visitor acts: one of its own.

    Raises:
        StateError: It has none, or not that one.
    """
    if not member.seats:
        raise StateError("you are watching: only who holds a seat's token acts for it", field="seat")
    if request.seat is not None:
        if request.seat not in member.seats:
            raise StateError(f"seat {request.seat} is not yours", field="seat")
        return request.seat
    to_act = table.game.to_act
    return to_act if to_act in member.seats and to_act is not None else min(member.seats)


def _require_game(table: Table) -> None:
    if not table.game.is_on:
        raise StateError(f"no game is on: the table is at '{table.game.phase}'", field="act")


def _act_in_game(table: Table, member: Member, request: ActRequest) -> None:
    seat = _find_seat(table, member, request)
    _require_game(table)
    view, to_act = table.game.view, table.game.to_act
    if request.play is not None and len(request.play) > MAX_PLAY_CHARS:
        raise ValueRangeError(f"expected a play of at most {MAX_PLAY_CHARS} characters", field="play")
    if request.act == "resign" and view.resigns_at_once:
        table.act(TableAction("forfeit", winner=1 - seat, kind="resignation"))
        return
    line = view.make_line(request)
    if request.act in ("roll", "dice"):
        _check_dice(table, request)
    if request.act == "dice" and (to_act is None or table.seats.is_engine(to_act)):
        if to_act is not None and not table.engines.awaits_dice:
            raise StateError("the engine has not decided to roll yet", field="act")
        table.act(TableAction("do", line=line, seat=to_act))
        return
    if to_act != seat:
        raise StateError("it is not your turn", field="seat")
    table.act(TableAction("do", line=line, seat=seat, help=request.help))


def _check_dice(table: Table, request: ActRequest) -> None:
    is_typed = table.spec.dice == "typed"
    if is_typed != (request.act == "dice"):
        expected = "'dice' with the dice as they fell" if is_typed else "'roll': the server rolls here"
        raise StateError(f"expected {expected}", field="act")


def _take_back(table: Table, member: Member, request: ActRequest) -> None:
    seat = _find_seat(table, member, request)
    count = _count_actions(table, member, request)
    if table.seats.holds_all(member):
        table.act(TableAction(request.act, seat=seat, count=count))
        return
    table.request = (seat, request.act, len(table.game.history.entries) - count)
    table.emit("request", seat, request.act)


def _count_actions(table: Table, member: Member, request: ActRequest) -> int:
    """Return how many actions are to be taken back, or done again.

    Raises:
        StateError: None, or none may be.
        ValueRangeError: There is no action of the number given.
    """
    if not table.spec.undo:
        raise StateError("nothing is taken back at this table", field="act")
    if table.game.phase not in (*_PHASES_IN_GAME, TablePhase.OVER) and table.game.end is None:
        raise StateError("no game is on", field="act")
    if table.game.is_forfeited:
        raise StateError("the game was given up or lost on time: nothing is taken back", field="act")
    history = table.game.history
    if request.act == "redo":
        if not history.redo_count:
            raise StateError("nothing to redo", field="act")
        return history.redo_count
    if request.act == "go_back":
        count = history.count_from(request.to or 0)
        if not count:
            raise ValueRangeError(
                f"expected an action of this game, 1..{len(history.entries)}, got {request.to}", field="to"
            )
        return count
    count = history.count_since_decision(member.seats)
    if not count:
        raise StateError("nothing to undo: you have decided nothing in this game", field="act")
    return count


_PHASES_IN_GAME = (TablePhase.ROLL, TablePhase.PLAY, TablePhase.RESPONSE, TablePhase.RESIGNATION)


def _answer_request(table: Table, member: Member, request: ActRequest) -> None:
    seat = _find_seat(table, member, request)
    asked = table.request
    if asked is None:
        raise StateError("nobody asks for anything", field="act")
    asker, what, left = asked
    if asker == seat:
        raise StateError("the other side answers it", field="seat")
    table.request = None
    if request.act == "agree":
        table.act(TableAction(what, seat=asker, count=len(table.game.history.entries) - left))
    else:
        table.emit("refuse", seat, what)


def _begin_next(table: Table, member: Member, request: ActRequest) -> None:
    _find_seat(table, member, request)
    if table.game.phase is not TablePhase.OVER:
        raise StateError(f"no game can begin now: the table is at '{table.game.phase}'", field="act")
    table.act(TableAction("start"))


def _take_hint(table: Table, member: Member, request: ActRequest) -> None:
    seat = _find_seat(table, member, request)
    _require_game(table)
    if not table.seats.holds_all(member):
        raise StateError("no help while somebody else plays", field="act")
    if table.game.to_act != seat:
        raise StateError("it is not your turn", field="seat")
    if table.engines.is_busy:
        raise StateError("the engine is thinking already", field="act")
    if table.awaits_seeds:
        raise StateError("the dice wait for the players' seeds, some seconds at most", field="seed")
    if len(request.player) > MAX_PLAYER_CHARS:
        raise ValueRangeError(f"expected a player of at most {MAX_PLAYER_CHARS} characters", field="player")
    table.engines.help_person(seat, request.player)


def _steer(table: Table, member: Member, request: ActRequest) -> None:
    if not table.seats.may_steer(member):
        raise StateError("only who plays alone, or watches engines by their link, may do this", field="act")
    seat = min(member.seats, default=None)
    ms = request.ms if request.act == "pace" else None
    if request.act == "pace" and (ms is None or not 0 <= ms <= MAX_PACE_MS):
        raise ValueRangeError(f"expected ms of 0..{MAX_PACE_MS}, got {ms}", field="ms")
    table.steer(request.act, seat, ms)


def _commit_seed(table: Table, member: Member, request: ActRequest) -> None:
    """Take the commitment of a player to a seed for the next secret."""
    seat, commitment = _find_seat(table, member, request), check_commitment(request.seed_commitment)
    if table.game.dice is None or not table.game.dice.add_seed(seat, commitment, ""):
        raise StateError("no seed counts before the server has committed to its next secret", field="act")
    table.emit("seed", seat, "committed")


def _tell_seed(table: Table, member: Member, request: ActRequest) -> None:
    """Take the seed to which a player is committed, and go on once all are told."""
    seat, seed = _find_seat(table, member, request), check_seed(request.seed)
    if table.game.dice is None:
        raise StateError("no seed of this seat is awaited", field="seed")
    table.game.dice.tell_seed(seat, seed)
    table.emit("seed", seat, "told")
    if not table.awaits_seeds:
        table.end_seeds()


_HANDLERS: dict[str, Callable[[Table, Member, ActRequest], None]] = {
    **dict.fromkeys(_GAME_ACTS, _act_in_game),
    **dict.fromkeys(_HISTORY_ACTS, _take_back),
    **dict.fromkeys(("agree", "refuse"), _answer_request),
    "next": _begin_next,
    "hint_play": _take_hint,
    "commit_seed": _commit_seed,
    "tell_seed": _tell_seed,
    **dict.fromkeys(("pause", "resume", "pace"), _steer),
}

ACTS = tuple(_HANDLERS)
"""The values of ``act``."""
