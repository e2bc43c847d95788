"""Which tables end: after which time, and which first where there is no room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from protocol.tables.archive import SavedTable
from protocol.tables.game_view import Phase
from protocol.tables.limits import HubLimits
from protocol.tables.seats import ENGINE
from protocol.tables.table import Table

_IDLE, _AGAINST_ENGINES, _OF_PERSONS, _FAULTY = range(4)
"""The places of tables that end for want of room: those go first at which nothing is lost, those that could
not be rebuilt last."""


def find_lifetime_s(table: Table, limits: HubLimits) -> float:
    """Return after which time without an action, or anybody coming or going, a table ends."""
    if table.game.phase is Phase.FINISHED:
        return limits.finished_s
    if table.members:
        return limits.idle_s
    if len(table.seating.persons) < 2:
        return limits.left_s
    return limits.idle_s if table.game.number else limits.empty_s


def find_saved_lifetime_s(saved: SavedTable, limits: HubLimits) -> float:
    """Return after which time without an action a table of before the start ends, to which nobody came."""
    if saved.fault:
        return limits.fault_s
    return limits.idle_s if _count_persons(saved) > 1 else limits.left_s


def rank_table(table: Table, now: float) -> tuple[int, float] | None:
    """Return the place of a table among those that end for want of room, the least first.

    Args:
        table: The table.
        now: The time, by its clock.

    Returns:
        Its kind, and the negative of the time in seconds since an action, or since anybody came or went; None
        if somebody is there.
    """
    if table.members:
        return None
    if not table.game.number or table.game.phase is Phase.FINISHED:
        return _IDLE, table.active_s - now
    return _rank_persons(len(table.seating.persons)), table.active_s - now


def rank_saved_table(saved: SavedTable, now_s: float) -> tuple[int, float]:
    """Return the same of a table of before the start, to which nobody came, at a time of the Unix epoch."""
    return _FAULTY if saved.fault else _rank_persons(_count_persons(saved)), saved.active_s - now_s


def choose_to_end(ranks: Mapping[str, tuple[int, float]], fresh_s: float) -> str | None:
    """Choose the table that ends for want of room.

    Args:
        ranks: The tables that may, by name: see `rank_table`.
        fresh_s: A time before which a table makes no room.

    Returns:
        None where there is none. What was just made and left does not end games of two persons either: who
        makes tables faster than they may end would empty a server of them.
    """
    left = [(rank, name) for name, rank in ranks.items() if -rank[1] >= fresh_s]
    kinds_just_left = [kind for kind, since in ranks.values() if -since < fresh_s]
    if not left or min(left)[0][0] >= _OF_PERSONS > min(kinds_just_left, default=_OF_PERSONS):
        return None
    return min(left)[1]


def list_too_long(sizes: Mapping[str, int], most: int) -> Iterator[str]:
    """List the tables whose logs are not kept since all together take too much: those with the longest.

    Args:
        sizes: What the logs take, in bytes.
        most: What they may take.
    """
    total = sum(sizes.values())
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        if total <= most:
            return
        total -= sizes[name]
        yield name


def _count_persons(saved: SavedTable) -> int:
    return sum(seat["kind"] != ENGINE for seat in saved.spec["seats"])


def _rank_persons(count: int) -> int:
    return _OF_PERSONS if count > 1 else _AGAINST_ENGINES
