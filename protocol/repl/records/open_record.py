"""A match that is open: the place in it that is shown, and what is known of its decisions."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from gammond.engine.errors import ValueRangeError
from gammond.engine.match_analysis.analysed_match import AnalysedMatch, find_table, is_own_method
from gammond.engine.match_analysis.decisions import AnalysedDecision
from gammond.engine.match_files.model import (
    ANNOTATOR,
    ActionNotes,
    RecordedGame,
    RecordedMatch,
    ReplayedAction,
)
from gammond.engine.rules.game_record import GameSituation, PlayAction, RollAction, SetAction
from gammond.engine.runtime.version import NAME, read_version
from gammond.engine.wording import escape_unprintable, shorten_names
from gammond.protocol.repl.answers.sentences import HUMAN_NAME
from gammond.protocol.state.game_state import GameState, SeatNames

_NAME_LENGTH = 20
_ANNOTATOR_LENGTH = 80


class Place(NamedTuple):
    """A place in a match: before an action, or behind the last one of a game. Places compare by their order.

    Attributes:
        game: The place of the game in the match, from 0.
        action: That of the action in the game, from 0; the number of actions for its end.
        is_rolled: Whether the dice of a play are rolled; its player may double at the place before that.
    """

    game: int
    action: int
    is_rolled: bool = True


class RecordEnd(NamedTuple):
    """The end of a game, behind its last `gammond.engine.match_files.model.ReplayedAction`.

    Attributes:
        situation: Where the game stands.
        action: Nothing is done there.
        move: The number of the last move.
    """

    situation: GameSituation
    action: None
    move: int


Step = ReplayedAction | RecordEnd


class OpenRecord:
    """A match that is open. Its analysis comes in game by game, from another thread too.

    Args:
        match: The match.
        is_own: Whether its games were played at the table.

    Attributes:
        match: The match, with the notes of its file or of the analysis.
        is_own: Whether its games were played at the table.
        names: Of both players, as they are shown.
        bottom_seat: Who is at the bottom of the board.
        place: The place that is shown.
        source: What analysed its decisions, in words: depth and net.
        listed: The places of its decisions that were listed last.
    """

    def __init__(self, match: RecordedMatch, *, is_own: bool = False) -> None:
        self.match = match
        self.is_own = is_own
        self.names = _shorten_names(match.names)
        self.bottom_seat = self.names.index(HUMAN_NAME) if is_own and HUMAN_NAME in self.names else 0
        annotator = match.headers.get(ANNOTATOR, "")[:_ANNOTATOR_LENGTH]
        self.source = f"by {annotator}, in the file" if is_own_method(annotator) else "by the file"
        self.listed: list[Place] = []
        self._steps: dict[int, tuple[Step, ...]] = {}
        self._analysed: AnalysedMatch | None = None
        self._analysed_games: set[int] = set()
        self.place = self.find_game(1)

    def find_step(self, place: Place | None = None) -> Step:
        """Return what is at a place; at the shown one if None."""
        game, action, _ = place or self.place
        return self.list_steps(game)[action]

    def list_steps(self, game: int) -> tuple[Step, ...]:
        """Return the actions of a game, and its end."""
        if game not in self._steps:
            self._steps[game] = _list_steps(self.match.games[game])
        return self._steps[game]

    def list_places(self) -> list[Place]:
        """List the places where `next` stops: each action, and the end of each game."""
        return [place for game in range(len(self.match.games)) for place in self.list_places_of(game)]

    def list_places_of(self, game: int) -> list[Place]:
        """List the places of a game, arguments as `list_steps`."""
        return [
            Place(game, action)
            for action, step in enumerate(self.list_steps(game))
            if not isinstance(step.action, RollAction)
        ]

    def count_moves(self, game: int) -> int:
        """Return the number of the last move of a game, which may be a cube action alone."""
        return max((step.move for step in self.list_steps(game) if step.action is not None), default=0)

    def is_position(self, game: int) -> bool:
        """Return whether a game of a file is a position in which nothing has been done, but for a roll."""
        actions = self.match.games[game].actions
        return not self.is_own and all(isinstance(action, RollAction) for action in actions)

    def find_move(self, number: int) -> Place:
        """Return the place of a move of the shown game, of the seat that was first to make one of its number.

        Args:
            number: Of the move, from 1.

        Raises:
            ValueRangeError: The game has no such move.
        """
        game = self.place.game
        count = self.count_moves(game)
        if not 1 <= number <= count:
            raise ValueRangeError(
                f"expected a move 1..{count} of game {game + 1}, got {number}", field="move"
            )
        return next(place for place in self.list_places_of(game) if self.find_step(place).move >= number)

    def find_game(self, number: int) -> Place:
        """Return the beginning of a game.

        Args:
            number: Of the game, from 1.

        Raises:
            ValueRangeError: There is no such game.
        """
        count = len(self.match.games)
        if not 1 <= number <= count:
            raise ValueRangeError(f"expected a game 1..{count} of this match, got {number}", field="game")
        return self.list_places_of(number - 1)[0]

    def make_table(self) -> GameState:
        """Return the table at the shown place: with the dice of its play, or after the game."""
        step, game = self.find_step(), self.match.games[self.place.game]
        situation, match = step.situation, step.situation.match
        if isinstance(step.action, SetAction):
            return GameState(step.action.position, step.action.match, rules=game.rules)
        if isinstance(step.action, PlayAction) and self.place.is_rolled:
            match = match.with_roll(step.action.roll)
        if step.action is not None or situation.result is None:
            return GameState(situation.position, match, rules=game.rules)
        won = (situation.result.winner, situation.result.points)
        try:
            following = match.after_game(*won)
        except ValueRangeError:  # a long session of money play
            following = match.before_roll()
        final_score = match.score_after(*won) if following is None else None
        is_conceded = not situation.position.is_over
        return GameState(
            situation.position, following or match.before_roll(), is_conceded, game.rules, final_score
        )

    @property
    def analysed_match(self) -> AnalysedMatch:
        """The match with what its notes say of its decisions."""
        if self._analysed is None or self._analysed.match is not self.match:
            analysed_by = f"{NAME} {read_version()}, {self.source}"
            method = analysed_by if len(self._analysed_games) == len(self.match.games) else ""
            self._analysed = AnalysedMatch("", self.match, method, find_table(self.match.rules.rules))
        return self._analysed

    @property
    def is_analysed(self) -> bool:
        """Whether anything is known of its decisions, by its file or by our analysis."""
        return any(_is_analysis(notes) for game in self.match.games for notes in game.notes.values())

    def put_game(self, number: int, game: RecordedGame, source: str) -> None:
        """Take a game with the notes of our analysis, in place of what was known of it.

        Args:
            number: Its place in the match, from 0.
            game: The game.
            source: What analysed it, in words.
        """
        games = list(self.match.games)
        games[number] = game
        self._analysed_games.add(number)
        self.source = source
        self.match = replace(self.match, games=tuple(games))

    def has_games_of(self, match: RecordedMatch) -> bool:
        """Return whether it is the match, whatever is known of its decisions."""
        games, others = self.match.games, match.games
        return len(games) == len(others) and all(map(_is_same_game, games, others))

    def take_analysis(self, other: OpenRecord) -> None:
        """Take over what another record of these games knows of those that are the same in both."""
        for number, (game, old) in enumerate(zip(self.match.games, other.match.games, strict=False)):
            if number in other._analysed_games and _is_same_game(game, old):
                self.put_game(number, old, other.source)

    def describe_depth(self, game: int, depth: str) -> str:
        """Return in parentheses how deep a decision of a game was analysed, and whether by the file.

        Args:
            game: The place of the game in the match, from 0.
            depth: As the notes have it; empty where they do not say.

        Returns:
            `` (by the file, 2-ply)``, to stand behind a sentence; empty where nothing is to be said.
        """
        parts = [part for part in ("by the file" * (game not in self._analysed_games), depth) if part]
        return f" ({', '.join(parts)})" if parts else ""

    def find_decisions(self, place: Place) -> list[AnalysedDecision]:
        """Return what is known of the decisions of an action: not to double before a play, and itself."""
        return [
            each
            for each in self.analysed_match.decisions
            if (each.game, each.place) == (place.game, place.action)
        ]


def _shorten_names(names: SeatNames) -> SeatNames:
    first, second = (
        escape_unprintable(name).strip() or f"player {seat}" for seat, name in enumerate(names, 1)
    )
    one, two = shorten_names((first, second), _NAME_LENGTH)
    return one, two


def _list_steps(game: RecordedGame) -> tuple[Step, ...]:
    move, end = 1, GameSituation(game.position, game.initial_state)
    if game.actions:
        last, action, move = game.replayed[-1]
        end = last.apply(action)
    return *game.replayed, RecordEnd(replace(end, result=game.result or end.result), None, move)


def _is_same_game(game: RecordedGame, other: RecordedGame) -> bool:
    return replace(other, notes=game.notes) == game


def _is_analysis(notes: ActionNotes) -> bool:
    return bool(notes.candidates or notes.cube)
