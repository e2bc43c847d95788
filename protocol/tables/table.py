"""A table: who plays, by which token, what is done and told, and when time is up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.core.requests import Task
from gammond.protocol.tables.archive import SavedTable, TableAction, TableLog
from gammond.protocol.tables.audience import Audience, Frame, Late, Member, TableEvent, Visitor
from gammond.protocol.tables.clock import MatchClock
from gammond.protocol.tables.dice import NO_SEEDS, SEEDS_WAIT_S, check_commitment, check_seed, make_secret
from gammond.protocol.tables.engine_turns import EnginePlay
from gammond.protocol.tables.game import TableGame
from gammond.protocol.tables.game_view import TablePhase
from gammond.protocol.tables.requests import JoinRequest, TableSpec
from gammond.protocol.tables.seats import Seats
from gammond.protocol.tables.services import TableServices

_ENDING_SEEDS = ("start", "undo", "go_back", "redo")
"""Actions that may use the secret to come, and from which on it takes no more seeds."""

GAMES_PAUSE_S = 3.0
"""The time between two games of engines."""

_OFFERED_RULES = ("doubles", "begins", "crawford", "jacoby", "beavers", "cube", "dice", "undo", "public")
"""What who has not come yet is told of a table, by the names in its `TableSpec`."""


class Table:
    """A table. Not for several threads.

    Args:
        table_id: Its name.
        spec: What it is created with, checked.
        services: What it needs of its hub.
        seed: The seed of the engines' errors.
        origin: The address from which it is created; empty for one that has no limits of its own.

    Attributes:
        origin: As given; that of who comes first to a table that was rebuilt.
        game: Its games.
        seats: Who sits where.
        log: Keeps what is done in its games.
        audience: Who is at it.
        engines: The engines that play at it.
        active_s: When something was done at it last, or the last visitor left, by the clock.
        restarts: How often it was rebuilt.
        request: Who asks the other side for what: the seat, ``undo``, ``go_back`` or ``redo``, and how many
            actions are left after it; None for nobody.

    Raises:
        GammondError: There cannot be such a table.
    """

    def __init__(
        self, table_id: str, spec: TableSpec, services: TableServices, seed: int, origin: str = ""
    ) -> None:
        self.table_id = table_id
        self.origin = origin
        self.spec = spec
        self._services = services
        self.game = TableGame(services.service, spec, seed)
        self.log = TableLog(table_id, services.archive)
        self.audience = Audience(table_id, self._describe, self._find_chooser, self._find_choices)
        self.seats = Seats(spec, self.game, self.audience, self.save, self._tell_moved)
        self.engines = EnginePlay(
            *(self.game, self.seats, services, self), self.act, self.emit, self.switch_clock
        )
        self.clock = None if spec.clock is None else MatchClock(spec.clock)
        self.active_s = services.clock()
        self.created_s = services.wall_clock()
        self.restarts = 0
        self.request: tuple[int, str, int] | None = None
        self._seeds_due_s = self.active_s + SEEDS_WAIT_S
        self._choices: Late[dict[str, Any]] | None = None
        self._is_end_announced = False

    @property
    def members(self) -> dict[Visitor, Member]:
        """Who is at the table."""
        return self.audience.members

    # Seats and visitors

    def open(self, owners: Sequence[str] = ("", "")) -> tuple[list[str | None], str]:
        """Make the secrets, and keep the table.

        Args:
            owners: What marks the accounts that have the seats; empty for none.

        Returns:
            The tokens of the seats, None for an engine's, and that of spectators.
        """
        tokens, watch = self.seats.issue_tokens()
        for seat, owner in zip(self.seats, owners, strict=True):
            seat.owner = owner
        self.save()
        self._commit()
        return tokens, watch

    def save(self) -> None:
        """Keep the table, or what has changed of it, but for its log."""
        if not self.log.is_kept:
            return
        self._services.archive.save_table(
            SavedTable(
                self.table_id,
                self.created_s,
                msgspec.to_builtins(self.spec),
                self.seats.hashes,
                self.seats.taken,
                self.seats.owners,
                self.seats.has_one_visitor,
                round(self.engines.pace_s * 1000),
                self.engines.is_paused,
                self.restarts,
            )
        )

    def join(
        self, visitor: Visitor, request: JoinRequest, owner: str = ""
    ) -> tuple[dict[str, Any], list[Frame]]:
        """Let a visitor come; arguments as for `Seats.admit`.

        Returns:
            What the answer says, and the frames that follow it.

        Raises:
            GammondError: It may not.
        """
        check_seed(request.seed)
        if request.seed_commitment:
            check_commitment(request.seed_commitment)
        member, answer = self.seats.admit(visitor, request, owner)
        if self.game.dice is not None:
            for seat in member.seats:
                self.game.dice.add_seed(seat, request.seed_commitment, request.seed)
        self.active_s = self._services.clock()
        frames = self.audience.list_missed(member, request.after)
        number = self.audience.events.number
        return {"seats": sorted(member.seats), "event": number, **answer}, frames

    def begin_if_ready(self) -> None:
        """Begin the first game once every person has come, or go on where engines waited for a visitor."""
        if not self.members:
            return
        if self.game.number == 0 and self.seats.is_complete:
            self.act(TableAction("start"))
        else:
            self.go_on()

    def _tell_moved(self, kind: str, place: int, skipped: Member | None) -> None:
        self.emit(kind, place, self.seats[place].name, skipped=skipped)

    def leave(self, visitor: Visitor) -> None:
        """Let a visitor go."""
        self.seats.dismiss(visitor)
        if self.members:
            return
        self.active_s = self._services.clock()
        if self.seats.has_engines_only:
            self.engines.cancel()

    # Games

    def act(self, action: TableAction) -> None:
        """Carry out an action of the games, write it down, and tell everybody.

        Args:
            action: The action; its time and that of the seats are added.

        Raises:
            GammondError: It is refused; nothing has changed.
        """
        self.log.check_room()
        event = self._write(action)
        self._note_change()
        if event is not None:
            self.audience.tell(event)
        self.go_on()

    def _write(self, action: TableAction) -> TableEvent | None:
        """Carry out an action of the games, and write it down; return what everybody is to be told."""
        now = self._services.clock()
        clock = self.clock
        seeds, commitments = action.seeds, action.commitments
        if action.act in _ENDING_SEEDS:
            following = None if self.game.dice is None else self.game.dice.next
            if following is None:
                seeds = commitments = NO_SEEDS
            else:
                seeds, commitments = following.told, following.commitments
                self._seeds_due_s = now + SEEDS_WAIT_S
        action = msgspec.structs.replace(
            action,
            at=self._services.wall_clock(),
            banks_s=None if clock is None else (clock.read_bank(0, now), clock.read_bank(1, now)),
            seeds=seeds,
            commitments=commitments,
        )
        event = self.game.act(action)
        self.log.add(action)
        return event

    def _note_change(self) -> None:
        """Forget what was about the game as it was, and let the time of the seat to act run."""
        self.active_s = self._services.clock()
        self.engines.note_change(self.active_s)
        self.request = None
        self._choices = None
        self.switch_clock()
        self._is_end_announced = False
        if self.game.end is not None:
            self._commit()
            self._keep_game()

    def switch_clock(self) -> None:
        """Let the time run of the person who is to act."""
        if self.clock is None:
            return
        seat = self.game.to_act
        runs = seat is not None and not self.seats.is_engine(seat) and not self.engines.is_paused
        running = seat if runs else None
        if running != self.clock.running:
            self.clock.begin_turn(running, self._services.clock())
            if self.clock.due_s is not None:
                self._services.note_due(self.clock.due_s)

    def take_up(self) -> None:
        """Go on after it was rebuilt: keep that it was, and do what the end of the server left undone."""
        self.save()
        if not self.game.is_on:
            self._commit()
        self.switch_clock()

    def _commit(self) -> None:
        """Commit to the secret of what comes next, a game or the end of this one anew, unless it is done."""
        if self.game.dice is not None and self.game.dice.next is None:
            self._write(TableAction("commit", secret=make_secret().hex()))

    def _keep_game(self) -> None:
        """Keep the game, which is over."""
        first, second = (seat.describe_kept() for seat in self.seats)
        kept = self.game.describe_kept(
            *(self.table_id, (first, second), self._services.wall_clock()),
            may_rate=self.seats.may_have_two_players,
            is_trifle=self._services.count_game(self.origin),
        )
        self._services.archive.keep_game(kept)

    # Seeds of the dice

    @property
    def awaits_seeds(self) -> bool:
        """Whether seeds are to be told before the next roll."""
        return self.game.dice is not None and bool(self.game.dice.seats_to_tell)

    def end_seeds(self) -> None:
        """Let dice be rolled with the seeds that were told, empty for one that was not."""
        assert self.game.dice is not None
        assert self.game.dice.current is not None
        if (event := self._write(TableAction("seeds", seeds=self.game.dice.current.told))) is not None:
            self.audience.tell(event)
        self.go_on()

    # What comes next

    def go_on(self) -> None:
        """Do what nobody is asked for: rolls, and the turns of engines."""
        if self.log.is_full:
            return
        if not self.game.is_on:
            self._announce_end()
            return
        if self.awaits_seeds:
            return
        if self._rolls_now():
            self.act(TableAction("do", line="roll", seat=self.game.to_act))
            return
        if self.members or not self.seats.has_engines_only:
            self.engines.begin_turn()

    def _announce_end(self) -> None:
        """Tell everybody that the game is over; engines begin the next one by themselves."""
        if self.game.end is not None and not self._is_end_announced:
            self._is_end_announced = True
            self.emit("over", self.game.end.winner, self.game.end.kind)
        has_next = self.game.phase is TablePhase.OVER and self.seats.has_engines_only
        if has_next and self.members and not (self.engines.is_paused or self.engines.is_busy):
            begin_s = self._services.clock() + GAMES_PAUSE_S
            self.engines.plan(begin_s, lambda: self.act(TableAction("start")))

    def _rolls_now(self) -> bool:
        """Return whether the server rolls without being asked."""
        game = self.game
        if game.dice is None or game.phase is not TablePhase.ROLL:
            return False
        if game.view.is_opening:
            return True
        seat = game.to_act
        is_person = seat is not None and not self.seats.is_engine(seat)
        return is_person and self.spec.auto_roll and not game.view.may_double

    @property
    def due_s(self) -> float | None:
        """When `tick` has something to do, by the clock."""
        seeds_due_s = self._seeds_due_s if self.awaits_seeds else None
        times = [self.engines.due_s, seeds_due_s, None if self.clock is None else self.clock.due_s]
        return min((time for time in times if time is not None), default=None)

    def tick(self) -> None:
        """Do what is due: the move of an engine, the end of somebody's time or of a wait for seeds."""
        now = self._services.clock()
        if self.awaits_seeds and self._seeds_due_s <= now:
            self.end_seeds()
        if not self.check_time(now):
            self.engines.run_due(now)

    def check_time(self, now: float) -> bool:
        """End the match if somebody's time is up; return whether it is."""
        loser = None if self.clock is None else self.clock.find_loser(now)
        if loser is None:
            return False
        self.act(TableAction("forfeit", winner=1 - loser, kind="time"))
        return True

    def close(self) -> None:
        """End the table: nobody is at it any more, and no engine thinks for it."""
        self.engines.cancel()
        self.members.clear()

    # Steering

    def steer(self, kind: str, seat: int | None, ms: int | None) -> None:
        """Change what is not of the game, and tell everybody.

        Args:
            kind: ``pause``, ``resume`` or ``pace``.
            seat: Who did it.
            ms: The pace in milliseconds; None for another kind.
        """
        if ms is not None:
            self.engines.pace_s = ms / 1000
        else:
            self.engines.is_paused = kind == "pause"
            if self.engines.is_paused:
                self.engines.cancel()
            self.switch_clock()
        self.save()
        self.active_s = self._services.clock()
        self.emit(kind, seat, "" if ms is None else str(ms))
        self.go_on()

    # Events

    def emit(self, kind: str, seat: int | None, text: str, *, skipped: Member | None = None) -> None:
        """Tell everybody at the table what happened besides the games.

        Args:
            kind: What.
            seat: Who did it.
            text: A word about it.
            skipped: Who is told otherwise.
        """
        self.audience.tell(TableEvent(kind, seat, text), skipped)

    def _find_chooser(self) -> int | None:
        """Return the seat that is to choose a play; None for neither."""
        return self.game.to_act if self.game.phase is TablePhase.PLAY else None

    def _find_choices(self) -> Late[dict[str, Any]]:
        """Return what only the seat to act is told, found once for each position."""
        if self._choices is None:
            late = self._choices = Late[dict[str, Any]]()

            def take(choices: dict[str, Any] | Exception) -> None:
                if isinstance(choices, Exception):
                    FAULT_LOG.log_own("the plays at a table were not found", choices)
                late.complete({} if isinstance(choices, Exception) else choices)

            choices = self.game.view.describe_choices()
            if isinstance(choices, Task):
                self._services.submit(choices, take, self)
            else:
                take(choices)
        return self._choices

    def _describe(self, has_history: bool) -> dict[str, Any]:
        """Return the state that everybody sees."""
        persons = self.seats.persons
        request = self.request
        now = self._services.clock()
        takes_back = self.spec.undo and not self.game.is_forfeited
        return {
            **self.game.describe(),
            "seats": self.seats.describe(),
            "clock": None if self.clock is None else {**self.clock.describe(now), "at": round(now, 3)},
            "undo": takes_back,
            "can_undo": takes_back and self.game.history.count_since_decision(persons) > 0,
            "can_redo": takes_back and self.game.history.redo_count > 0,
            "request": None if request is None else {"seat": request[0], "what": request[1]},
            "paused": self.engines.is_paused,
            "pace_ms": round(self.engines.pace_s * 1000),
            "may_pause": len(persons) < 2,
            "auto_roll": self.spec.auto_roll,
            "awaits_dice": self.engines.awaits_dice,
            "public": self.spec.public,
            **({"history": self.game.history.describe()} if has_history else {}),
        }

    def describe_listed(self) -> dict[str, Any]:
        """Return the table as it is listed."""
        return {
            "table": self.table_id,
            "variant": self.spec.variant,
            "length": self.spec.length,
            "seats": self.seats.describe(),
            "phase": self.game.phase,
            "score": self.game.score,
        }

    def describe_offer(self, tokens: Sequence[str]) -> dict[str, Any]:
        """Return what is played here, for who has not come yet.

        Args:
            tokens: Those that it has.
        """
        spec = self.spec
        rules = {name: getattr(spec, name) for name in _OFFERED_RULES}
        clock = None if spec.clock is None else msgspec.to_builtins(spec.clock)
        invited = self.seats.find_invited(tokens)
        fair = None if self.game.dice is None else self.game.dice.describe()
        return {**self.describe_listed(), **rules, "clock": clock, "invited": invited, "fair": fair}
