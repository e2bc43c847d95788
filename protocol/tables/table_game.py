"""The games of one table: a session of the line protocol, played by its commands, with history and dice.

It knows no visitors and no clock, and does the same again when the same is asked of it: so a table is rebuilt
from its log.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from engine.errors import GammondError, StateError, ValueRangeError
from protocol.commands.dispatch import answer_command
from protocol.core.requests import AnyReply, Reply, Work, WorkControl
from protocol.games import find_entry, load_part
from protocol.state.service import Service
from protocol.state.session import Session
from protocol.tables.archive import KeptGame, KeptSeat
from protocol.tables.engine_turns import read_reply
from protocol.tables.game_history import GameHistory, HistoryEntry, name_action
from protocol.tables.game_view import GameEnd, Phase, TableView
from protocol.tables.requests import TableSpec
from protocol.tables.table_dice import TableDice

MIN_PLAYS = 3
"""The plays of each side from which on a game that was not played to its end can be one of both."""


class TableGame:
    """The games of a table.

    Args:
        service: What all clients share.
        spec: What the table was created with.
        seed: The seed of the engines' errors.

    Attributes:
        session: The session that plays.
        view: The view of its game.
        history: The actions of the game at hand.
        dice: The server's dice; None where the players type them, and where there are none.
        number: That of the game at hand; 0 before the first.
        ends: How the games before it ended.
        has_help: Whether in the game at hand something was taken back, or an engine moved for a person.

    Raises:
        GammondError: There is no such game, or it does not have what the table was created with.
    """

    def __init__(self, service: Service, spec: TableSpec, seed: int) -> None:
        self.session = Session(service, seed)
        self.spec = spec
        entry = find_entry(spec.variant)
        self.run(f"set game.variant {spec.variant}")
        self.game_name = entry.name
        self.view: TableView = load_part(entry.view)(self.session, spec)
        self.view.check_spec()
        for line in self.view.list_setup_lines():
            self.run(line)
        self.history = GameHistory()
        self.dice = TableDice(self.session) if self.view.has_dice and spec.dice == "server" else None
        self.number = 0
        self.ends: list[GameEnd] = []
        self.has_help = False
        self.score_before = (0, 0)
        self._played: list[bool] = []
        self._forfeit: GameEnd | None = None

    def run(self, line: str) -> Reply:
        """Send the session a command that it answers at once, or that may take its time here.

        Raises:
            GammondError: It is refused.
        """
        answer = answer_command(self.session, line)
        replies: Sequence[AnyReply] = (
            answer.run(WorkControl()) if isinstance(answer, Work) else answer  # type: ignore[assignment]
        )
        return read_reply(replies)

    @property
    def phase(self) -> Phase:
        """What the game waits for."""
        if self.number == 0:
            return Phase.WAITING
        return self.view.phase if self._forfeit is None else Phase.FINISHED

    @property
    def is_on(self) -> bool:
        """Whether a game is being played."""
        return self.phase not in (Phase.WAITING, Phase.OVER, Phase.FINISHED)

    @property
    def to_act(self) -> int | None:
        """The seat that is to act; None where neither or either is."""
        return self.view.to_act if self.is_on else None

    @property
    def end(self) -> GameEnd | None:
        """How the game at hand ended; None while it lasts."""
        if self.number == 0:
            return None
        return self._forfeit or self.view.end

    @property
    def is_forfeited(self) -> bool:
        """Whether a side gave up the match, or lost it on time."""
        return self._forfeit is not None

    @property
    def match_winner(self) -> int | None:
        """The seat that won the match; None while it lasts."""
        return self.view.match_winner if self._forfeit is None else self._forfeit.winner

    @property
    def score(self) -> tuple[int, int]:
        """The points of seats 0 and 1."""
        end = self.end
        return self.view.count_score(self.ends if end is None else [*self.ends, end])

    def start(self, names: tuple[str, str]) -> None:
        """Begin the next game.

        Args:
            names: Of seats 0 and 1.

        Raises:
            StateError: A game is on, or the match is over.
        """
        if self.number and self.phase is not Phase.OVER:
            raise StateError(f"no game can begin now: the table is at '{self.phase}'", field="act")
        self.score_before = self.score
        if self.end is not None:
            self._played.append(self._is_played)
            self.ends.append(self.end)
        if self.dice is not None:
            self.dice.start_game()
        self.number += 1
        for line in self.view.list_start_lines(self.number):
            self.run(line)
        self.view.note_start(self.number, names)
        self.history.clear()
        self.has_help = False

    def apply(self, line: str, seat: int | None) -> HistoryEntry:
        """Carry out an action.

        Args:
            line: The command.
            seat: Who does it.

        Raises:
            GammondError: It is refused; nothing has changed.
        """
        view, session = self.view, self.session
        place, is_opening, before = view.describe_place(), view.is_opening, session.rolls
        dice = view.dice
        reply = self.run(line)
        kind, text = name_action(line), str(reply.values.get("play", ""))
        fair: tuple[int | None, int | None] = (None, None)
        if kind in ("roll", "dice"):
            dice = view.dice
            text = "-".join(map(str, dice or ()))
        if kind == "roll" and self.dice is not None:
            fair = self.dice.find_roll(before, is_opening=is_opening)
        entry = HistoryEntry(
            len(self.history.entries) + 1, None if is_opening else seat, kind, text, dice, place, *fair
        )
        self.history.add(entry)
        return entry

    def undo(self, count: int) -> bool:
        """Take back the last actions of the game at hand.

        Returns:
            Whether another secret is used from now on: that of before was told.

        Raises:
            StateError: The session does not remember as many.
        """
        if count > self.session.service.limits.undo_steps // 2:
            raise StateError(f"{count} actions are too many to be taken back", field="act")
        was_over = self.end is not None
        for _ in range(count):
            self.run("undo")
        self.history.undo(count)
        self.has_help = True
        if not was_over or self.end is not None or self.dice is None or self.dice.next_secret is None:
            return False
        self.dice.change_secret()
        return True

    def redo(self) -> None:
        """Do again what was taken back last.

        Raises:
            StateError: Nothing was.
        """
        if not self.history.redo_count:
            raise StateError("nothing to redo", field="act")
        for _ in range(self.history.redo_count):
            self.run("redo")
        self.history.redo()

    def forfeit(self, winner: int, kind: str) -> None:
        """End game and match, or the table where there is none: a side's time is up, or it gave up."""
        self._forfeit = GameEnd(winner, self.view.stake, kind)

    @property
    def _is_played(self) -> bool:
        """Whether the game at hand was played: to its end, or for some plays by both sides."""
        entries = self.history.entries
        is_to_its_end = not self.is_forfeited and bool(entries) and entries[-1].kind == "play"
        plays = [sum(each.seat == seat and each.kind == "play" for each in entries) for seat in (0, 1)]
        return is_to_its_end or min(plays) >= MIN_PLAYS

    @property
    def _is_match_played(self) -> bool:
        """Whether half of the games of the match so far were played, or that of money play."""
        played = [*(self._played if self.spec.length else ()), self._is_played]
        return bool(2 * sum(played) >= len(played))

    @property
    def _has_usual_rules(self) -> bool:
        """Whether results and errors say how well somebody plays the variant."""
        spec = self.spec
        is_even = spec.dice == "server" and spec.position is None and spec.begins is None
        return is_even and spec.doubles == "four"

    def describe(self) -> dict[str, Any]:
        """Return the state of game and match that everybody sees."""
        end = self.end
        return {
            "game": self.game_name,
            "variant": self.spec.variant,
            "length": self.spec.length,
            **self.view.describe(),
            "score": self.score,
            "phase": self.phase,
            "to_act": self.to_act,
            "game_number": self.number,
            "games": [each._asdict() for each in self.ends],
            "result": None if end is None else end._asdict(),
            "match_winner": self.match_winner,
            "fair": None if self.dice is None else self.dice.describe(),
            "dice_source": self.spec.dice,
        }

    def describe_kept(
        self, table_id: str, seats: tuple[KeptSeat, KeptSeat], times_s: tuple[float, float]
    ) -> KeptGame:
        """Return the game at hand, which is over, as an archive keeps it.

        Args:
            table_id: The table's name.
            seats: Who played.
            times_s: When it began and ended, in seconds of the Unix epoch.
        """
        end = self.end
        assert end is not None
        text_format, text = self.view.write_record((seats[0].record_name, seats[1].record_name))
        return KeptGame(
            game_id=f"{table_id}-{self.number}",
            table_id=table_id,
            number=self.number,
            game=self.game_name,
            variant=self.spec.variant,
            length=self.spec.length,
            seats=seats,
            score_before=self.score_before,
            score_after=self.score,
            winner=end.winner,
            points=end.points,
            kind=end.kind,
            match_winner=self.match_winner,
            started_s=times_s[0],
            ended_s=times_s[1],
            has_help=self.has_help,
            is_rated=self._is_match_played and self._has_usual_rules,
            is_trifle=not self._is_match_played,
            text_format=text_format,
            text=text,
        )


def read_spec(document: dict[str, Any]) -> TableSpec:
    """Return what a table was created with, as an archive kept it."""
    return msgspec.convert(document, TableSpec)


def check_position(service: Service, spec: TableSpec) -> None:
    """Refuse a table whose position cannot be set up, or whose game is over there.

    Raises:
        GammondError: It is so.
    """
    if spec.position is None:
        return
    if not spec.position.isprintable():
        raise ValueRangeError("expected a position on one line, got control characters", field="position")
    game = TableGame(service, spec, 0)
    try:
        for line in game.view.list_start_lines(1):
            game.run(line)
    except GammondError as error:
        raise error.with_field("position") from None
    if game.view.phase in (Phase.OVER, Phase.FINISHED):
        raise StateError("the game is over in this position", field="position")
