"""Players and choices of plays in games where doubles are two checker moves, a variant of the rules."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.analyst import Analyst
from engine.choice import Choice, Chooser
from engine.dice import Roll
from engine.doubles import Doubles
from engine.errors import PlayError, UnsupportedError
from engine.judged import JudgedPlays
from engine.judging import cubeless_judgement, judged_plays
from engine.levels import Depth
from engine.match import MatchState
from engine.moves import expand_two_moves, legal_plays
from engine.players import Player, PlayPicker
from engine.position import Board, Position
from engine.search import MoveSearch, SearchWatch, TreeSearch


class TwoMovePlayer:
    """Plays what another player likes best in games where doubles are two checker moves.

    Evaluators judge as ever, which for them is as if both sides played their doubles as usual from then on.

    Args:
        player: Who judges.

    Raises:
        UnsupportedError: It lists plays by itself, as players do that look ahead or err.
    """

    def __init__(self, player: Player) -> None:
        if not isinstance(player, PlayPicker):
            raise UnsupportedError(
                f"{player.name} plays doubles as four moves alone: expected a player that neither looks "
                "ahead nor errs",
                field="doubles",
            )
        self.player = player

    @property
    def name(self) -> str:
        """The player's name."""
        return self.player.name

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `engine.players.Player.choose`, of two moves at most."""
        children, _, offsets = expand_two_moves(boards, dice)
        chosen: Board = children[self.player.pick(boards, dice, children, offsets)]
        return chosen


def playing_doubles(player: Player, doubles: Doubles) -> Player:
    """A player as it plays by a rule for doubles.

    Raises:
        UnsupportedError: As `TwoMovePlayer`.
    """
    return TwoMovePlayer(player) if doubles is Doubles.TWO else player


class TwoMoveRanker:
    """Ranks plays of two moves at one look and without the cube; judges nothing else.

    The evaluator judges as ever, which for it is as if both sides played their doubles as usual from then on.

    Args:
        analyst: Whose evaluator and match equities they are.
    """

    def __init__(self, analyst: Analyst) -> None:
        self.analyst = analyst

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self.analyst.name

    def rank_plays(
        self,
        position: Position,
        roll: Roll,
        match: MatchState,
        depth: Depth | None = None,
        watch: SearchWatch | None = None,
    ) -> JudgedPlays:
        """Rank the plays of a roll by cubeless money equity, in a match by the chance to win it.

        Args:
            position: Where the player on roll moves from.
            roll: Two dice, in any order.
            match: The match state; its seat on roll is the one that plays.
            depth: How deep, which is 0 plies and without the cube, also if None.
            watch: Counts nodes, reports progress.

        Raises:
            StateError: The game is over.
            ValueRangeError: A die is not 1 to 6.
            UnsupportedError: The depth is another one.
        """
        if depth is not None and (depth.plies or depth.is_cubeful):
            raise UnsupportedError(
                "plays are ranked at 0 plies without the cube where doubles are two moves", field="doubles"
            )
        judgement = cubeless_judgement(self.analyst.evaluator, match, self.analyst.table)
        search = MoveSearch(judgement, TreeSearch(None), self.analyst.evaluator.plies)
        found = search.rank(legal_plays(position, roll, Doubles.TWO), watch)
        return judged_plays(found, judgement)


class TwoMoveChooser(Chooser):
    """Chooses plays of two moves, its evaluator's or a player's, and nothing about the cube.

    Args:
        analyst: Judges.
        player: Chooses the plays; the evaluator, with its errors, if None.
        noise_points: How it errs, see `engine.levels.erring_choice`.
        seed: Of these errors.

    Raises:
        ValueRangeError: As for `Chooser`.
        UnsupportedError: As `TwoMovePlayer`.
    """

    def __init__(
        self, analyst: Analyst, player: Player | None = None, noise_points: float = 0.0, seed: int = 0
    ) -> None:
        super().__init__(analyst, Depth(is_cubeful=False), noise_points, seed)
        self._player = None if player is None else TwoMovePlayer(player)
        self._ranker = TwoMoveRanker(analyst)

    @property
    def name(self) -> str:
        """What reports call it."""
        return self.analyst.name if self._player is None else self._player.name

    def play(
        self, position: Position, roll: Roll, match: MatchState, watch: SearchWatch | None = None
    ) -> Choice:
        """Choose a play of a roll, as `Chooser.play`.

        Raises:
            PlayError: The player broke the rules.
            GammondError: As `TwoMoveRanker.rank_plays`.
        """
        ranked = self._ranker.rank_plays(position, roll, match, self.depth, watch)
        if self._player is None:
            return self._choice(ranked, position, roll)
        board = self._player.choose(position.board[None].copy(), np.array([roll], np.int8))[0]
        chosen = ranked.leading_to(board)
        if chosen is None:
            raise PlayError(f"{self.name} chose what is no legal play of {roll[0]}-{roll[1]}", field="player")
        return Choice(chosen, ranked)

    def at_depth(self, depth: Depth) -> NoReturn:
        """Refuse: there is one depth.

        Raises:
            UnsupportedError: Always.
        """
        raise _no_judgement()

    def takes_beaver(
        self, position: Position, match: MatchState, watch: SearchWatch | None = None
    ) -> NoReturn:
        """Refuse, as everything about the cube is refused where there is something to decide.

        Raises:
            UnsupportedError: Always.
        """
        raise _no_judgement()

    def _judged(self, position: Position, match: MatchState, watch: SearchWatch | None) -> NoReturn:
        raise _no_judgement()


def _no_judgement() -> UnsupportedError:
    return UnsupportedError(
        "what judges positions takes doubles for four moves: plays are all it can choose where they are two",
        field="doubles",
    )
