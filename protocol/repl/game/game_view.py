"""Who sits where at the session's table, and what is shown of the game."""

from __future__ import annotations

from dataclasses import dataclass, field

from gammond.engine.rules.rules import Feature
from gammond.nets.player_specs import name_player
from gammond.protocol.commands.board_drawing import (
    CHECKER_MARKS,
    NOTED_COLUMNS,
    describe_money_rules,
    draw_board,
)
from gammond.protocol.repl.answers.analysis import WinningChances
from gammond.protocol.repl.answers.replies import BoardLine
from gammond.protocol.repl.answers.sentences import (
    ENGINE_NAME,
    HUMAN_NAME,
    begin_sentence,
    describe_cube_access,
    describe_score,
    describe_turn,
    make_sentence,
)
from gammond.protocol.repl.game.history import SetAsideGame
from gammond.protocol.repl.records.open_record import OpenRecord
from gammond.protocol.repl.records.open_records import OpenRecords
from gammond.protocol.state.game_state import GameState
from gammond.protocol.state.player_registry import ENGINE_PLAYER, HUMAN_PLAYER
from gammond.protocol.state.session import Session

_DOUBLE_ANSWERS = {"pass": "drop", "reject": "drop", "accept": "take"}
"""Words for plays and resignations that, while a double is pending, can only mean an answer to it."""


@dataclass(frozen=True)
class ShownPlace:
    """A place of an open match on the table.

    Attributes:
        record: The match.
        table: The table as it was set up: after any change it is another one.
        aside: The game that was set aside for it; None for none.
        tried: The tables that plays, rolls and cube actions tried from there have led to.
    """

    record: OpenRecord
    table: GameState
    aside: SetAsideGame | None
    tried: list[GameState] = field(default_factory=list)


