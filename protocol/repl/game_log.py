"""What was done in the games at the table, so that it can be saved as ``.mat`` text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.errors import DataFileError, StateError
from engine.formats.mat_writer import format_mat
from engine.rules.game_record import DoubleAction, GameAction, GameRecord, PlayAction, ResponseAction
from engine.rules.match import RESULT_NAMES, GameResult, MatchState
from engine.rules.moves import find_play
from engine.rules.rules import Feature
from protocol.core.requests import ReplyValue
from protocol.repl.sentences import SeatNames
from protocol.state.session import GameState
from protocol.state.settings import SEAT_NAMES


@dataclass(frozen=True)
class LoggedAction:
    """Something that a seat did.

    Attributes:
        before: The table before it.
        after: The table after it, with the points of the game not counted yet.
        text: What ``play`` called it: a play, or a word for the cube or a resignation.
        result: How the game ended by it, if it did.
    """

    before: GameState
    after: GameState
    text: str
    result: GameResult | None


@dataclass
class LoggedGame:
    """A game as far as it went.

    Attributes:
        start: The table before its first roll.
        names: Of seats 0 and 1.
        actions: What was done in it.
    """

    start: GameState
    names: SeatNames
    actions: list[LoggedAction] = field(default_factory=list)

    @property
    def result(self) -> GameResult | None:
        """How it ended; None while it lasts."""
        return self.actions[-1].result if self.actions else None

    @property
    def record(self) -> GameRecord | None:
        """The finished game; None where a record cannot hold it."""
        if self.result is None:
            return None
        actions: list[GameAction] = []
        rules = self.actions[0].before.rules
        last = GameState(rules.starting_position, self.start.match, rules=rules)
        if not rules.supports(Feature.RECORDS):
            return None
        for done in self.actions:
            if not _is_continuation(done.before, last):
                return None
            actions += _to_record_actions(done)
            last = done.after
        return GameRecord(self.start.match, tuple(actions), self.result, rules)


@dataclass(frozen=True)
class LogState:
    """A log as it is at some time: what `GameLog.state` gives and takes.

    Attributes:
        games: The games of the match from the start, each with its actions.
        actions: What was done in the game at hand.
        is_on: Whether what is done goes into the log.
    """

    games: tuple[LoggedGame, ...]
    actions: tuple[LoggedAction, ...]
    is_on: bool


class GameLog:
    """The games of a match or of money play, each from the start, one after the other.

    Attributes:
        actions: What was done in the game at hand, or in the last one, wherever it began.
    """

    def __init__(self) -> None:
        self.actions: list[LoggedAction] = []
        self._games: list[LoggedGame] = []
        self._is_on = False
        self._saved: set[str] = set()

    def begin(self, table: GameState, names: SeatNames) -> None:
        """Begin the log of a game; of a new match too, where the game does not go on with the last one.

        Args:
            table: Before the first roll. A game that is taken up in the middle cannot be saved.
            names: Of seats 0 and 1.
        """
        begun = replace(table, match=table.match.before_roll())
        self._games = [game for game in self._games if game.result is not None]
        if self._games and not _continues_match(begun, self._games[-1]):
            self._games.clear()
        self.actions, self._is_on = [], True
        if table.position == table.rules.starting_position and begun.match.cube == 1:
            self._games.append(LoggedGame(begun, names, self.actions))

    @property
    def state(self) -> LogState:
        """The log as it is; setting it goes back to another one."""
        games = tuple(replace(game, actions=[*game.actions]) for game in self._games)
        return LogState(games, tuple(self.actions), self._is_on)

    @state.setter
    def state(self, state: LogState) -> None:
        self._games = [replace(game, actions=[*game.actions]) for game in state.games]
        last = self._games[-1].actions if self._games else []
        is_logged_game = last == [*state.actions] and bool(self._games)
        self.actions = last if is_logged_game else [*state.actions]
        self._is_on = state.is_on

    def stop(self) -> None:
        """Log no more of the game at hand."""
        self._is_on = False

    def add(self, before: GameState, after: GameState, answer: Mapping[str, ReplyValue]) -> None:
        """Log what a seat did.

        Args:
            before: The table before it.
            after: The table after it.
            answer: The keys that ``play`` answered with.
        """
        if self._is_on:
            self.actions.append(LoggedAction(before, after, str(answer["play"]), _parse_result(answer)))

    def take_from(self, table: GameState) -> list[LoggedAction]:
        """Take out what was done from a state of the table on, and return it."""
        done = self.actions if self._is_on else []
        place = next((i for i, each in enumerate(done) if each.before is table), len(done))
        cut = done[place:]
        del done[place:]
        return cut

    def restore(self, actions: list[LoggedAction]) -> None:
        """Put back the actions that `take_from` took out."""
        if self._is_on:
            self.actions += actions

    def save(self, name: str) -> int:
        """Write the finished games as ``.mat`` text.

        Args:
            name: Of the file; an existing one is overwritten only if this log wrote it.

        Returns:
            The number of games written.

        Raises:
            StateError: There is none that a record can hold.
            DataFileError: The file exists, or cannot be written.
        """
        records = [record for game in self._games if (record := game.record) is not None]
        if not records:
            raise StateError(
                "no game to save: a record needs a finished game, from the starting position, "
                "by the usual rules",
                field="save",
            )
        text = format_mat(self._games[-1].names, records, _make_headers(records[0].initial_state))
        file = Path(os.path.expanduser(name))  # a path's own way fails on users that there are not
        try:
            with file.open("w" if name in self._saved else "x", encoding="utf-8") as out:
                out.write(text)
        except FileExistsError as error:
            raise DataFileError(f"{name} exists already: choose another name", field="save") from error
        except (OSError, ValueError) as error:
            raise DataFileError(f"{name} cannot be written: {error}", field="save") from error
        self._saved.add(name)
        return len(records)


def _continues_match(start: GameState, last: LoggedGame) -> bool:
    """Return whether a game continues the match, or the money play, of another."""
    result = last.result
    assert result is not None  # games that did not end are dropped
    match, before = start.match, last.start.match
    if start.rules.variant != last.start.rules.variant:
        return False
    score = before.score_after(result.winner, result.points)
    return match.length == before.length and match.score == score


def _is_continuation(table: GameState, last: GameState) -> bool:
    """Return whether nothing but dice changed since the last action."""
    first, second = (replace(state.match, roll=None) for state in (table, last))
    return (table.position, table.rules, first) == (last.position, last.rules, second)


def _to_record_actions(action: LoggedAction) -> list[GameAction]:
    """Return the record's entries for an action; a resignation has only the result."""
    position, match, words = action.before.position, action.before.match, action.text
    if words == "double":
        return [DoubleAction(match.on_roll, 2 * match.cube)]
    if words == "beaver":
        return [DoubleAction(match.to_act, 4 * match.cube)]
    if words in ("take", "drop"):
        return [ResponseAction(match.to_act, words == "take")]
    if match.roll is None or match.resigned or words.startswith("resign"):
        return []
    assert position is not None
    assert action.after.position is not None
    play = find_play(position, match.roll, action.after.position.board, action.before.rules)
    return [] if play is None else [PlayAction(match.on_roll, match.roll, play)]


def _parse_result(answer: Mapping[str, ReplyValue]) -> GameResult | None:
    if "winner" not in answer:
        return None
    kind = RESULT_NAMES.index(str(answer["result"])) + 1
    return GameResult(SEAT_NAMES.index(str(answer["winner"])), kind, int(answer["points"]))


def _make_headers(start: MatchState) -> dict[str, str]:
    """The rules of money play that change how a game counts."""
    rules = {"Jacoby": start.jacoby, "Beavers": start.beavers}
    return {word: "On" if is_on else "Off" for word, is_on in rules.items()} if start.is_money else {}
