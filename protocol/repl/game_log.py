"""What was done in the games at the table, so that it can be saved as ``.mat`` text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.doubles import Doubles
from engine.errors import DataFileError, StateError
from engine.formats.mat_writing import mat_text
from engine.game_record import Action, Answered, Doubled, RecordedGame, Rolled
from engine.match import RESULTS, GameResult, MatchState
from engine.moves import play_to
from engine.position import Position
from protocol.requests import Value
from protocol.session import GameState
from protocol.settings import SEATS

Names = tuple[str, str]


@dataclass(frozen=True)
class Done:
    """Something that a seat did.

    Attributes:
        before: The table before it.
        after: The table after it, with the points of the game not counted yet.
        words: What ``play`` called it: a play, or a word for the cube or a resignation.
        result: How the game ended by it, if it did.
    """

    before: GameState
    after: GameState
    words: str
    result: GameResult | None


@dataclass
class _Game:
    """A game as far as it went."""

    begun: MatchState
    names: Names
    done: list[Done] = field(default_factory=list)

    @property
    def result(self) -> GameResult | None:
        return self.done[-1].result if self.done else None

    @property
    def record(self) -> RecordedGame | None:
        """The finished game; None where a record cannot tell it."""
        actions: list[Action] = []
        last = GameState(Position.start(), self.begun)
        for done in self.done:
            if done.before.doubles is not Doubles.FOUR or not _follows(done.before, last):
                return None
            actions += _actions(done)
            last = done.after
        return None if self.result is None else RecordedGame(self.begun, tuple(actions), self.result)


class GameLog:
    """The games of a match or of money play, each from the start, one after the other."""

    def __init__(self) -> None:
        self._games: list[_Game] = []
        self._is_open = False
        self._saved: set[str] = set()

    def begin(self, table: GameState, names: Names) -> None:
        """Begin the log of a game; of a new match too, where the game does not go on with the last one.

        Args:
            table: Before the first roll. A game that is taken up in the middle has no log.
            names: Of seats 0 and 1.
        """
        begun = table.match.before_roll()
        self._games = [game for game in self._games if game.result is not None]
        if self._games and not _continues(begun, self._games[-1]):
            self._games.clear()
        self._is_open = table.position == Position.start() and begun.cube == 1
        if self._is_open:
            self._games.append(_Game(begun, names))

    def leave(self) -> None:
        """Log no more of the game at hand."""
        self._is_open = False

    def add(self, before: GameState, after: GameState, answer: Mapping[str, Value]) -> None:
        """Log what a seat did.

        Args:
            before: The table before it.
            after: The table after it.
            answer: The keys that ``play`` answered with.
        """
        if self._is_open:
            self._games[-1].done.append(Done(before, after, str(answer["play"]), _result(answer)))

    def cut(self, table: GameState) -> list[Done]:
        """Take out what was done from a state of the table on, and return it."""
        done = self._games[-1].done if self._is_open else []
        place = next((i for i, each in enumerate(done) if each.before is table), len(done))
        cut = done[place:]
        del done[place:]
        return cut

    def restore(self, cut: list[Done]) -> None:
        """Put back what `cut` took out."""
        if self._is_open:
            self._games[-1].done += cut

    def save(self, name: str) -> int:
        """Write the finished games as ``.mat`` text.

        Args:
            name: Of the file; one that is there is written over only if this log wrote it.

        Returns:
            How many games it has.

        Raises:
            StateError: There is none that a record can tell.
            DataFileError: The file is there already, or cannot be written.
        """
        records = [record for game in self._games if (record := game.record) is not None]
        if not records:
            raise StateError(
                "no game to save: records tell finished games, from the start on and by the usual rules",
                field="save",
            )
        text = mat_text(self._games[-1].names, records, _headers(records[0].begun))
        file = Path(os.path.expanduser(name))  # a path's own way fails on users that there are not
        try:
            with file.open("w" if name in self._saved else "x", encoding="utf-8") as out:
                out.write(text)
        except FileExistsError as error:
            raise DataFileError(f"{name} is there already: choose another name", field="save") from error
        except (OSError, ValueError) as error:
            raise DataFileError(f"{name} cannot be written: {error}", field="save") from error
        self._saved.add(name)
        return len(records)


def _continues(begun: MatchState, last: _Game) -> bool:
    """Whether a game goes on with the match, or the money play, of another."""
    result = last.result
    assert result is not None  # games that did not end are dropped
    score = last.begun.score_after(result.winner, result.points)
    return begun.length == last.begun.length and begun.score == score


def _follows(table: GameState, last: GameState) -> bool:
    """Whether nothing but dice changed since the last that was done."""
    first, second = (replace(state.match, roll=None) for state in (table, last))
    return table.position == last.position and first == second


def _actions(done: Done) -> list[Action]:
    """What a record has of something that a seat did; resignations are told by the result alone."""
    position, match, words = done.before.position, done.before.match, done.words
    if words == "double":
        return [Doubled(match.on_roll, 2 * match.cube)]
    if words == "beaver":
        return [Doubled(match.to_act, 4 * match.cube)]
    if words in ("take", "drop"):
        return [Answered(match.to_act, words == "take")]
    if match.roll is None or match.resigned or words.startswith("resign"):
        return []
    assert position is not None
    assert done.after.position is not None
    play = play_to(position, match.roll, done.after.position.board)
    return [] if play is None else [Rolled(match.on_roll, match.roll, play)]


def _result(answer: Mapping[str, Value]) -> GameResult | None:
    if "winner" not in answer:
        return None
    kind = RESULTS.index(str(answer["result"])) + 1
    return GameResult(SEATS.index(str(answer["winner"])), kind, int(answer["points"]))


def _headers(begun: MatchState) -> dict[str, str]:
    """The rules of money play that change how a game counts."""
    rules = {"Jacoby": begun.jacoby, "Beavers": begun.beavers}
    return {word: "On" if is_on else "Off" for word, is_on in rules.items()} if begun.is_money else {}
