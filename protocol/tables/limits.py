"""Caps on tables and their visitors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HubLimits:
    """Caps.

    Attributes:
        tables: Tables at a time.
        address_tables: Tables at a time that were created from one address.
        address_games: Finished games of one address in an hour beyond which they make room for others first.
        log_bytes: What the logs of all tables may take; beyond, the largest are not kept.
        visitor_seats: Tables at which one visitor may be.
        table_visitors: Visitors at one table.
        unread_chars: What may wait for a visitor; one that leaves more unread is dropped.
        waiting_requests: Requests of a visitor that may wait for something to be compiled.
        listed_tables: Tables in an answer to ``list``.
        idle_s: Seconds without an action, or anybody coming or going, after which a table ends.
        finished_s: The same once its match is over.
        empty_s: The same where no game ever began.
        left_s: The same where nobody is and fewer than two persons play.
        fresh_s: Seconds without an action, or anybody coming or going, before which a table makes no room:
            its creator is about to come, or a page is loaded again.
        restart_s: Seconds after a start in which no table of before it ends for its age: the clock of the
            machine may not be right yet.
        fault_s: Seconds after which a table ends that could not be rebuilt.
    """

    tables: int = 1000
    address_tables: int = 200
    address_games: int = 300
    log_bytes: int = 128 << 20
    visitor_seats: int = 20
    table_visitors: int = 200
    unread_chars: int = 1_000_000
    waiting_requests: int = 64
    listed_tables: int = 100
    idle_s: float = 12 * 3600.0
    finished_s: float = 3600.0
    empty_s: float = 2 * 3600.0
    left_s: float = 1800.0
    fresh_s: float = 10.0
    restart_s: float = 1800.0
    fault_s: float = 30 * 24 * 3600.0
