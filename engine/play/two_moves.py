"""Players and choices of plays in games where doubles are two checker moves, a variant of the rules."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.analysis.engine import Engine
from engine.analysis.evaluations import ChosenPlay, RankedPlays
from engine.analysis.levels import EvalSettings
from engine.analysis.search_results import make_cubeless_objective, make_ranked_plays
from engine.errors import UnsupportedError
from engine.play.decider import Decider
from engine.play.player import Player
from engine.rules.dice import Roll
from engine.rules.doubles_rule import DoublesRule
from engine.rules.match import MatchState
from engine.rules.moves import expand_two_moves, legal_plays
from engine.rules.position import Board, Position
from engine.search import PlaySearch, SearchWatch, TreeSearch


class TwoMovePlayer(Player):
    """Plays what another player likes best in games where doubles are two checker moves.

    Evaluators judge as ever, which for them is as if both sides played their doubles as usual from then on.

    Args:
        player: Who judges.

    Raises:
        UnsupportedError: It lists plays by itself, as players do that look ahead or err.
    """

    def __init__(self, player: Player) -> None:
        if not player.can_pick:
            raise UnsupportedError(
                f"{player.name} plays doubles as four moves alone: expected a player that neither looks "
                "ahead nor errs",
                field="doubles",
            )
        self.name = player.name
        self.nets = player.nets
        self.player = player

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `engine.play.player.Player.choose`, of two moves at most."""
        children, _, offsets = expand_two_moves(boards, dice)
        chosen: Board = children[self.player.pick(boards, dice, children, offsets)]
        return chosen


def adapt_to_doubles(player: Player, doubles: DoublesRule) -> Player:
    """A player as it plays by a rule for doubles.

    Raises:
        UnsupportedError: As `TwoMovePlayer`.
    """
    return TwoMovePlayer(player) if doubles is DoublesRule.TWO else player


class TwoMoveRanker:
    """Ranks plays of two moves at one look and without the cube; judges nothing else.

    The evaluator judges as ever, which for it is as if both sides played their doubles as usual from then on.

    Args:
        engine: Whose evaluator and match equities they are.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self.engine.name

    def rank_plays(
        self,
        position: Position,
        roll: Roll,
        match: MatchState,
        settings: EvalSettings | None = None,
        watch: SearchWatch | None = None,
    ) -> RankedPlays:
        """Rank the plays of a roll by cubeless money equity, in a match by the chance to win it.

        Args:
            position: Where the player on roll moves from.
            roll: Two dice, in any order.
            match: The match state; its seat on roll is the one that plays.
            settings: How deep, which is 0 plies and without the cube, also if None.
            watch: Counts nodes, reports progress.

        Raises:
            StateError: The game is over.
            ValueRangeError: A die is not 1 to 6.
            UnsupportedError: The depth is another one.
        """
        if settings is not None and (settings.plies or settings.is_cubeful):
            raise UnsupportedError(
                "plays are ranked at 0 plies without the cube where doubles are two moves", field="doubles"
            )
        judgement = make_cubeless_objective(self.engine.evaluator, match, self.engine.table)
        search = PlaySearch(judgement, TreeSearch(None), self.engine.evaluator.plies)
        found = search.rank(legal_plays(position, roll, DoublesRule.TWO), watch)
        return make_ranked_plays(found, judgement)


class TwoMoveDecider(Decider):
    """Chooses plays of two moves, its evaluator's or a player's, and nothing about the cube.

    Args:
        engine: Judges.
        player: Chooses the plays; the evaluator, with its errors, if None.
        noise_points: How it errs, see `engine.analysis.levels.choose_with_noise`.
        seed: Of these errors.

    Raises:
        ValueRangeError: As for `Decider`.
        UnsupportedError: As `TwoMovePlayer`.
    """

    def __init__(
        self, engine: Engine, player: Player | None = None, noise_points: float = 0.0, seed: int = 0
    ) -> None:
        two_moves = None if player is None else TwoMovePlayer(player)
        super().__init__(engine, EvalSettings(is_cubeful=False), noise_points, seed, player=two_moves)
        self._ranker = TwoMoveRanker(engine)

    def choose_play(
        self, position: Position, roll: Roll, match: MatchState, watch: SearchWatch | None = None
    ) -> ChosenPlay:
        """Choose a play of a roll, as `Decider.choose_play`.

        Raises:
            PlayError: The player broke the rules.
            GammondError: As `TwoMoveRanker.rank_plays`.
        """
        ranked = self._ranker.rank_plays(position, roll, match, self.settings, watch)
        if self._player is None:
            return self._choose_among(ranked, position, roll)
        board = self._player.choose_one(position, roll)
        return self._find_choice(ranked, board, roll)

    def with_settings(self, settings: EvalSettings) -> NoReturn:
        """Refuse: there is one depth.

        Raises:
            UnsupportedError: Always.
        """
        raise _make_unsupported_error()

    def takes_beaver(
        self, position: Position, match: MatchState, watch: SearchWatch | None = None
    ) -> NoReturn:
        """Refuse, as everything about the cube is refused where there is something to decide.

        Raises:
            UnsupportedError: Always.
        """
        raise _make_unsupported_error()

    def _evaluate(self, position: Position, match: MatchState, watch: SearchWatch | None) -> NoReturn:
        raise _make_unsupported_error()


def _make_unsupported_error() -> UnsupportedError:
    return UnsupportedError(
        "what judges positions takes doubles for four moves: plays are all it can choose where they are two",
        field="doubles",
    )
