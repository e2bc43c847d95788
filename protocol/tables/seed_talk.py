"""The seeds that players add to the dice of a table: what they send, and how long a table waits for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

from engine.errors import StateError
from protocol.tables.fair_dice import check_commitment, check_seed
from protocol.tables.requests import JoinRequest
from protocol.tables.table_dice import TableDice

SEEDS_WAIT_S = 10.0
"""How long a table waits for the seeds to which its players are committed."""


class SeedNews(Protocol):
    """Takes what happens to the seeds of a table."""

    def record(self, act: str, **values: Any) -> None:  # noqa: ANN401  (plain values)
        """Add what was done to the table's log."""
        ...

    def emit(self, kind: str, seat: int | None, text: str) -> None:
        """Tell everybody at the table what happened."""
        ...

    def go_on(self) -> None:
        """Do what nobody is asked for, now that dice can be rolled."""
        ...


class SeedTalk:
    """Takes seeds and commitments to them, each when it is due.

    Args:
        dice: The table's dice; None where the server rolls none.
        clock: Seconds of a clock that never goes back.
        news: Takes what happens.
    """

    def __init__(self, dice: TableDice | None, clock: Callable[[], float], news: SeedNews) -> None:
        self._dice = dice
        self._clock = clock
        self._news = news
        self._due_s = 0.0

    @property
    def is_awaited(self) -> bool:
        """Whether seeds are to be told before the next roll."""
        return self._dice is not None and bool(self._dice.awaited)

    @property
    def due_s(self) -> float | None:
        """When the table waits no longer, by the clock; None while it waits for none."""
        return self._due_s if self.is_awaited else None

    @staticmethod
    def check(request: JoinRequest) -> None:
        """Check what a visitor brings.

        Raises:
            FormatError: A seed, or a commitment to one, is none.
        """
        check_seed(request.seed)
        if request.seed_commitment:
            check_commitment(request.seed_commitment)

    def take(self, seats: Collection[int], request: JoinRequest) -> None:
        """Take what a visitor brings for its seats, as far as it counts."""
        if self._dice is not None:
            for seat in seats:
                self._dice.add_seed(seat, request.seed_commitment, request.seed)

    def begin(self) -> dict[str, Any]:
        """Wait for the seeds of a secret that is used from now on; return what the log has of them."""
        if self._dice is None:
            return {}
        self._due_s = self._clock() + SEEDS_WAIT_S
        seeds = self._dice.seeds
        return {"seeds": list(seeds.seeds), "commitments": list(seeds.commitments)}

    def commit(self, seat: int, commitment: str) -> None:
        """Take the commitment of a player to a seed for the next secret.

        Raises:
            StateError: None counts now.
        """
        if self._dice is None or not self._dice.add_seed(seat, commitment, ""):
            raise StateError("no seed counts before the server has committed to its next secret", field="act")
        self._news.emit("seed", seat, "committed")

    def tell(self, seat: int, seed: str) -> None:
        """Take the seed to which a player is committed, and go on once all are told.

        Raises:
            StateError: None of his is awaited.
            ValueRangeError: It is another one.
        """
        if self._dice is None:
            raise StateError("no seed of this seat is awaited", field="seed")
        self._dice.tell_seed(seat, seed)
        self._news.emit("seed", seat, "told")
        if not self._dice.awaited:
            self.fix(self._dice.seeds.seeds)

    def tick(self, now: float) -> None:
        """Wait no longer, if it is time."""
        if self._dice is not None and self.is_awaited and self._due_s <= now:
            self.fix(self._dice.seeds.seeds)

    def fix(self, seeds: Sequence[str]) -> None:
        """Let dice be rolled with these seeds from now on, empty for one that was not told."""
        assert self._dice is not None
        self._dice.fix_seeds(seeds)
        self._news.record("seeds", seeds=list(seeds))
        self._news.emit("seed", None, "")
        self._news.go_on()
