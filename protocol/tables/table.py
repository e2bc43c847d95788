"""A table: seats, visitors, events, the clock, and the turns of engines."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from engine.errors import GammondError, StateError, ValueRangeError
from protocol.core.fault_log import FAULT_LOG
from protocol.state.service import Service
from protocol.tables.archive import Archive, KeptGame, SavedTable, TokenHashes
from protocol.tables.clocks import MatchClock
from protocol.tables.engine_turns import EngineTurn, list_player_lines
from protocol.tables.events import EventLog, encode_frame
from protocol.tables.fair_dice import check_seed
from protocol.tables.game_history import HistoryEntry
from protocol.tables.game_view import Phase
from protocol.tables.requests import JoinRequest, TableSpec, check_name
from protocol.tables.seats import OPEN, PERSON, Seat
from protocol.tables.submission import Submit
from protocol.tables.table_game import TableGame
from protocol.tables.tokens import hash_token, is_token, make_token

DEFAULT_PACE_MS = 600
"""The least time between what an engine sees and what it does, unless the table says otherwise."""

GAMES_PAUSE_S = 3.0
"""The time between two games of engines."""

MAX_ACTIONS = 20_000
"""The longest log of a table."""


class Listener(Protocol):
    """Who is at a table: a visitor, as the table sees it."""

    def send(self, frame: str) -> None:
        """Send the visitor a frame."""
        ...


@dataclass
class Member:
    """A visitor's place at a table.

    Attributes:
        listener: The visitor.
        seats: The seats that it holds.
        has_watch_token: Whether it may steer a game of engines.
    """

    listener: Listener
    seats: set[int] = field(default_factory=set)
    has_watch_token: bool = False


@dataclass(frozen=True)
class TableServices:
    """What a table needs of its hub.

    Attributes:
        service: What all clients share.
        submit: Has work done.
        clock: Seconds of a clock that never goes back.
        wall_clock: Seconds of the Unix epoch.
        archive: Keeps tables and games.
        run_step: Runs what may need a kernel that is not compiled yet, now or once it is.
    """

    service: Service
    submit: Submit
    clock: Callable[[], float]
    wall_clock: Callable[[], float]
    archive: Archive
    run_step: Callable[[Callable[[], None]], None]


class Table:
    """A table. Not for several threads.

    Args:
        table_id: Its name.
        spec: What it is created with, checked.
        services: What it needs of its hub.
        seed: The seed of the engines' errors.

    Attributes:
        game: Its games.
        seats: Seats 0 and 1.
        events: Its last events.
        members: Who is at it.
        active_s: When something was done at it last, by the clock.
        is_paused: Whether engines wait.
        awaits_dice: Whether an engine has decided to roll, and somebody is to type its dice.
        request: Who asks the other side for what: the seat, ``undo``, ``go_back`` or ``redo``, and how many
            actions are left after it; None for nobody.
        pace_s: The least time between what an engine sees and what it does.

    Raises:
        GammondError: There cannot be such a table.
    """

    def __init__(self, table_id: str, spec: TableSpec, services: TableServices, seed: int) -> None:
        self.table_id = table_id
        self.spec = spec
        self._services = services
        self.game = TableGame(services.service, spec, seed)
        first, second = (Seat.make(each, self.game.view) for each in spec.seats)
        self.seats = (first, second)
        for seat in self.seats:
            self._check_player(seat)
        self.watch_hash = ""
        self.events = EventLog()
        self.members: dict[Listener, Member] = {}
        self.clock = None if spec.clock is None else MatchClock(spec.clock)
        self.active_s = services.clock()
        self.created_s = services.wall_clock()
        self.is_paused = False
        self.pace_s = (DEFAULT_PACE_MS if spec.pace_ms is None else spec.pace_ms) / 1000
        self.request: tuple[int, str, int] | None = None
        self.awaits_dice = False
        self._turn: EngineTurn | None = None
        self._due: tuple[float, Callable[[], None]] | None = None
        self._changed_s = self.active_s
        self._game_started_s = self.created_s
        self._action_count = 0
        self._choices: dict[str, Any] | None = None
        self._is_end_announced = False
        self._is_replaying = False

    def _check_player(self, seat: Seat) -> None:
        for line in list_player_lines(self.game.session, seat.player, seat.level):
            try:
                self.game.run(line)
            except GammondError as error:
                raise error.with_field("seats") from None

    # Seats and visitors

    def open(self) -> tuple[list[str | None], str]:
        """Make the secrets, and keep the table.

        Returns:
            The tokens of the seats, None for an engine's, and that of spectators.
        """
        tokens = [None if seat.is_engine else seat.issue_token() for seat in self.seats]
        watch = make_token()
        self.watch_hash = hash_token(watch)
        first, second = (seat.token_hash for seat in self.seats)
        hashes = TokenHashes((first, second), self.watch_hash)
        document = msgspec.to_builtins(self.spec)
        self._services.archive.save_table(SavedTable(self.table_id, self.created_s, document, hashes))
        if self.game.dice is not None:
            self._record("commit", secret=self.game.dice.commit().hex())
        return tokens, watch

    def join(self, listener: Listener, request: JoinRequest) -> tuple[dict[str, Any], list[str]]:
        """Let a visitor come.

        Returns:
            What the answer says, and the frames that follow it.

        Raises:
            GammondError: It may not.
        """
        held = {place for place, seat in enumerate(self.seats) if self._holds(seat, request.tokens)}
        watches = any(is_token(token, self.watch_hash) for token in request.tokens)
        invited = next(
            (place for place, seat in enumerate(self.seats) if any(map(seat.invites, request.tokens))), None
        )
        if invited is None and not held and not watches and not self.spec.public:
            raise ValueRangeError("expected a token of this table", field="token")
        check_seed(request.seed)
        answer: dict[str, Any] = {}
        if invited is not None and invited not in held:
            answer["tokens"] = self._take_seat(invited, check_name(request.name or "Guest"))
            held.add(invited)
        member = self.members.setdefault(listener, Member(listener))
        member.has_watch_token |= watches
        for place in sorted(held - member.seats):
            self._sit_down(member, place)
        for place in held if request.seed else ():
            self.seats[place].seed = request.seed
        self.active_s = self._services.clock()
        frames = self._list_missed(member, request.after)
        return {"seats": sorted(member.seats), "event": self.events.number, **answer}, frames

    def _holds(self, seat: Seat, tokens: Collection[str]) -> bool:
        return seat.kind != OPEN and any(map(seat.allows, tokens))

    def _take_seat(self, place: int, name: str) -> list[str | None]:
        """Give a seat to who has its link; return the tokens, the seat's new one in its place."""
        seat = self.seats[place]
        for member in self.members.values():
            if place in member.seats:  # its link was used again: who came first has not acted yet
                member.seats.discard(place)
        seat.visitors = 0
        seat.invitation_hash = seat.invitation_hash or seat.token_hash
        token = seat.issue_token()
        seat.kind, seat.name = PERSON, name
        hashes = {"hash": seat.token_hash, "invitation": seat.invitation_hash}
        self._record("take", seat=place, name=name, **hashes)
        return [token if each == place else None for each in (0, 1)]

    def _sit_down(self, member: Member, place: int) -> None:
        seat = self.seats[place]
        member.seats.add(place)
        seat.visitors += 1
        seat.has_come = True
        if seat.visitors == 1:
            self.emit("joined", place, seat.name, skipped=member)

    def _list_missed(self, member: Member, after: int | None) -> list[str]:
        """List the frames that a visitor has not seen: the events after one, or the whole state."""
        missed = None if after is None else self.events.list_after(after)
        if missed is None or (missed and member.seats):
            return [*(missed or ()), self._make_state_frame(member)]
        return missed

    def begin_if_ready(self) -> None:
        """Begin the first game once every person has come, or go on where engines waited for a visitor."""
        if not self.members:
            return
        if self.game.number == 0 and all(seat.is_ready for seat in self.seats):
            self.start_game()
        else:
            self.go_on()

    def leave(self, listener: Listener) -> None:
        """Let a visitor go."""
        member = self.members.pop(listener, None)
        for place in sorted(member.seats) if member is not None else ():
            self.seats[place].visitors -= 1
            if not self.seats[place].visitors:
                self.emit("left", place, self.seats[place].name)
        if not self.members and self.has_engines_only:
            self._cancel_turn()

    @property
    def has_engines_only(self) -> bool:
        """Whether engines play both sides."""
        return all(seat.is_engine for seat in self.seats)

    def may_steer(self, member: Member) -> bool:
        """Return whether a visitor may pause the game: nobody else is playing."""
        if self.has_engines_only:
            return member.has_watch_token
        return bool(member.seats) and self.holds_all(member)

    def holds_all(self, member: Member) -> bool:
        """Return whether a visitor holds every seat that no engine plays."""
        return all(seat.is_engine or place in member.seats for place, seat in enumerate(self.seats))

    @property
    def names(self) -> tuple[str, str]:
        """The names of seats 0 and 1."""
        return self.seats[0].name, self.seats[1].name

    # Games

    def start_game(self) -> None:
        """Begin the next game.

        Raises:
            StateError: It is not the time.
        """
        seeds = (self.seats[0].seed, self.seats[1].seed)
        self.game.start(self.names, seeds)
        self._record("start", seeds=seeds)
        self._game_started_s = self._services.wall_clock()
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
            has_help: Whether an engine decided it for a person.

        Raises:
            GammondError: It is refused; nothing has changed.
        """
        if self._action_count >= MAX_ACTIONS:
            raise StateError(f"this table has had {MAX_ACTIONS} actions: create another", field="act")
        entry = self.game.apply(line, seat)
        self.game.has_help |= has_help
        if seat is not None:
            self.seats[seat].invitation_hash = None
        self._record("do", seat=seat, line=line, help=has_help)
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
        if what == "redo":
            self.game.redo()
        else:
            self.game.undo(count)
        self._record(what, seat=seat, count=count)
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
        self._record("forfeit", winner=winner, kind=kind)
        self._note_change()
        self.emit(kind, 1 - winner, kind)
        self.go_on()

    def _note_change(self) -> None:
        """Forget what was about the game as it was, and let the time of the seat to act run."""
        self._cancel_turn()
        self.awaits_dice = False
        self.request = None
        self._choices = None
        self._changed_s = self.active_s = self._services.clock()
        self.switch_clock()
        self._is_end_announced = False
        if self.game.end is not None:
            if self.game.dice is not None:
                self.game.dice.reveal()
            if not self._is_replaying:
                self._keep_game()

    def switch_clock(self) -> None:
        """Let the time run of the person who is to act."""
        if self.clock is None:
            return
        seat = self.game.to_act
        runs = seat is not None and not self.seats[seat].is_engine and not self.is_paused
        running = seat if runs else None
        if running != self.clock.running:
            self.clock.begin_turn(running, self._services.clock())

    def _keep_game(self) -> None:
        """Commit to the secret of the next game, and keep the one that is over."""
        dice = self.game.dice
        if dice is not None and self.game.phase is Phase.OVER and dice.next_secret is None:
            self._record("commit", secret=dice.commit().hex())
        self._services.archive.keep_game(self._describe_kept())

    def _describe_kept(self) -> KeptGame:
        game, end = self.game, self.game.end
        assert end is not None
        first, second = (seat.describe_kept() for seat in self.seats)
        text_format, text = game.view.write_record(self.names)
        return KeptGame(
            f"{self.table_id}-{game.number}",
            self.table_id,
            game.number,
            game.game_name,
            self.spec.variant,
            self.spec.length,
            (first, second),
            game.score_before,
            game.score,
            end.winner,
            end.points,
            end.kind,
            game.match_winner,
            self._game_started_s,
            self._services.wall_clock(),
            game.has_help,
            text_format,
            text,
            token_hashes=(self.seats[0].token_hash, self.seats[1].token_hash),
        )

    # What comes next

    def go_on(self) -> None:
        """Do what nobody is asked for: rolls, and the turns of engines."""
        if self._is_replaying:
            return
        if not self.game.is_on:
            self._announce_end()
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
        has_next = self.game.phase is Phase.OVER and self.has_engines_only
        if has_next and self.members and not self.is_paused and self._due is None:
            self._due = (self._services.clock() + GAMES_PAUSE_S, self.start_game)

    def _rolls_now(self) -> bool:
        """Return whether the server rolls without being asked."""
        game = self.game
        if game.dice is None or game.phase is not Phase.ROLL:
            return False
        if game.view.is_opening:
            return True
        seat = game.to_act
        is_person = seat is not None and not self.seats[seat].is_engine
        return is_person and self.spec.auto_roll and not game.view.may_double

    def _begin_turn(self) -> None:
        """Let the engine decide that is to act."""
        place = self.game.to_act
        if place is None or not self.seats[place].is_engine or self.is_paused:
            return
        if self._turn is not None or self._due is not None or self.awaits_dice:
            return
        if self.has_engines_only and not self.members:
            return
        seat = self.seats[place]
        self.ask_engine(place, seat.player, seat.level, self._plan)

    def ask_engine(
        self, place: int, player: str | None, level: str | None, on_decided: Callable[[int, str], None]
    ) -> None:
        """Let a player decide for a seat.

        Args:
            place: The seat.
            player: The player.
            level: Its level.
            on_decided: Takes the seat and the command.
        """
        session = self.game.session
        for line in list_player_lines(session, player, level):
            self.game.run(line)

        def take(turn: EngineTurn, line: str) -> None:
            if turn is self._turn:
                self._turn = None
                on_decided(place, line)

        decision = self.game.view.decide(self.seats[place].rejected_kind)
        self._turn = EngineTurn(session, decision, self._services.submit, self, take, self._fail_turn)
        self._turn.begin()

    def _plan(self, place: int, line: str) -> None:
        """Carry out what an engine decided, once people could follow what came before."""
        self._due = (self._changed_s + self.pace_s, lambda: self._do_decided(place, line))

    def _do_decided(self, place: int, line: str) -> None:
        if line == "roll" and self.spec.dice == "typed":
            self.awaits_dice = True
            self.emit("awaits_dice", place, "")
            return
        self.do(line, place)

    def do_for_person(self, place: int, line: str) -> None:
        """Carry out what an engine decided for a person who asked."""
        if line == "roll" and self.spec.dice == "typed":
            self.emit("roll_yourself", place, "")
            return
        self.do(line, place, has_help=True)

    def _fail_turn(self, turn: EngineTurn, error: Exception) -> None:
        """Tell everybody why an engine does not move, and wait for somebody to let it try again."""
        if turn is not self._turn:
            return
        self._turn = None
        message = error.message if isinstance(error, GammondError) else "internal error"
        if not isinstance(error, GammondError):
            FAULT_LOG.log("an engine's turn at a table failed", error)
        self.is_paused = True
        self.switch_clock()
        self.emit("trouble", self.game.to_act, message)

    def _cancel_turn(self) -> None:
        self._due = None
        if self._turn is not None:
            turn, self._turn = self._turn, None
            turn.cancel()

    @property
    def is_thinking(self) -> bool:
        """Whether an engine decides."""
        return self._turn is not None

    @property
    def due_s(self) -> float | None:
        """When `tick` has something to do, by the clock."""
        times = [
            None if self._due is None else self._due[0],
            None if self.clock is None else self.clock.due_s,
        ]
        return min((time for time in times if time is not None), default=None)

    def tick(self) -> None:
        """Do what is due: the move of an engine, the end of somebody's time."""
        now = self._services.clock()
        if self.check_time(now):
            return
        if self._due is not None and self._due[0] <= now:
            _, step = self._due
            self._due = None
            step()

    def check_time(self, now: float) -> bool:
        """End the match if somebody's time is up; return whether it is."""
        loser = None if self.clock is None else self.clock.find_loser(now)
        if loser is None:
            return False
        self.forfeit(1 - loser, "time")
        return True

    def close(self) -> None:
        """End the table: nobody is at it any more, and no engine thinks for it."""
        self._cancel_turn()
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
                self._cancel_turn()
            self.switch_clock()
        self._record(kind, **values)
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
        if self._is_replaying:
            return
        self.events.number += 1
        event = self._make_event(kind, seat, text)
        if entry is not None:
            event["entry"] = entry.describe()
        frame = self.events.add(event)
        own = None
        for member in list(self.members.values()):
            if member is skipped:
                continue
            if self._acts(member):
                own = own or encode_frame({**event, "state": event["state"] | self._list_choices()})
            member.listener.send(own if own and self._acts(member) else frame)

    def _make_event(self, kind: str, seat: int | None, text: str) -> dict[str, Any]:
        return {
            "table": self.table_id,
            "event": self.events.number,
            "kind": kind,
            "seat": seat,
            "text": text,
            "state": self.describe(),
        }

    def _make_state_frame(self, member: Member) -> str:
        event = self._make_event("state", None, "")
        event["state"]["history"] = self.game.history.describe()
        if self._acts(member):
            event["state"] |= self._list_choices()
        return encode_frame(event)

    def _acts(self, member: Member) -> bool:
        return self.game.phase is Phase.PLAY and self.game.to_act in member.seats

    def _list_choices(self) -> dict[str, Any]:
        """Return the legal plays, listed once for each position."""
        if self._choices is None:
            self._choices = self.game.view.describe_choices()
        return self._choices

    def describe(self) -> dict[str, Any]:
        """Return the state that everybody sees."""
        persons = [place for place, seat in enumerate(self.seats) if not seat.is_engine]
        request = self.request
        now = self._services.clock()
        return {
            **self.game.describe(),
            "seats": [seat.describe() for seat in self.seats],
            "clock": None if self.clock is None else {**self.clock.describe(now), "at": round(now, 3)},
            "undo": self.spec.undo,
            "can_undo": self.spec.undo and self.game.history.count_since_decision(persons) > 0,
            "can_redo": self.spec.undo and self.game.history.redo_count > 0,
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

    # The log

    def _record(self, act: str, **values: Any) -> None:  # noqa: ANN401  (plain values)
        """Add an action to the table's log."""
        self._action_count += 1
        if self._is_replaying:
            return
        entry: dict[str, Any] = {"act": act, "at": self._services.wall_clock(), **values}
        if self.clock is not None:
            now = self._services.clock()
            entry["banks_s"] = [self.clock.read_bank(seat, now) for seat in (0, 1)]
        self._services.archive.add_action(self.table_id, entry)
