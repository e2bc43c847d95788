"""Answers to what people ask about a position: its value, its plays, its cube, at any depth.

Everything above this floor that judges positions of a game (the wire, the REPL, the tools) asks an `Analyst`,
so that all of them rank, choose and double alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from engine.cubeful import (
    CubeGame,
    ScoreMatrix,
    accepts_resignation,
    cube_game,
    resignation,
    score_matrix,
)
from engine.dice import Roll
from engine.evaluator import Evaluator
from engine.judged import JudgedBeaver, JudgedBoards, JudgedPlays, JudgedPosition
from engine.judging import cubeless_judgement, judged_plays, judged_positions
from engine.levels import Depth
from engine.match import MAX_CUBE, MatchState
from engine.match_equity import MatchEquityTable
from engine.position import Board, Position
from engine.replies import EvaluatedReplies, ReplyFinder
from engine.rollout import RolloutJudges, ShortlistedReplies
from engine.search import MoveSearch, NPlyEvaluator, SearchWatch, TreeSearch, ValueCache
from engine.search.cubeful import OUTCOMES, CubefulJudge, CubefulJudgement
from engine.search.deepening import deepest_values
from engine.search.judgement import Judgement, Values
from engine.search.tree import USUAL_PRUNING, Pruning

CACHE_COLUMNS = 16
"""The outcome and eleven states of the cube: all that four plies of a match can come to."""


class Analyst:
    """Judges positions, plays and cubes; safe to use from several threads.

    Args:
        evaluator: The judge of the leaves.
        finder: Names promising replies, for search and rollouts; None to look at all legal plays.
        policy: Finds the plays of rollouts at 0 plies; None for all plays by the evaluator.
        exact: Judges that know their positions under best play, with the cube.
        table: What match equities come from; the shipped one if None.
        cache: Where values of searches are kept, `CACHE_COLUMNS` wide; None for nowhere.
        threads: How many threads work on one answer.
        pruning: Which replies searches look at.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        finder: ReplyFinder | None = None,
        *,
        policy: ReplyFinder | None = None,
        exact: tuple[CubefulJudge, ...] = (),
        table: MatchEquityTable | None = None,
        cache: ValueCache | None = None,
        threads: int = 1,
        pruning: Pruning = USUAL_PRUNING,
    ) -> None:
        self.evaluator = evaluator
        self.table = table
        self._finder = finder
        self._policy = policy
        self._exact = exact
        self._cache = cache
        self._pruning = pruning
        self._tree = TreeSearch(finder, pruning, cache, threads)

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self.evaluator.name

    def with_threads(self, threads: int) -> Analyst:
        """The same analyst, and the same cache, with another number of threads.

        Raises:
            ValueRangeError: The number of threads is out of range.
        """
        other = copy(self)
        other._tree = TreeSearch(self._finder, self._pruning, self._cache, threads)
        return other

    def looking_ahead(
        self, plies: int, threads: int = 1, cancelled: Callable[[], bool] | None = None
    ) -> Evaluator:
        """An evaluator of cubeless outcomes at a depth.

        Args:
            plies: Look-ahead.
            threads: How many threads work on one call.
            cancelled: Asked as it works; when it says yes, the evaluation ends in CancelledWork.

        Raises:
            ValueRangeError: Plies or threads are out of range.
        """
        if plies == 0:
            return self.evaluator
        return NPlyEvaluator(
            self.evaluator, self._finder, plies, self._pruning, self._cache, threads, self._exact, cancelled
        )

    def judge(
        self,
        position: Position,
        match: MatchState,
        depth: Depth | None = None,
        watch: SearchWatch | None = None,
    ) -> JudgedPosition:
        """Value a position and decide about its cube, before the roll; depth by depth if it can be stopped.

        Args:
            position: The checkers, those of the seat on roll first; the game may be over.
            match: The match state. While a double waits, the state before it.
            depth: How deep; 0 plies with the cube if None.
            watch: Counts nodes, reports progress, stops the search.

        Returns:
            The judgement of the deepest search that was finished; 0 plies always are.

        Raises:
            PositionError: The cube counts, and that of a match shows more than 1 and nobody owns it.
        """
        return self.judge_all([position], match, depth, watch)[0]

    def judge_all(
        self,
        positions: Sequence[Position],
        match: MatchState,
        depth: Depth | None = None,
        watch: SearchWatch | None = None,
    ) -> list[JudgedPosition]:
        """Judge positions of one match state together, which takes less time than one by one.

        Args:
            positions: The checkers, those of the seat on roll first.
            match: The match state of all of them.
            depth: How deep; 0 plies with the cube if None.
            watch: Counts nodes, reports progress, stops the search.

        Returns:
            What `judge` says of each, in their order and all at one depth; nodes and time are those of all.

        Raises:
            PositionError: The cube counts, and that of a match shows more than 1 and nobody owns it.
        """
        if not positions:
            return []
        depth, watch = depth or Depth(), watch or SearchWatch()
        judgement = self._judgement(match, depth)
        boards = np.stack([position.board for position in positions])
        found = deepest_values(self._tree, judgement, boards, depth.plies, watch)
        return judged_positions(judgement, found, positions, self.evaluator.plies)

    def judge_boards(
        self,
        boards: Board,
        match: MatchState,
        depth: Depth | None = None,
        watch: SearchWatch | None = None,
    ) -> JudgedBoards:
        """Value many positions of one match state at once, each as `judge` values it.

        Args:
            boards: ``int8[n, 2, 26]``, the checkers of the seat on roll first; finished positions allowed.
            match: The match state of all of them.
            depth: How deep; 0 plies with the cube if None.
            watch: Counts nodes and stops the work.

        Raises:
            PositionError: The cube counts, and that of a match shows more than 1 and nobody owns it.
            CancelledWork: The watch stopped it.
        """
        depth = depth or Depth()
        judgement = self._judgement(match, depth)
        values = self._tree.values(judgement, boards, depth.plies, watch)
        carried = judgement.carried(values)
        return JudgedBoards(
            np.ascontiguousarray(values[:, :OUTCOMES]),
            judgement.equities(carried) if isinstance(judgement, CubefulJudgement) else None,
            None if match.is_money else carried[:, OUTCOMES].astype(np.float64),
        )

    def rank_plays(
        self,
        position: Position,
        roll: Roll,
        match: MatchState,
        depth: Depth | None = None,
        watch: SearchWatch | None = None,
        *,
        stop_when_decided: bool = False,
    ) -> JudgedPlays:
        """Rank the legal plays of a roll.

        By cubeful equity where the cube counts; otherwise by cubeless money equity, or in a match by the
        chance to win it at the present cube. Among equals the better cubeless money equity goes first.

        Args:
            position: Where the player on roll moves from.
            roll: Two dice, in any order.
            match: The match state; its seat on roll is the one that plays.
            depth: How deep; 0 plies with the cube if None.
            watch: Counts nodes, reports progress, stops the search: the last finished depth stands.
            stop_when_decided: Whether to stop as soon as a single candidate is left; its plies are then less.

        Raises:
            StateError: The game is over.
            ValueRangeError: A die is not 1 to 6.
            PositionError: The cube counts, and that of a match shows more than 1 and nobody owns it.
        """
        depth = depth or Depth()
        judgement = self._judgement(match, depth)
        search = MoveSearch(judgement, self._tree, self.evaluator.plies)
        found = search.search(position, roll, depth.plies, depth.move_filter, watch, stop_when_decided)
        return judged_plays(found, judgement)

    def takes_beaver(
        self,
        position: Position,
        match: MatchState,
        depth: Depth | None = None,
        watch: SearchWatch | None = None,
    ) -> bool:
        """Decide whether to play on after a beaver, as `judge_beaver`."""
        return self.judge_beaver(position, match, depth, watch).plays_on

    def judge_beaver(
        self,
        position: Position,
        match: MatchState,
        depth: Depth | None = None,
        watch: SearchWatch | None = None,
    ) -> JudgedBeaver:
        """Judge whether a double that was beavered is played out, rather than the doubled stake lost.

        Args:
            position: The checkers, those of the doubler first, who is on roll.
            match: The match state, money play; its cube shows what the opponent, who holds it, would turn.
            depth: How deep; the cube counts in any case.
            watch: As for `judge`.
        """
        taken = replace(match.before_roll(), cube=min(2 * match.cube, MAX_CUBE))
        depth = replace(depth or Depth(), is_cubeful=True)
        return JudgedBeaver(self.judge(position, taken, depth, watch))

    def resignation(self, judged: JudgedPosition, match: MatchState) -> int:
        """Say what the seat on roll can resign without a loss: 0 nothing, 1 to 3 for the kind of game.

        Args:
            judged: Its position, judged with the cube.
            match: The match state.
        """
        game = self._cube_game(match, 0)
        return resignation(judged.worth, game)

    def accepts_resignation(self, judged: JudgedPosition, match: MatchState, points: int) -> bool:
        """Say whether the seat that is not on roll accepts what the seat on roll resigns.

        Args:
            judged: The position of the seat on roll, judged with the cube.
            match: The match state.
            points: 1 a single game, 2 a gammon, 3 a backgammon.
        """
        game = self._cube_game(match, 0)
        worth_to_other = -judged.worth if game.is_money else 1.0 - judged.worth
        return accepts_resignation(worth_to_other, points, game.other)

    def score_matrix(
        self,
        position: Position,
        away: int,
        *,
        cube: int = 1,
        plies: int = 0,
        watch: SearchWatch | None = None,
    ) -> ScoreMatrix:
        """Decide about the cube at every score up to so many points away.

        Args:
            position: The checkers, those of the player on roll first.
            away: How far the matrix reaches, 2 to 64.
            cube: What the cube shows; above 1 the player on roll owns it.
            plies: Look-ahead at every score.
            watch: Counts nodes and stops the work.

        Raises:
            ValueRangeError: An argument is out of range.
            CancelledWork: The watch stopped it.
        """
        Depth(plies)
        board, watch = position.board[None], watch or SearchWatch()

        def values_at(game: CubeGame) -> Values:
            judgement = CubefulJudgement(self.evaluator, game, self._exact)
            return self._tree.values(judgement, board, plies, watch)[0, OUTCOMES:]

        return score_matrix(values_at, away, cube=cube, table=self.table)

    def rollout_judges(
        self,
        play_plies: int = 0,
        leaf_plies: int = 0,
        cube_plies: int = 0,
        cancelled: Callable[[], bool] | None = None,
    ) -> RolloutJudges:
        """Put together who plays and judges in rollouts; luck is measured at 0 plies.

        Args:
            play_plies: Look-ahead of the plays.
            leaf_plies: Look-ahead of the values at the truncation.
            cube_plies: Look-ahead of doubles.
            cancelled: What the rollout is given to be stopped by; looking ahead is stopped by it too.

        Raises:
            ValueRangeError: Plies are out of range.
        """
        cheap = self._policy or EvaluatedReplies(self.evaluator)
        policy = cheap
        if play_plies:
            policy = ShortlistedReplies(
                self._finder or cheap, self.looking_ahead(play_plies, cancelled=cancelled)
            )
        return RolloutJudges(
            policy,
            self.looking_ahead(leaf_plies, cancelled=cancelled),
            luck=self.evaluator,
            luck_policy=cheap,
            cube=self.looking_ahead(cube_plies, cancelled=cancelled),
            exact_cubeful=self._exact,
        )

    def cube_game(self, match: MatchState) -> CubeGame:
        """Lay out the states of the cube, as rollouts take them."""
        return cube_game(match.without_automatic_doubles(), self.table)

    def _cube_game(self, match: MatchState, plies: int) -> CubeGame:
        return cube_game(match.without_automatic_doubles(), self.table, cube_turns=plies + 1)

    def _judgement(self, match: MatchState, depth: Depth) -> Judgement:
        if depth.is_cubeful:
            return CubefulJudgement(self.evaluator, self._cube_game(match, depth.plies), self._exact)
        return cubeless_judgement(self.evaluator, match, self.table, self._exact)
