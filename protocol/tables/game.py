"""The games of one table: a session of the line protocol, played by its commands, with history and dice.

They are what a list of actions makes of them: `TableGame.act` alone changes them. It knows no visitors and no
clock, and does the same again when the same actions come again: so a table is rebuilt.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, cast

import msgspec

from gammond.engine.errors import GammondError, StateError
from gammond.engine.rules.match import RESULT_NAMES
from gammond.protocol.commands.dispatch import run_line
from gammond.protocol.commands.session_game import find_game
from gammond.protocol.core.requests import Reply
from gammond.protocol.games import find_entry
from gammond.protocol.state.service import Service
from gammond.protocol.state.session import Session
from gammond.protocol.tables.archive import ArchivedGame, ArchivedSeat, TableAction
from gammond.protocol.tables.audience import TableEvent
from gammond.protocol.tables.dice import TableDice
from gammond.protocol.tables.game_view import GameEnd, TablePhase, TableView
from gammond.protocol.tables.requests import TableSpec

MIN_PLAYS = 3
"""The plays of each side from which on a game that was not played to its end can be one of both."""

ROLLS = ("roll", "dice")
"""Actions that decide nothing: undo takes them back only together with a decision before them."""

MAX_TOLD = 1000
"""Actions of a game that visitors are told; no more can be taken back, and few games have a third of them."""

_KINDS = ("double", "take", "drop", "beaver", "resign", "accept", "reject")


def name_action(line: str) -> str:
    """Return what kind of action a command carries out: ``roll``, ``play``, ``double``..."""
    word, _, rest = line.partition(" ")
    return word if word in ROLLS else next((kind for kind in _KINDS if rest.split(" ")[0] == kind), "play")


class HistoryEntry(msgspec.Struct, frozen=True):
    """One action.

    Attributes:
        n: Its number in the game, from 1.
        seat: Who did it; None for an opening roll.
        kind: What: ``roll``, ``dice``, ``play``, ``double``, ``take``...
        text: The play, the dice or the word for it.
        dice: The dice on the board before it, or for a roll after it.
        place: The position before it, in the game's own keys.
        fair_roll: Which roll of the secret it was, for a roll of the server's dice.
        fair_secret: Which secret of the game, from 0, where there is one.
    """

    n: int
    seat: int | None
    kind: str
    text: str
    dice: list[int] | None
    place: dict[str, Any]
    fair_roll: int | None = None
    fair_secret: int | None = None

    @property
    def is_decision(self) -> bool:
        """Whether somebody decided something."""
        return self.kind not in ROLLS

    def describe(self) -> dict[str, Any]:
        """Return the action as tables show it."""
        described: dict[str, Any] = {
            "n": self.n,
            "seat": self.seat,
            "kind": self.kind,
            "text": self.text,
            "dice": self.dice,
            **{f"{key}_before": value for key, value in self.place.items()},
        }
        if self.fair_roll is not None:
            described |= {"fair_roll": self.fair_roll, "fair_secret": self.fair_secret}
        return described


class GameHistory:
    """The actions of the game at hand; each is one step of the session's undo.

    Attributes:
        entries: The actions, in order.
    """

    def __init__(self) -> None:
        self.entries: list[HistoryEntry] = []
        self._undone: list[list[HistoryEntry]] = []

    def clear(self) -> None:
        """Begin another game."""
        self.entries.clear()
        self._undone.clear()

    def add(self, entry: HistoryEntry) -> None:
        """Add an action; what was taken back before is gone."""
        self.entries.append(entry)
        self._undone.clear()

    def count_since_decision(self, seats: Collection[int]) -> int:
        """Return how many actions there are from the last decision of one of some seats on; 0 for none."""
        for count, entry in enumerate(reversed(self.entries), 1):
            if entry.is_decision and entry.seat in seats:
                return count
        return 0

    def count_from(self, number: int) -> int:
        """Return how many actions there are from one on; 0 if there is none of that number."""
        return len(self.entries) - number + 1 if 1 <= number <= len(self.entries) else 0

    @property
    def redo_count(self) -> int:
        """How many actions were taken back together last."""
        return len(self._undone[-1]) if self._undone else 0

    def undo(self, count: int) -> None:
        """Take back the last actions."""
        self._undone.append(self.entries[-count:])
        del self.entries[-count:]

    def redo(self) -> None:
        """Do again what was taken back last."""
        self.entries += self._undone.pop()

    def describe(self) -> list[dict[str, Any]]:
        """Return the last actions as tables show them."""
        return [entry.describe() for entry in self.entries[-MAX_TOLD:]]


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
        started_s: When it began, in seconds of the Unix epoch.
        ends: How the games before it ended.
        has_help: Whether in the game at hand something was taken back, or an engine moved for a person.
        have_acted: The seats that have done anything.
        rejected_kinds: For each seat the dearest resignation that its opponent has rejected in this game.

    Raises:
        GammondError: There is no such game, or it does not have what the table was created with.
    """

    def __init__(self, service: Service, spec: TableSpec, seed: int) -> None:
        self.session = Session(service, seed)
        self.spec = spec
        entry = find_entry(spec.variant)
        self.run(f"set game.variant {spec.variant}")
        self.game_name = entry.name
        self.view: TableView = entry.load_view()(self.session, spec)
        self.view.check_spec()
        for line in self.view.list_setup_lines():
            self.run(line)
        self.history = GameHistory()
        self.dice = TableDice(self.session) if self.view.has_dice and spec.dice == "server" else None
        self.number = 0
        self.started_s = 0.0
        self.ends: list[GameEnd] = []
        self.has_help = False
        self.have_acted: set[int] = set()
        self.rejected_kinds = [0, 0]
        self.score_before = (0, 0)
        self._played: list[bool] = []
        self._forfeit: GameEnd | None = None

    def run(self, line: str) -> Reply:
        """Send the session a command that it answers at once, or that may take its time here.

        Raises:
            GammondError: It is refused.
        """
        replies, _ = run_line(self.session, line)
        reply = cast("Reply", replies[-1])
        if reply.word != "error":
            return reply
        if isinstance(reply.error, GammondError):
            raise reply.error
        raise GammondError("internal error, recorded in the server's log", field="server")

    def set_player(self, player: str | None, level: str | None) -> None:
        """Let a player decide what the session is asked, as far as its game has such settings.

        Raises:
            GammondError: There is no such player.
        """
        settings = find_game(self.session).settings
        for key, value in (("engine.player", player), ("engine.level", level)):
            if value is not None and key in settings:
                self.run(f"set {key} {value}")

    @property
    def phase(self) -> TablePhase:
        """What the game waits for."""
        if self.number == 0:
            return TablePhase.WAITING
        return self.view.phase if self._forfeit is None else TablePhase.FINISHED

    @property
    def is_on(self) -> bool:
        """Whether a game is being played."""
        return self.phase not in (TablePhase.WAITING, TablePhase.OVER, TablePhase.FINISHED)

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

    def act(self, action: TableAction) -> TableEvent | None:
        """Carry out an action.

        Returns:
            What it comes to; None for nothing that anybody is told.

        Raises:
            GammondError: It is refused; nothing has changed.
        """
        event = self._carry_out(action)
        if self.end is not None and self.dice is not None:
            self.dice.reveal()
        return event

    def _carry_out(self, action: TableAction) -> TableEvent | None:
        match action.act:
            case "start":
                return self._start(action)
            case "do":
                return self._do(action)
            case "undo" | "go_back":
                return self._undo(action)
            case "redo":
                return self._redo(action)
            case "forfeit":
                assert action.winner is not None, "nobody wins"
                self._forfeit = GameEnd(action.winner, self.view.stake, action.kind)
                return TableEvent(action.kind, 1 - action.winner, action.kind)
            case "seeds" if self.dice is not None:
                assert self.dice.current is not None, "no game has begun"
                self.dice.current.fix_seeds(action.seeds)
                return TableEvent("seed", None, "")
            case "commit" if self.dice is not None:
                self.dice.commit(bytes.fromhex(action.secret))
        return None

    def _start(self, action: TableAction) -> TableEvent:
        if self.number and self.phase is not TablePhase.OVER:
            raise StateError(f"no game can begin now: the table is at '{self.phase}'", field="act")
        number, score, end, is_played = self.number + 1, self.score, self.end, self._is_played
        for line in self.view.list_start_lines(number):
            self.run(line)
        if self.dice is not None:
            self.dice.start_game(action.seeds, action.commitments)
        if end is not None:
            self._played.append(is_played)
            self.ends.append(end)
        self.number, self.score_before, self.started_s = number, score, action.at
        self.view.note_start(self.number)
        self.history.clear()
        self.has_help = False
        self.rejected_kinds = [0, 0]
        return TableEvent("start", None, str(self.number))

    def _do(self, action: TableAction) -> TableEvent:
        view, session, line = self.view, self.session, action.line
        assert line is not None, "there is no command"
        place, is_opening, before = view.describe_place(), view.is_opening, session.rolls
        dice = view.dice
        reply = self.run(line)
        kind, text = name_action(line), str(reply.values.get("play", ""))
        fair: tuple[int | None, int | None] = (None, None)
        if kind in ROLLS:
            dice = view.dice
            text = "-".join(map(str, dice or ()))
        if kind == "roll" and self.dice is not None:
            fair = self.dice.find_roll(before, is_opening=is_opening)
        seat = None if is_opening else action.seat
        entry = HistoryEntry(len(self.history.entries) + 1, seat, kind, text, dice, place, *fair)
        self.history.add(entry)
        self.has_help |= action.help
        if action.seat is not None:
            self.have_acted.add(action.seat)
        if kind == "reject" and seat is not None:
            self._note_rejection(1 - seat)
        return TableEvent(entry.kind, entry.seat, entry.text, entry.describe())

    def _note_rejection(self, loser: int) -> None:
        offers = [each.text.split()[-1] for each in self.history.entries if each.kind == "resign"]
        if offers and offers[-1] in RESULT_NAMES:
            kind = RESULT_NAMES.index(offers[-1]) + 1
            self.rejected_kinds[loser] = max(self.rejected_kinds[loser], kind)

    def _undo(self, action: TableAction) -> TableEvent:
        """Take back the last actions of the game at hand.

        Out of a game that was over it goes on with another secret: that of before was told.
        """
        if action.count > self.session.service.limits.undo_steps // 2:
            raise _make_count_error(action.count)
        was_over = self.end is not None
        for done in range(action.count):
            try:
                self.run("undo")
            except StateError as error:
                for _ in range(done):
                    self.run("redo")
                raise _make_count_error(action.count) from error
        self.history.undo(action.count)
        self.has_help = True
        if was_over and self.end is None and self.dice is not None and self.dice.next is not None:
            self.dice.change_secret(action.seeds, action.commitments)
        return TableEvent(action.act, action.seat, str(action.count))

    def _redo(self, action: TableAction) -> TableEvent:
        """Do again what was taken back last."""
        if not self.history.redo_count:
            raise StateError("nothing to redo", field="act")
        for _ in range(self.history.redo_count):
            self.run("redo")
        self.history.redo()
        return TableEvent(action.act, action.seat, str(action.count))

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
        self,
        table_id: str,
        seats: tuple[ArchivedSeat, ArchivedSeat],
        ended_s: float,
        *,
        may_rate: bool,
        is_trifle: bool,
    ) -> ArchivedGame:
        """Return the game at hand, which is over, as an archive keeps it.

        Args:
            table_id: The table's name.
            seats: Who played.
            ended_s: When it ended, in seconds of the Unix epoch.
            may_rate: Whether nothing but what was played speaks against its being rated.
            is_trifle: Whether it is a trifle however it was played.
        """
        end = self.end
        assert end is not None
        text_format, text = self.view.write_record((seats[0].record_name, seats[1].record_name))
        return ArchivedGame(
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
            started_s=self.started_s,
            ended_s=ended_s,
            has_help=self.has_help,
            is_rated=may_rate and self._is_match_played and self._has_usual_rules,
            is_trifle=is_trifle or not self._is_match_played,
            text_format=text_format,
            text=text,
        )


def _make_count_error(count: int) -> StateError:
    return StateError(f"{count} actions are too many to be taken back", field="act")
