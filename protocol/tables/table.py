"""A table: who plays, by which token, what is done and told, and when time is up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from engine.errors import GammondError
from protocol.core.fault_log import FAULT_LOG
from protocol.core.replies import describe_error
from protocol.tables.admission import Admission
from protocol.tables.archive import SavedTable
from protocol.tables.audience import Audience, Listener, Member
from protocol.tables.clocks import MatchClock
from protocol.tables.engine_play import EnginePlay
from protocol.tables.events import Frame, Late
from protocol.tables.game_history import HistoryEntry
from protocol.tables.game_view import Phase
from protocol.tables.requests import JoinRequest, TableSpec
from protocol.tables.seating import Seating
from protocol.tables.seats import ENGINE, Seat
from protocol.tables.seed_talk import SeedTalk
from protocol.tables.services import TableServices
from protocol.tables.table_game import TableGame
from protocol.tables.table_log import TableLog

DEFAULT_PACE_MS = 600
"""The least time between what an engine sees and what it does, unless the table says otherwise."""

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
        seating: Who sits where.
        log: What was done at it.
        audience: Who is at it.
        admission: Lets visitors come and go.
        seeds: Takes what players add to the dice.
        engines: The engines that play at it.
        active_s: When something was done at it last, or the last visitor left, by the clock.
        restarts: How often it was rebuilt.
        is_paused: Whether engines wait.
        awaits_dice: Whether an engine has decided to roll, and somebody is to type its dice.
        request: Who asks the other side for what: the seat, ``undo``, ``go_back`` or ``redo``, and how many
            actions are left after it; None for nobody.
        pace_s: The least time between what an engine sees and what it does.
        game_started_s: When the game at hand began, in seconds of the Unix epoch.

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
        self.seating = Seating(spec, self.game)
        self.log = TableLog(table_id, services.archive, services.wall_clock)
        self.audience = Audience(table_id, self)
        self.admission = Admission(self.seating, self.audience, self, is_public=spec.public)
        self.seeds = SeedTalk(self.game.dice, services.clock, self)
        self.engines = EnginePlay(self.game, services.submit, self, self._fail_engine)
        self.clock = None if spec.clock is None else MatchClock(spec.clock)
        self.active_s = services.clock()
        self.created_s = services.wall_clock()
        self.restarts = 0
        self.is_paused = False
        self.pace_s = (DEFAULT_PACE_MS if spec.pace_ms is None else spec.pace_ms) / 1000
        self.request: tuple[int, str, int] | None = None
        self.awaits_dice = False
        self._changed_s = self.active_s
        self.game_started_s = self.created_s
        self._choices: Late[dict[str, Any]] | None = None
        self._is_end_announced = False

    @property
    def members(self) -> dict[Listener, Member]:
        """Who is at the table."""
        return self.audience.members

    @property
    def seats(self) -> tuple[Seat, Seat]:
        """Seats 0 and 1."""
        return self.seating.seats

    # Seats and visitors

    def open(self, owners: Sequence[str] = ("", "")) -> tuple[list[str | None], str]:
        """Make the secrets, and keep the table.

        Args:
            owners: What marks the accounts that have the seats; empty for none.

        Returns:
            The tokens of the seats, None for an engine's, and that of spectators.
        """
        tokens, watch = self.seating.issue_tokens()
        for seat, owner in zip(self.seats, owners, strict=True):
            seat.owner = owner
        self.save()
        if self.game.dice is not None:
            self.record("commit", secret=self.game.dice.commit().hex())
        return tokens, watch

    def save(self) -> None:
        """Keep the table, or what has changed of it, but for its log."""
        if self.log.is_replaying or not self.log.is_kept:
            return
        self._services.archive.save_table(
            SavedTable(
                self.table_id,
                self.created_s,
                msgspec.to_builtins(self.spec),
                self.seating.hashes,
                self.seating.taken,
                self.seating.owners,
                self.seating.has_one_visitor,
                round(self.pace_s * 1000),
                self.is_paused,
                self.restarts,
            )
        )

    def join(
        self, listener: Listener, request: JoinRequest, owner: str = ""
    ) -> tuple[dict[str, Any], list[Frame]]:
        """Let a visitor come; arguments as for `Admission.admit`.

        Returns:
            What the answer says, and the frames that follow it.

        Raises:
            GammondError: It may not.
        """
        self.seeds.check(request)
        member, answer = self.admission.admit(listener, request, owner)
        self.seeds.take(member.seats, request)
        self.active_s = self._services.clock()
        frames = self.audience.list_missed(member, request.after)
        number = self.audience.events.number
        return {"seats": sorted(member.seats), "event": number, **answer}, frames

    def begin_if_ready(self) -> None:
        """Begin the first game once every person has come, or go on where engines waited for a visitor."""
        if not self.members:
            return
        if self.game.number == 0 and self.seating.is_complete:
            self.start_game()
        else:
            self.go_on()

    def leave(self, listener: Listener) -> None:
        """Let a visitor go."""
        self.admission.dismiss(listener)
        if self.members:
            return
        self.active_s = self._services.clock()
        if self.seating.has_engines_only:
            self.engines.cancel()

    # Games

    def start_game(self) -> None:
        """Begin the next game.

        Raises:
            StateError: It is not the time.
        """
        self.log.check_room()
        self.game.start(self.seating.names)
        self.record("start", **self.seeds.begin())
        self.game_started_s = self._services.wall_clock()
        for seat in self.seats:
            seat.rejected_kind = 0
        self._note_change()
        self.emit("start", None, str(self.game.number))
        self.go_on()

    def do(self, line: str, seat: int | None, *, has_help: bool = False) -> HistoryEntry:
        """Carry out an action of the game.

        Args:
            line: The command.
            seat: Who does it.
            has_help: Whether an engine decided it for a person, or told the person what it would decide.

        Raises:
            GammondError: It is refused; nothing has changed.
        """
        self.log.check_room()
        entry = self.game.apply(line, seat)
        self.game.has_help |= has_help
        if seat is not None:
            self.seats[seat].has_acted = True
        self.record("do", seat=seat, line=line, help=has_help)
        self._note_rejection(entry)
        self._note_change()
        self.emit(entry.kind, entry.seat, entry.text, entry)
        self.go_on()
        return entry

    def _note_rejection(self, entry: HistoryEntry) -> None:
        if entry.kind != "reject" or entry.seat is None:
            return
        offers = [each for each in self.game.history.entries if each.kind == "resign"]
        kinds = {"single": 1, "gammon": 2, "backgammon": 3}
        if offers:
            loser = self.seats[1 - entry.seat]
            loser.rejected_kind = max(loser.rejected_kind, kinds.get(offers[-1].text.split()[-1], 0))

    def take_back(self, what: str, seat: int | None, count: int) -> None:
        """Take actions of the game back, or do them again.

        Args:
            what: ``undo``, ``go_back`` or ``redo``.
            seat: Who asked for it.
            count: How many actions; as many as were taken back last for ``redo``.

        Raises:
            StateError: It cannot be done.
        """
        self.log.check_room()
        if what == "redo":
            self.game.redo()
            has_new_secret = False
        else:
            has_new_secret = self.game.undo(count)
        self.record(what, seat=seat, count=count, **(self.seeds.begin() if has_new_secret else {}))
        self._note_change()
        self.emit(what, seat, str(count))
        self.go_on()

    def ask_to_take_back(self, seat: int, what: str, left: int) -> None:
        """Ask the other side to let actions be taken back, or done again.

        Args:
            seat: Who asks.
            what: ``undo``, ``go_back`` or ``redo``.
            left: How many actions are left after it.
        """
        self.request = (seat, what, left)
        self.emit("request", seat, what)

    def answer_request(self, seat: int, *, agrees: bool) -> None:
        """Answer what the other side asked for.

        Args:
            seat: Who answers.
            agrees: Whether it may be done.
        """
        assert self.request is not None
        asker, what, left = self.request
        self.request = None
        if agrees:
            self.take_back(what, asker, len(self.game.history.entries) - left)
        else:
            self.emit("refuse", seat, what)

    def forfeit(self, winner: int, kind: str) -> None:
        """End game and match: a side's time is up, or it gave up."""
        self.game.forfeit(winner, kind)
        self.record("forfeit", winner=winner, kind=kind)
        self._note_change()
        self.emit(kind, 1 - winner, kind)
        self.go_on()

    def _note_change(self) -> None:
        """Forget what was about the game as it was, and let the time of the seat to act run."""
        self.engines.cancel()
        self.awaits_dice = False
        self.request = None
        self._choices = None
        self._changed_s = self.active_s = self._services.clock()
        self.switch_clock()
        self._is_end_announced = False
        if self.game.end is not None:
            if self.game.dice is not None:
                self.game.dice.reveal()
            if not self.log.is_replaying:
                self._keep_game()

    def switch_clock(self) -> None:
        """Let the time run of the person who is to act."""
        if self.clock is None:
            return
        seat = self.game.to_act
        runs = seat is not None and not self.seating.is_engine(seat) and not self.is_paused
        running = seat if runs else None
        if running != self.clock.running:
            self.clock.begin_turn(running, self._services.clock())
            if self.clock.due_s is not None:
                self._services.note_due(self.clock.due_s)

    def _keep_game(self) -> None:
        """Commit to the secret of what comes next, a game or the end of this one anew, and keep the game."""
        dice = self.game.dice
        if dice is not None and dice.next_secret is None:
            self.record("commit", secret=dice.commit().hex())
        first, second = (seat.describe_kept() for seat in self.seats)
        times_s = self.game_started_s, self._services.wall_clock()
        kept = self.game.describe_kept(self.table_id, (first, second), times_s)
        self._services.archive.keep_game(
            msgspec.structs.replace(
                kept,
                token_hashes=(self.seats[0].token_hash, self.seats[1].token_hash),
                owners=self.seating.owners,
                is_rated=kept.is_rated and self.seating.may_have_two_players,
                is_trifle=self._services.count_game(self.origin) or kept.is_trifle,
            )
        )

    # What comes next

    def go_on(self) -> None:
        """Do what nobody is asked for: rolls, and the turns of engines."""
        if self.log.is_replaying or self.log.is_full:
            return
        if not self.game.is_on:
            self._announce_end()
            return
        if self.seeds.is_awaited:
            return
        if self._rolls_now():
            self.do("roll", self.game.to_act)
            return
        self._begin_turn()

    def _announce_end(self) -> None:
        """Tell everybody that the game is over; engines begin the next one by themselves."""
        if self.game.end is not None and not self._is_end_announced:
            self._is_end_announced = True
            self.emit("over", self.game.end.winner, self.game.end.kind)
        has_next = self.game.phase is Phase.OVER and self.seating.has_engines_only
        if has_next and self.members and not self.is_paused and not self.engines.is_busy:
            self._plan(self._services.clock() + GAMES_PAUSE_S, self.start_game)

    def _rolls_now(self) -> bool:
        """Return whether the server rolls without being asked."""
        game = self.game
        if game.dice is None or game.phase is not Phase.ROLL:
            return False
        if game.view.is_opening:
            return True
        seat = game.to_act
        is_person = seat is not None and not self.seating.is_engine(seat)
        return is_person and self.spec.auto_roll and not game.view.may_double

    def _begin_turn(self) -> None:
        """Let the engine decide that is to act."""
        place = self.game.to_act
        if place is None or not self.seating.is_engine(place) or self.is_paused:
            return
        if self.engines.is_busy or self.awaits_dice or (self.seating.has_engines_only and not self.members):
            return
        seat = self.seats[place]

        def plan(line: str) -> None:
            self._plan(self._changed_s + self.pace_s, lambda: self._do_decided(place, line))

        self.engines.ask(seat.player, seat.level, seat.rejected_kind, plan)

    def _plan(self, due_s: float, step: Callable[[], None]) -> None:
        """Let an engine do something at a time, unless the game goes another way before."""
        self.engines.plan(due_s, step)
        self._services.note_due(due_s)

    def _do_decided(self, place: int, line: str) -> None:
        """Carry out what an engine decided."""
        if line == "roll" and self.spec.dice == "typed":
            self.awaits_dice = True
            self.emit("awaits_dice", place, "")
            return
        try:
            self.do(line, place)
        except GammondError as error:
            self._fail_engine(error)

    def do_for_person(self, place: int, player: str) -> None:
        """Let a player decide for a person who asks for it, as `SeatSpec.player`, and carry that out.

        Raises:
            GammondError: There is no such player.
        """

        def do(line: str) -> None:
            if line == "roll" and self.spec.dice == "typed":
                self.emit("awaits_dice", place, "")
            else:
                self.do(line, place, has_help=True)

        view = self.game.view
        rejected_kind = self.seats[place].rejected_kind
        self.engines.ask(view.engine_player if player == ENGINE else player, None, rejected_kind, do)

    def _fail_engine(self, error: Exception) -> None:
        """Tell everybody why an engine does not move, and wait for somebody to let it try again."""
        FAULT_LOG.log_own("an engine's turn at a table failed", error)
        self.is_paused = True
        self.switch_clock()
        self.emit("trouble", self.game.to_act, describe_error(error)[2])

    @property
    def due_s(self) -> float | None:
        """When `tick` has something to do, by the clock."""
        times = [self.engines.due_s, self.seeds.due_s, None if self.clock is None else self.clock.due_s]
        return min((time for time in times if time is not None), default=None)

    def tick(self) -> None:
        """Do what is due: the move of an engine, the end of somebody's time or of a wait for seeds."""
        now = self._services.clock()
        self.seeds.tick(now)
        if not self.check_time(now):
            self.engines.run_due(now)

    def check_time(self, now: float) -> bool:
        """End the match if somebody's time is up; return whether it is."""
        loser = None if self.clock is None else self.clock.find_loser(now)
        if loser is None:
            return False
        self.forfeit(1 - loser, "time")
        return True

    def close(self) -> None:
        """End the table: nobody is at it any more, and no engine thinks for it."""
        self.engines.cancel()
        self.members.clear()

    # Steering

    def steer(self, kind: str, seat: int | None, **values: Any) -> None:  # noqa: ANN401  (plain values)
        """Change what is not of the game, and tell everybody.

        Args:
            kind: ``pause``, ``resume`` or ``pace``.
            seat: Who did it.
            values: For ``pace``, ``ms``.
        """
        if kind == "pace":
            self.pace_s = values["ms"] / 1000
        else:
            self.is_paused = kind == "pause"
            if self.is_paused:
                self.engines.cancel()
            self.switch_clock()
        self.save()
        self.active_s = self._services.clock()
        self.emit(kind, seat, str(values.get("ms", "")))
        self.go_on()

    # Events

    def emit(
        self,
        kind: str,
        seat: int | None,
        text: str,
        entry: HistoryEntry | None = None,
        *,
        skipped: Member | None = None,
    ) -> None:
        """Tell everybody at the table what happened.

        Args:
            kind: What.
            seat: Who did it.
            text: A word about it.
            entry: The action, if it was one of the game.
            skipped: Who is told otherwise.
        """
        if not self.log.is_replaying:
            described = None if entry is None else entry.describe()
            self.audience.tell(kind, seat, text, described, skipped)

    @property
    def chooser(self) -> int | None:
        """The seat that is to choose a play; None for neither."""
        return self.game.to_act if self.game.phase is Phase.PLAY else None

    def find_choices(self) -> Late[dict[str, Any]]:
        """Return what only the seat to act is told, found once for each position."""
        if self._choices is None:
            self._choices = self.game.view.find_choices(self._services.submit, self)
        return self._choices

    def describe_history(self) -> list[dict[str, Any]]:
        """Return the actions of the game at hand."""
        return self.game.history.describe()

    def describe(self) -> dict[str, Any]:
        """Return the state that everybody sees."""
        persons = self.seating.persons
        request = self.request
        now = self._services.clock()
        takes_back = self.spec.undo and not self.game.is_forfeited
        return {
            **self.game.describe(),
            "seats": [seat.describe() for seat in self.seats],
            "clock": None if self.clock is None else {**self.clock.describe(now), "at": round(now, 3)},
            "undo": takes_back,
            "can_undo": takes_back and self.game.history.count_since_decision(persons) > 0,
            "can_redo": takes_back and self.game.history.redo_count > 0,
            "request": None if request is None else {"seat": request[0], "what": request[1]},
            "paused": self.is_paused,
            "pace_ms": round(self.pace_s * 1000),
            "may_pause": len(persons) < 2,
            "auto_roll": self.spec.auto_roll,
            "awaits_dice": self.awaits_dice,
            "public": self.spec.public,
        }

    def describe_listed(self) -> dict[str, Any]:
        """Return the table as it is listed."""
        return {
            "table": self.table_id,
            "variant": self.spec.variant,
            "length": self.spec.length,
            "seats": [seat.describe() for seat in self.seats],
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
        invited = self.seating.find_invited(tokens)
        fair = None if self.game.dice is None else self.game.dice.describe()
        return {**self.describe_listed(), **rules, "clock": clock, "invited": invited, "fair": fair}

    def record(self, act: str, **values: Any) -> None:  # noqa: ANN401  (plain values)
        """Add what was done to the table's log."""
        now = self._services.clock()
        banks_s = None if self.clock is None else [self.clock.read_bank(seat, now) for seat in (0, 1)]
        self.log.add(act, banks_s, **values)