class GameView:
    """The seats of a game, its score, its board and winning chances.

    Args:
        session: The table.

    Attributes:
        human_seat: The person's seat in a game; None without one. People play both seats of a game whose
            opponent, ``engine.player``, is human too.
        chances: Shows winning chances after each play, once switched on.
        columns: The width of the terminal, for the board.
        records: The matches that are open.
        news: What was rolled and done last, from the person's last decision on, in sentences.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.human_seat: int | None = None
        self.chances = WinningChances(session)
        self.columns = 80
        self.records = OpenRecords()
        self._shown: ShownPlace | None = None
        self.news: list[str] = []

    @property
    def is_running(self) -> bool:
        """Whether a game is in progress."""
        game = self.session.game
        return self.human_seat is not None and game.position is not None and not game.is_over

    @property
    def has_two_humans(self) -> bool:
        """Whether people play both seats."""
        return self.session.engine_settings.player == HUMAN_PLAYER

    @property
    def shown_place(self) -> ShownPlace | None:
        """The place of an open match that is on the table; None for any other table."""
        shown = self._shown
        is_there = shown is not None and self.human_seat is None and shown.table is self.session.game
        return shown if is_there else None

    @property
    def origin(self) -> ShownPlace | None:
        """The place of an open match that is on the table, or was before what was tried there; else None."""
        shown = self._shown
        if shown is None or self.human_seat is not None:
            return None
        tables = (shown.table, *shown.tried)
        return shown if any(table is self.session.game for table in tables) else None

    def find_record(self) -> OpenRecord:
        """Return the match that is stepped through: one that is open, or the person's own games as they are.

        Raises:
            StateError: There is neither.
        """
        record = self.records.current
        if record is None or (record.is_own and self.human_seat is not None):
            return self.records.open_own(self.session.log)
        return record

    @property
    def names(self) -> tuple[str, str]:
        """The names of seats 0 and 1."""
        if self.origin is not None:
            return self.origin.record.names
        if self.human_seat is None or self.has_two_humans:
            return CHECKER_MARKS
        player = self.session.engine_settings.player
        opponent = ENGINE_NAME if player == ENGINE_PLAYER else name_player(player)
        return (HUMAN_NAME, opponent) if self.human_seat == 0 else (opponent, HUMAN_NAME)

    @property
    def is_match_over(self) -> bool:
        """Whether the game on the table is over and decided the match."""
        return self.session.game.final_score is not None

    @property
    def points(self) -> tuple[int, int]:
        """Points of seats 0 and 1, with those of a game that decided the match."""
        return self.session.game.score

    def show_score(self) -> list[str]:
        """Return the score and the cube."""
        game = self.session.game
        is_over = game.is_over and (self.human_seat is not None or self.origin is not None)
        return [describe_score(game.match, self.points, self.names, is_over=is_over) + "."]

    def show_rules(self) -> list[str]:
        """Return the rules in force, and how they are changed."""
        game = self.session.game
        if not game.rules.supports(Feature.CUBE):
            return ["These rules have no cube."]
        if not game.match.is_money:
            points = game.match.length
            kind = f"A {points}-point match: the Crawford rule; Jacoby and beavers are for money play."
        else:
            kind = f"Money play: {describe_money_rules(game.match)}."
        return [
            kind,
            "'set game.jacoby on' or 'off' and 'set game.beavers on' or 'off' set the rules of money play; "
            "'help rules' explains them.",
        ]

    def show_turn(self) -> list[str]:
        """Return who is to act, and how, with the dice if there are any.

        Raises:
            StateError: There is no position.
        """
        self.session.require_position()
        game = self.session.game
        if game.is_over:
            return ["The game is over."]
        turn = describe_turn(game.match, self.names[game.match.to_act])
        return [f"{begin_sentence(turn)}."]

    def show_cube(self) -> list[str]:
        """Return where the cube is and who may turn it; after a game, the score.

        Raises:
            StateError: There is no position.
        """
        self.session.require_position()
        game = self.session.game
        if game.is_over:
            return self.show_score()
        if not game.rules.supports(Feature.CUBE):
            return ["These rules have no cube."]
        return [describe_cube_access(game.match, self.names), "'cube' analyses the decision to double."]

    def show_board(self) -> list[str]:
        """Draw the board in the columns there are, in a game against the engine as the person sees it.

        Raises:
            StateError: There is no position.
        """
        position = self.session.require_position()
        game = self.session.game
        view = None if self.has_two_humans else self.human_seat
        if self.origin is not None:
            view = self.origin.record.bottom_seat
        drawn = draw_board(
            *(position, game.match, self.names, view, self.points),
            is_conceded=game.is_conceded,
            columns=self.columns,
        )
        own = CHECKER_MARKS[(self.human_seat if view is None else view) or 0]
        has_notes = self.columns < NOTED_COLUMNS
        return [BoardLine(line, own, not has_notes or line[1:2] in ("|", "+")) for line in drawn]

    def show_chances(self, is_shown: bool) -> list[str]:
        """Show winning chances after each play from here on, or stop showing them.

        Raises:
            DataFileError: Their evaluator cannot be loaded.
        """
        return [self.chances.set_shown(is_shown), *self._format_chances()]

    def _format_chances(self) -> list[str]:
        """Before a roll, return the winning chances of the person, or of the side to roll with two people."""
        match = self.session.game.match
        if self.human_seat is None or not self.is_running or match != match.before_roll():
            return []
        return self.chances.format_lines(match.on_roll if self.has_two_humans else self.human_seat)

    def _find_answer(self, word: str) -> str | None:
        """Return the answer to a pending double that a word of another meaning stands for; None for none."""
        match = self.session.game.match
        return _DOUBLE_ANSWERS.get(word.strip().lower()) if match.doubled and not match.resigned else None

    def _describe_score_after(self, winner: int) -> list[str]:
        """Return the score after a game, and what comes next."""
        if self.human_seat is None:
            return []
        if self.is_match_over:
            own, other = self.points[winner], self.points[1 - winner]
            return [
                make_sentence(self.names[winner], "win", f"the match {own}-{other}")
                + " 'new' starts another."
            ]
        return [*self.show_score(), "'new' starts the next game."]
