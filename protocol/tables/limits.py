"""Caps on tables and their visitors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HubLimits:
    """Caps.

    Attributes:
        tables: Tables at a time.
        visitor_tables: Tables that one visitor may have created and that go on.
        visitor_seats: Tables at which one visitor may be.
        table_visitors: Visitors at one table.
        unread_chars: What may wait for a visitor; one that leaves more unread is dropped.
        waiting_requests: Requests of a visitor that may wait for something to be compiled.
        listed_tables: Tables in an answer to ``list``.
        idle_s: Seconds without an action, or anybody coming, after which a table ends.
        finished_s: The same once its match is over.
        empty_s: The same where no game ever began.
    """

    tables: int = 1000
    visitor_tables: int = 50
    visitor_seats: int = 20
    table_visitors: int = 200
    unread_chars: int = 1_000_000
    waiting_requests: int = 64
    listed_tables: int = 100
    idle_s: float = 12 * 3600.0
    finished_s: float = 3600.0
    empty_s: float = 2 * 3600.0
