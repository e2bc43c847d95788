"""The clock of a match: a bank of time for each seat, and a delay before each move takes from it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

MAX_BANK_S = 7 * 24 * 3600
MAX_DELAY_S = 3600


class ClockSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much time each seat has.

    Attributes:
        bank_s: Seconds for the whole match.
        move_s: Seconds of each turn that take nothing from it.
    """

    bank_s: float
    move_s: float = 0.0


class MatchClock:
    """Counts the time of the seat whose turn it is, by a clock of the caller.

    It has the simple delay of tournament clocks: a turn takes from the bank only once its delay is over.

    Args:
        spec: How much time each seat has.

    Attributes:
        running: The seat whose time runs; None for neither.
        banks_s: What was left when the present turn began.
    """

    def __init__(self, spec: ClockSpec) -> None:
        self.spec = spec
        self.banks_s = [float(spec.bank_s), float(spec.bank_s)]
        self.running: int | None = None
        self._began_s = 0.0

    def begin_turn(self, seat: int | None, now: float) -> None:
        """Let the time of a seat run, with a delay before it, or that of none.

        Args:
            seat: The seat.
            now: The time.
        """
        self.stop(now)
        self.running, self._began_s = seat, now

    def stop(self, now: float) -> None:
        """Stop the time; what the turn took from the bank is gone."""
        if self.running is not None:
            self.banks_s[self.running] = self.read_bank(self.running, now)
        self.running = None

    def read_bank(self, seat: int, now: float) -> float:
        """Return the seconds that a seat has left in its bank; never less than 0."""
        if seat != self.running:
            return self.banks_s[seat]
        return max(0.0, self.banks_s[seat] - max(0.0, now - self._began_s - self.spec.move_s))

    def read_delay(self, now: float) -> float:
        """Return the seconds of the present turn that are still free."""
        if self.running is None:
            return float(self.spec.move_s)
        return max(0.0, self.spec.move_s - (now - self._began_s))

    def find_loser(self, now: float) -> int | None:
        """Return the seat whose time is up; None if neither's is."""
        seat = self.running
        return seat if seat is not None and self.read_bank(seat, now) <= 0.0 else None

    @property
    def due_s(self) -> float | None:
        """When the time of the seat that runs is up; None while none runs."""
        if self.running is None:
            return None
        return self._began_s + self.spec.move_s + self.banks_s[self.running]

    def restore(self, banks_s: Sequence[float]) -> None:
        """Set what is left in the banks, while no time runs."""
        self.banks_s = [float(bank) for bank in banks_s]

    def describe(self, now: float) -> dict[str, object]:
        """Return the clock as tables show it."""
        return {
            "bank_s": [round(self.read_bank(seat, now), 3) for seat in (0, 1)],
            "move_s": self.spec.move_s,
            "delay_s": round(self.read_delay(now), 3),
            "running": self.running,
        }
