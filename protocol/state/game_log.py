"""What was done in the games of a match at a table, so that it can be written as ``.mat`` text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gammond.engine.errors import StateError
from gammond.engine.match_files.mat.writer import format_mat
from gammond.engine.match_files.model import RecordedGame
from gammond.engine.rules.game_record import (
    DoubleAction,
    GameAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
)
from gammond.engine.rules.match import GameResult, MatchState
from gammond.engine.rules.moves import generate_plays
from gammond.engine.rules.rules import Feature
from gammond.protocol.state.game_state import SEAT_NAMES, GameState, SeatNames

MAX_ACTIONS = 3000
"""Actions that a log keeps, some 45 games; the oldest games go first."""


@dataclass(frozen=True)
class LoggedAction:
    """Something that a seat did.

    Attributes:
        before: The table before it.
        after: The table after it, with the points of a game that it ended.
        text: What ``play`` called it: a play, or a word for the cube or a resignation.
        result: How the game ended by it, if it did.
    """

    before: GameState
    after: GameState
    text: str
    result: GameResult | None


@dataclass(frozen=True)
class LoggedGame:
    """A game as far as it went.

    Attributes:
        start: The table before its first roll; a game that is taken up in the middle is no record.
        names: Of seats 0 and 1.
        actions: What was done in it.
    """

    start: GameState
    names: SeatNames = SEAT_NAMES
    actions: tuple[LoggedAction, ...] = ()

    @property
    def result(self) -> GameResult | None:
        """How it ended; None while it lasts."""
        return self.actions[-1].result if self.actions else None

    @property
    def is_from_start(self) -> bool:
        """Whether it began with the starting position and the cube at 1."""
        is_start = self.start.position == self.start.rules.starting_position
        return is_start and self.start.match.cube == 1

    @property
    def _has_first_roll(self) -> bool:
        """Whether it began with a roll, as every game of a record does."""
        return bool(self.actions) and self.actions[0].before.match.roll is not None

    @property
    def record(self) -> RecordedGame | None:
        """The game as far as it went; None where a record cannot hold it."""
        if not self.is_from_start or not self._has_first_roll:
            return None
        actions: list[GameAction] = []
        rules = self.actions[0].before.rules
        start = replace(self.start.match.before_roll(), on_roll=self.actions[0].before.match.on_roll)
        last = GameState(rules.starting_position, start, rules=rules)
        if not rules.supports(Feature.RECORDS):
            return None
        for done in self.actions:
            if not is_continuation(done.before, last):
                return None
            actions += list_record_actions(done)
            last = done.after
        return RecordedGame(1, start, rules.starting_position, tuple(actions), self.result, rules)


@dataclass(frozen=True)
class GameLog:
    """The games of a match or of money play, one after the other; `begin` and `add` return another log.

    Attributes:
        finished: The finished games before the one at hand.
        game: The game at hand; None before the first.
    """

    finished: tuple[LoggedGame, ...] = ()
    game: LoggedGame | None = None

    @property
    def actions(self) -> tuple[LoggedAction, ...]:
        """What was done in the game at hand, or in the last one, wherever it began."""
        return () if self.game is None else self.game.actions

    @property
    def games(self) -> tuple[LoggedGame, ...]:
        """The games of the match, or of money play, that the game at hand belongs to, that one last."""
        if self.game is None:
            return ()
        is_next = not self.finished or _continues_match(self.game.start, self.finished[-1])
        return (*self.finished, self.game) if is_next else (self.game,)

    def begin(self, table: GameState, names: SeatNames = SEAT_NAMES) -> GameLog:
        """Begin a game. Another match, or another score, keeps the games before it until its first has ended.

        Args:
            table: Before the first roll, or before whatever comes next.
            names: Of seats 0 and 1.
        """
        begun = replace(table, match=table.match.before_roll())
        return GameLog(self._list_finished(), LoggedGame(begun, names))

    def add(self, action: LoggedAction) -> GameLog:
        """Add what a seat did in the game at hand; without one nothing is logged."""
        if self.game is None:
            return self
        actions = (*self.game.actions, action)[-MAX_ACTIONS:]
        finished, count = self.finished, len(actions)
        if action.result is not None and finished and not _continues_match(self.game.start, finished[-1]):
            finished = ()
        while finished and count + sum(len(game.actions) for game in finished) > MAX_ACTIONS:
            finished = finished[1:]
        return GameLog(finished, replace(self.game, actions=actions))

    def back_to(self, table: GameState) -> GameLog:
        """Return the log as it was when something was done at a table of the game at hand; else the same."""
        for count, action in enumerate(self.actions):
            if action.before is table and self.game is not None:
                return replace(self, game=replace(self.game, actions=self.actions[:count]))
        return self

    def format(self, names: SeatNames | None = None) -> tuple[str, int]:
        """Write the games as ``.mat`` text, the one at hand as far as it went.

        Until the first game of a match has ended, those of the match before it come first.

        Args:
            names: Of seats 0 and 1; None for those of the last game of each match.

        Returns:
            The text, and the number of games.

        Raises:
            StateError: There is none that a record can hold.
            FormatError: The names do not fit into the format.
        """
        texts, count = list[str](), 0
        for games in (self.games,) if len(self.games) > len(self.finished) else (self.finished, self.games):
            records = [record for game in games if (record := game.record) is not None]
            if records:
                headers = _make_headers(records[0].initial_state)
                texts.append(format_mat(names or games[-1].names, records, headers))
                count += len(records)
        if not texts:
            raise StateError(
                "no game to save: a record needs a game from the starting position, with a play, "
                "by the usual rules",
                field="save",
            )
        return "\n".join(texts), count

    def _list_finished(self) -> tuple[LoggedGame, ...]:
        is_finished = self.game is not None and self.game.result is not None
        return (*self.finished, self.game) if is_finished and self.game is not None else self.finished


def _continues_match(start: GameState, last: LoggedGame) -> bool:
    """Return whether a game continues the match, or the money play, of another."""
    result = last.result
    assert result is not None  # games that did not end are dropped
    match, before = start.match, last.start.match
    if start.rules.variant != last.start.rules.variant:
        return False
    score = before.score_after(result.winner, result.points)
    return match.length == before.length and match.score == score


def is_continuation(table: GameState, last: GameState) -> bool:
    """Return whether nothing but dice changed since the last action."""
    first, second = (replace(state.match, roll=None) for state in (table, last))
    return (table.position, table.rules, first) == (last.position, last.rules, second)


def list_record_actions(action: LoggedAction) -> list[GameAction]:
    """Return the record's entries for an action; an offer to resign has one once it is accepted."""
    position, match, words = action.before.position, action.before.match, action.text
    if words == "double":
        return [DoubleAction(match.on_roll, 2 * match.cube)]
    if words == "beaver":
        return [DoubleAction(match.to_act, 4 * match.cube)]
    if words in ("take", "drop"):
        return [ResponseAction(match.to_act, words == "take")]
    if words == "accept":
        return [ResignationAction(1 - match.to_act, match.resigned)]
    if match.roll is None or match.resigned or words.startswith("resign"):
        return []
    assert position is not None
    assert action.after.position is not None
    plays = generate_plays(position, match.roll, action.before.rules)
    play = plays.find(action.after.position.board)
    return [] if play is None else [PlayAction(match.on_roll, match.roll, play)]


def _make_headers(start: MatchState) -> dict[str, str]:
    """The rules of money play that change how a game counts."""
    rules = {"Jacoby": start.jacoby, "Beavers": start.beavers}
    return {word: "On" if is_on else "Off" for word, is_on in rules.items()} if start.is_money else {}
