"""What has come by a connection of the web server, parsed in turns with all that others send.

A quarter of a megabyte, as a socket brings at once, can be 40,000 frames or parts of a body, and take half a
second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from gammond.engine.errors import GammondError
from gammond.protocol.transports.connected_client import PIECE_BYTES
from gammond.protocol.transports.rounds import InputTurns
from gammond.protocol.transports.shared_work import SharedWork

_LEAST_PARSED_BYTES, _MOST_PARSED_BYTES = 512, 8192
"""How much is parsed between two looks at the clock. The least takes a third of a millisecond if it is empty
frames; what takes less time for its length comes in larger pieces."""

_QUICK_S = 0.0001
"""What is parsed in less lets the next piece be larger."""


class WebInbox:
    """What has come by a connection and is not parsed yet; holds it for `HeldMemory`.

    Args:
        shared: Gives turns, and counts what is held.
        transport: Brings the bytes; it is not read from while any are left.
        parse: Parses some of them, or goes on with what it was given before if there are none.
        is_paused: Returns whether nothing may be parsed now: what came before is not taken yet.
        cut_off: Ends the connection for a reason.

    Attributes:
        held_bytes: What is held, as counted last.
        is_parsing: Whether this is its turn.
        is_cut_off: Whether the connection was ended with a reason.
    """

    def __init__(
        self,
        shared: SharedWork,
        transport: asyncio.Transport,
        parse: Callable[[bytes], None],
        is_paused: Callable[[], bool],
        cut_off: Callable[[str], None],
    ) -> None:
        self.held_bytes = 0
        self.is_parsing = False
        self.is_cut_off = False
        self._shared = shared
        self._transport = transport
        self._parse = parse
        self._is_paused = is_paused
        self._cut_off = cut_off
        self._data = bytearray()
        self._piece_bytes = _LEAST_PARSED_BYTES
        self._parsed_bytes = 0
        self._turns = InputTurns(shared.rounds, self._take_step, self.abort)

    def put(self, data: bytes) -> None:
        """Take in bytes, and read no more until they are parsed."""
        self._data += data
        self._transport.pause_reading()
        self._count()
        self._turns.plan(at_once=True)

    def go_on(self) -> None:
        """Parse on, or read, unless what came before is still to be taken."""
        if self._is_paused():
            return
        self._parsed_bytes = 0
        self._count()
        if self._data:
            self._transport.pause_reading()
            self._turns.plan()
        else:
            self._transport.resume_reading()

    def plan(self) -> None:
        """Go on with what the parser has, in the next turn."""
        self._turns.plan()

    def clear(self) -> None:
        """Forget everything: the connection is gone."""
        self._data.clear()
        self._parsed_bytes = 0
        self._count()

    def cut_off(self, error: GammondError) -> None:
        """End the connection with a reason."""
        self.is_cut_off = True
        self._cut_off(error.message)

    def abort(self) -> None:
        """Drop the connection at once."""
        self._transport.abort()

    def _take_step(self) -> bool:
        """Parse a piece; return whether there is another that may be parsed now."""
        if self._transport.is_closing():
            self.clear()
            return False
        if self._is_paused():
            return False
        clock, size = self._shared.clock, self._piece_bytes
        piece = bytes(self._data[:size])
        del self._data[:size]
        self._parsed_bytes += len(piece)
        self.is_parsing, began_s = True, clock()
        try:
            self._parse(piece)
        finally:
            self.is_parsing = False
        is_quick = clock() - began_s < _QUICK_S
        self._piece_bytes = min(2 * size, _MOST_PARSED_BYTES) if is_quick else _LEAST_PARSED_BYTES
        has_more = bool(self._data) and not self._is_paused()
        if not has_more:
            self._count()
            if not self._data and not self._is_paused():
                self._transport.resume_reading()
        return has_more

    def _count(self) -> None:
        """Count what is held: what is not parsed, and what was parsed and is not taken."""
        held_bytes = len(self._data) + self._parsed_bytes
        if held_bytes > PIECE_BYTES or self.held_bytes:
            self._shared.memory.count(self, held_bytes)
