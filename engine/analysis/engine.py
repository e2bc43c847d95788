"""Answers to what people ask about a position: its value, its plays, its cube, at any depth.

Everything above this floor that judges positions of a game (the wire, the REPL, the tools) asks an `Engine`,
so that all of them rank, choose and double alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from engine.analysis.evaluations import BeaverEvaluation, BoardEvaluations
from engine.analysis.levels import EvalSettings
from engine.cubeful import (
    CubeStateSpace,
    ScoreMatrix,
    build_cube_state_space,
    choose_resignation,
    compute_score_matrix,
    should_accept_resignation,
)
from engine.cubeful.match_equity import MatchEquityTable
from engine.evaluation.evaluator import Evaluator
from engine.evaluation.pruning import EvaluatorPruner, PlayPruner, ShortlistPruner
from engine.rollout import RolloutEvaluators
from engine.rules.dice import Roll
from engine.rules.match import MAX_CUBE, MatchState
from engine.rules.moves import legal_plays
from engine.rules.position import Board, Position
from engine.rules.rules import STANDARD_RULES, Feature, Rules
from engine.search import NPlyEvaluator, PlaySearch, PositionSearch, SearchWatch, TreeSearch, ValueCache
from engine.search.cubeful_objective import (
    OUTCOME_COLUMNS,
    CubefulEvaluator,
    CubefulObjective,
    make_cubeless_objective,
)
from engine.search.objective import Objective, Values
from engine.search.results import PositionEvaluation, RankedPlays
from engine.search.tree import DEFAULT_PRUNING, Pruning

CACHE_COLUMNS = 16
"""The outcome and eleven states of the cube: all that four plies of a match can come to."""


class Engine:
    """Judges positions, plays and cubes; safe to use from several threads.

    Args:
        evaluator: The judge of the leaves.
        pruner: Names promising replies, for search and rollouts; None to look at all legal plays.
        policy: Finds the plays of rollouts at 0 plies; None for all plays by the evaluator.
        exact: Judges that know their positions under best play, with the cube.
        table: What match equities come from; the shipped one if None.
        cache: Where values of searches are kept, `CACHE_COLUMNS` wide; None for nowhere.
        threads: How many threads work on one answer.
        pruning: Which replies searches look at.
        rules: The rules of the games that it is asked about.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        pruner: PlayPruner | None = None,
        *,
        policy: PlayPruner | None = None,
        exact: tuple[CubefulEvaluator, ...] = (),
        table: MatchEquityTable | None = None,
        cache: ValueCache | None = None,
        threads: int = 1,
        pruning: Pruning = DEFAULT_PRUNING,
        rules: Rules = STANDARD_RULES,
    ) -> None:
        self.evaluator = evaluator
        self.rules = rules
        self.table = table
        self._pruner = pruner
        self._policy = policy
        self._exact = exact
        self._cache = cache
        self._pruning = pruning
        self._tree = TreeSearch(pruner, pruning, cache, threads)

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self.evaluator.name

    def with_threads(self, threads: int) -> Engine:
        """The same analyst, and the same cache, with another number of threads.

        Raises:
            ValueRangeError: The number of threads is out of range.
        """
        other = copy(self)
        other._tree = TreeSearch(self._pruner, self._pruning, self._cache, threads)
        return other

    def with_rules(self, rules: Rules) -> Engine:
        """Return the same engine, with the same cache, for games by other rules."""
        if rules == self.rules:
            return self
        other = copy(self)
        other.rules = rules
        return other

    def make_n_ply_evaluator(
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
            self.evaluator, self._pruner, plies, self._pruning, self._cache, threads, self._exact, cancelled
        )

    def evaluate(
        self,
        position: Position,
        match: MatchState,
        settings: EvalSettings | None = None,
        watch: SearchWatch | None = None,
    ) -> PositionEvaluation:
        """Value a position and decide about its cube, before the roll; depth by depth if it can be stopped.

        Args:
            position: The checkers, those of the seat on roll first; the game may be over.
            match: The match state. While a double waits, the state before it.
            settings: How deep; 0 plies with the cube if None.
            watch: Counts nodes, reports progress, stops the search.

        Returns:
            The objective of the deepest search that was finished; 0 plies always are.

        Raises:
            PositionError: The cube counts, and that of a match shows more than 1 and nobody owns it.
        """
        return self.evaluate_positions([position], match, settings, watch)[0]

    def evaluate_positions(
        self,
        positions: Sequence[Position],
        match: MatchState,
        settings: EvalSettings | None = None,
        watch: SearchWatch | None = None,
    ) -> list[PositionEvaluation]:
        """Judge positions of one match state together, which takes less time than one by one.

        Args:
            positions: The checkers, those of the seat on roll first.
            match: The match state of all of them.
            settings: How deep; 0 plies with the cube if None.
            watch: Counts nodes, reports progress, stops the search.

        Returns:
            What `judge` says of each, in their order and all at one depth; nodes and time are those of all.

        Raises:
            PositionError: The cube counts, and that of a match shows more than 1 and nobody owns it.
        """
        self.rules.check_supports(Feature.EVALUATION)
        if not positions:
            return []
        settings, watch = settings or EvalSettings(), watch or SearchWatch()
        objective = self._make_objective(match, settings)
        search = PositionSearch(objective, self._tree, self.evaluator.plies)
        return search.search(positions, settings.plies, watch)

    def evaluate_boards(
        self,
        boards: Board,
        match: MatchState,
        settings: EvalSettings | None = None,
        watch: SearchWatch | None = None,
    ) -> BoardEvaluations:
        """Value many positions of one match state at once, each as `judge` values it.

        Args:
            boards: ``int8[n, 2, 26]``, the checkers of the seat on roll first; finished positions allowed.
            match: The match state of all of them.
            settings: How deep; 0 plies with the cube if None.
            watch: Counts nodes and stops the work.

        Raises:
            PositionError: The cube counts, and that of a match shows more than 1 and nobody owns it.
            CancelledWork: The watch stopped it.
        """
        self.rules.check_supports(Feature.EVALUATION)
        settings = settings or EvalSettings()
        objective = self._make_objective(match, settings)
        values = self._tree.evaluate(objective, boards, settings.plies, watch)
        carried = objective.apply_double_option(values)
        return BoardEvaluations(
            np.ascontiguousarray(values[:, :OUTCOME_COLUMNS]),
            objective.equities(carried) if objective.is_cubeful else None,
            objective.match_winning_chances(carried),
        )

    def rank_plays(
        self,
        position: Position,
        roll: Roll,
        match: MatchState,
        settings: EvalSettings | None = None,
        watch: SearchWatch | None = None,
        *,
        stop_when_decided: bool = False,
    ) -> RankedPlays:
        """Rank the legal plays of a roll.

        By cubeful equity where the cube counts; otherwise by cubeless money equity, or in a match by the
        chance to win it at the present cube. Among equals the better cubeless money equity goes first.

        Args:
            position: Where the player on roll moves from.
            roll: Two dice, in any order.
            match: The match state; its seat on roll is the one that plays.
            settings: How deep; 0 plies, with the cube where the rules have one, if None.
            watch: Counts nodes, reports progress, stops the search: the last finished depth stands.
            stop_when_decided: Whether to stop as soon as a single candidate is left; its plies are then less.

        Raises:
            StateError: The game is over.
            ValueRangeError: A die is not 1 to 6.
            PositionError: The cube counts, and that of a match shows more than 1 and nobody owns it.
            UnsupportedError: The rules support neither look-ahead nor the cube, and the settings use them.
        """
        settings = settings or EvalSettings.make_default(self.rules)
        settings.check_supported(self.rules)
        plays = legal_plays(position, roll, self.rules)
        objective = self._make_objective(match, settings)
        search = PlaySearch(objective, self._tree, self.evaluator.plies)
        return search.search_among(plays, settings.plies, settings.move_filter, watch, stop_when_decided)

    def takes_beaver(
        self,
        position: Position,
        match: MatchState,
        settings: EvalSettings | None = None,
        watch: SearchWatch | None = None,
    ) -> bool:
        """Decide whether to play on after a beaver, as `evaluate_beaver`."""
        return self.evaluate_beaver(position, match, settings, watch).plays_on

    def evaluate_beaver(
        self,
        position: Position,
        match: MatchState,
        settings: EvalSettings | None = None,
        watch: SearchWatch | None = None,
    ) -> BeaverEvaluation:
        """Judge whether a double that was beavered is played out, rather than the doubled stake lost.

        Args:
            position: The checkers, those of the doubler first, who is on roll.
            match: The match state, money play; its cube shows what the opponent, who holds it, would turn.
            settings: How deep; the cube counts in any case.
            watch: As for `judge`.
        """
        taken = replace(match.before_roll(), cube=min(2 * match.cube, MAX_CUBE))
        settings = replace(settings or EvalSettings(), is_cubeful=True)
        return BeaverEvaluation(self.evaluate(position, taken, settings, watch))

    def find_resignation(self, evaluation: PositionEvaluation, match: MatchState) -> int:
        """Say what the seat on roll can resign without a loss: 0 nothing, 1 to 3 for the kind of game.

        Args:
            evaluation: Its position, judged with the cube.
            match: The match state.
        """
        game = self._make_search_cube_game(match, 0)
        return choose_resignation(evaluation.mwc_or_equity, game)

    def accepts_resignation(self, evaluation: PositionEvaluation, match: MatchState, points: int) -> bool:
        """Say whether the seat that is not on roll accepts what the seat on roll resigns.

        Args:
            evaluation: The position of the seat on roll, judged with the cube.
            match: The match state.
            points: 1 a single game, 2 a gammon, 3 a backgammon.
        """
        game = self._make_search_cube_game(match, 0)
        worth_to_other = -evaluation.mwc_or_equity if game.is_money else 1.0 - evaluation.mwc_or_equity
        return should_accept_resignation(worth_to_other, points, game.opponent_view)

    def compute_score_matrix(
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
        self.rules.check_supports(Feature.CUBE)
        EvalSettings(plies)
        board, watch = position.board[None], watch or SearchWatch()

        def values_at(game: CubeStateSpace) -> Values:
            objective = CubefulObjective(self.evaluator, game, self._exact)
            return self._tree.evaluate(objective, board, plies, watch)[0, OUTCOME_COLUMNS:]

        return compute_score_matrix(values_at, away, cube=cube, table=self.table)

    def rollout_evaluators(
        self,
        play_plies: int = 0,
        leaf_plies: int = 0,
        cube_plies: int = 0,
        cancelled: Callable[[], bool] | None = None,
    ) -> RolloutEvaluators:
        """Put together who plays and judges in rollouts; luck is measured at 0 plies.

        Args:
            play_plies: Look-ahead of the plays.
            leaf_plies: Look-ahead of the values at the truncation.
            cube_plies: Look-ahead of doubles.
            cancelled: What the rollout is given to be stopped by; looking ahead is stopped by it too.

        Raises:
            ValueRangeError: Plies are out of range.
        """
        self.rules.check_supports(Feature.EVALUATION)
        cheap = self._policy or EvaluatorPruner(self.evaluator)
        policy = cheap
        if play_plies:
            policy = ShortlistPruner(
                self._pruner or cheap, self.make_n_ply_evaluator(play_plies, cancelled=cancelled)
            )
        return RolloutEvaluators(
            policy,
            self.make_n_ply_evaluator(leaf_plies, cancelled=cancelled),
            luck=self.evaluator,
            luck_policy=cheap,
            cube=self.make_n_ply_evaluator(cube_plies, cancelled=cancelled),
            exact_cubeful=self._exact,
        )

    def make_cube_game(self, match: MatchState) -> CubeStateSpace:
        """Lay out the states of the cube, as rollouts take them."""
        return build_cube_state_space(match.without_automatic_doubles(), self.table)

    def _make_search_cube_game(self, match: MatchState, plies: int) -> CubeStateSpace:
        return build_cube_state_space(match.without_automatic_doubles(), self.table, max_cube_turns=plies + 1)

    def _make_objective(self, match: MatchState, settings: EvalSettings) -> Objective:
        if settings.is_cubeful:
            return CubefulObjective(
                self.evaluator, self._make_search_cube_game(match, settings.plies), self._exact
            )
        return make_cubeless_objective(self.evaluator, match, self.table, self._exact)
