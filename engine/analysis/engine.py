"""The engine: evaluates positions, ranks plays and decides about the cube, at any depth.

The protocol, the REPL and the tools all evaluate the positions of a game with an `Engine`, so that they rank,
choose and double alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache

import numpy as np

from gammond.engine.analysis.engine_store import (
    MIN_KEPT_PLIES,
    EngineStore,
    KeptAnalysis,
    make_question,
    read_question,
)
from gammond.engine.analysis.levels import EvalSettings, StoreUse
from gammond.engine.cubeful import (
    CUBELESS_GAME,
    DEFAULT_EFFICIENCIES,
    CubeEfficiencies,
    CubeGame,
    make_cube_game,
    make_dead_cube_game,
)
from gammond.engine.cubeful.match_equity import MatchEquityTable
from gammond.engine.cubeful.solutions import load_solution
from gammond.engine.errors import CancelledWork
from gammond.engine.evaluation.evaluator import CubefulEvaluator, Evaluator
from gammond.engine.evaluation.pruning import PlayPruner
from gammond.engine.evaluation.results import CubeDecision, Effort, Evaluation, Evaluations
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MAX_CUBE, MatchState, make_canonical
from gammond.engine.rules.moves import generate_plays
from gammond.engine.rules.position import Board, Position, find_finished
from gammond.engine.rules.rules import STANDARD_RULES, Feature, Rules
from gammond.engine.search import IterativeSearch, NPlyEvaluator, SearchWatch, TreeSearch, ValueCache
from gammond.engine.search.ranked_plays import RankedPlays
from gammond.engine.search.tree import DEFAULT_PRUNING, MAX_PLIES, Objective, Pruning, Values
from gammond.engine.store.entries import StoreEntry, StoreQuestion

CACHE_COLUMNS = 16
"""The outcome and eleven states of the cube: the maximum in four plies of a match."""


_MAX_OBJECTIVES = 1024
"""Objectives that are kept, by match state, depth and whether the cube counts."""


class Engine:
    """Evaluates positions, plays and cube decisions; safe to use from several threads.

    Args:
        evaluator: Evaluates the leaves.
        pruner: Keeps the promising replies, for search and rollouts; None for all legal plays.
        policy: Chooses the plays of rollouts at 0-ply; None for the evaluator's best of all plays.
        exact: Evaluators of positions under best play, with the cube.
        table: The match equity table; the shipped one if None.
        efficiencies: Cube efficiencies of the evaluator's values.
        cache: Keeps values of searches, if given; `CACHE_COLUMNS` wide.
        threads: Number of threads that work on one answer.
        pruning: Which replies searches consider.
        rules: The rules of the games.
        store: Finds its analyses and keeps them, if given.

    Attributes:
        tree: Searches values, with that pruner, cache and number of threads.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        pruner: PlayPruner | None = None,
        *,
        policy: PlayPruner | None = None,
        exact: tuple[CubefulEvaluator, ...] = (),
        table: MatchEquityTable | None = None,
        efficiencies: CubeEfficiencies = DEFAULT_EFFICIENCIES,
        cache: ValueCache | None = None,
        threads: int = 1,
        pruning: Pruning = DEFAULT_PRUNING,
        rules: Rules = STANDARD_RULES,
        store: EngineStore | None = None,
    ) -> None:
        self.evaluator = evaluator
        self.rules = rules
        self.table = table
        self.efficiencies = efficiencies
        self.pruner = pruner
        self.policy = policy
        self.exact = exact
        self._cache = cache
        self._pruning = pruning
        self.tree = TreeSearch(pruner, pruning, cache, threads)
        self.store = store
        self._threads = threads
        self._solved: dict[tuple[Rules, int], Engine] = {}
        self._nets: Engine | None = None
        self._find_objective: Callable[[MatchState, int, bool], Objective] = lru_cache(_MAX_OBJECTIVES)(
            self._make_objective
        )

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self.evaluator.name

    def with_threads(self, threads: int) -> Engine:
        """Return the same engine, with the same cache, for another number of threads.

        Raises:
            ValueRangeError: The number of threads is out of range.
        """
        other = copy(self)
        other.tree = TreeSearch(self.pruner, self._pruning, self._cache, threads)
        other._threads = threads
        other._nets = self._nets and self._nets.with_threads(threads)
        return other

    def recall(
        self, position: Position, match: MatchState, settings: EvalSettings, roll: Roll | None = None
    ) -> KeptAnalysis | None:
        """Return what `evaluate`, or `rank_plays` for a roll, answers with in microseconds: what is kept."""
        question = self._ask(position, match, settings, roll)
        return self.store.find(question, settings, is_at_hand=True) if self.store and question else None

    def list_kept_depths(
        self, position: Position, match: MatchState, settings: EvalSettings, roll: Roll | None = None
    ) -> list[int]:
        """List the plies of the kept answers that `evaluate`, or `rank_plays` for a roll, could give.

        Args:
            position: The checkers, those of the seat on roll first.
            match: The match state.
            settings: The settings; the depth does not count.
            roll: The dice, to ask for plays.
        """
        question = self._ask(position, match, settings.with_plies(MAX_PLIES), roll)
        if not (self.store and question):
            return []
        return self.store.store.list_depths(question, self.store.identity)

    def has_at_hand(self, rules: Rules) -> bool:
        """Return whether `with_rules` opens nothing for these rules."""
        return not rules.variant.is_solved or rules == self.rules or (rules, self._threads) in self._solved

    def with_rules(self, rules: Rules) -> Engine:
        """Return the engine for games by other rules: the same, with the same cache, or one of a solution.

        Raises:
            DataFileError: The solution is missing or its file is damaged.
        """
        if rules is self.rules or rules == self.rules:
            return self
        nets = self._nets or self
        if not rules.variant.is_solved:
            other = copy(nets)
            other.rules = rules
            return other
        key = rules, self._threads
        if key not in self._solved:
            found = load_solution(rules.variant)
            table = nets.table or found.match_equities
            solved = Engine(
                found,
                exact=(found,),
                table=table,
                threads=self._threads,
                rules=rules,
            )
            solved._nets = nets
            self._solved[key] = solved
        return self._solved[key]

    def make_n_ply_evaluator(self, plies: int, cancelled: Callable[[], bool] | None = None) -> Evaluator:
        """Make an evaluator of cubeless outcomes at n-ply.

        Args:
            plies: Plies of look-ahead.
            cancelled: Asked during the work; when it returns true, the evaluation raises CancelledWork.

        Raises:
            ValueRangeError: The plies are out of range.
        """
        if plies == 0:
            return self.evaluator
        return NPlyEvaluator(
            self.evaluator, self.pruner, plies, self._pruning, self._cache, 1, self.exact, cancelled
        )

    def evaluate(
        self,
        position: Position,
        match: MatchState,
        settings: EvalSettings | None = None,
        watch: SearchWatch | None = None,
    ) -> Evaluation:
        """Evaluate a position and its cube decision, before the roll.

        Args:
            position: The checkers, those of the seat on roll first; the game may be over.
            match: The match state; while a double is pending, the state before it.
            settings: Depth and cube; 0-ply, and cubeful where the rules have a cube, if None.
            watch: Counts nodes, reports progress, stops the search.

        Returns:
            The evaluation by the deepest search that was finished; 0-ply always is.

        Raises:
            PositionError: The settings are cubeful, and in a match a cube above 1 has no owner.
            UnsupportedError: The rules do not support evaluation, or what the settings use.
        """
        return self.evaluate_positions([position], match, settings, watch)[0]

    def evaluate_positions(
        self,
        positions: Sequence[Position],
        match: MatchState,
        settings: EvalSettings | None = None,
        watch: SearchWatch | None = None,
    ) -> list[Evaluation]:
        """Evaluate positions of one match state together, which is faster than one by one.

        Args:
            positions: The checkers, those of the seat on roll first.
            match: The match state of all of them.
            settings: Depth and cube; 0-ply, and cubeful where the rules have a cube, if None.
            watch: Counts nodes, reports progress, stops the search.

        Returns:
            Their evaluations in order, as by `evaluate`. What the store does not have is searched to one
            depth, and carries the effort of that whole search.

        Raises:
            PositionError: The settings are cubeful, and in a match a cube above 1 has no owner.
            UnsupportedError: The rules do not support evaluation, or what the settings use.
        """
        settings, watch = self._check_settings(settings), watch or SearchWatch()
        if not positions:
            return []
        questions = [self._ask(position, match, settings) for position in positions]
        entries = [self._find_kept(question, match, settings) for question in questions]
        evaluations: list[Evaluation] = []
        missing = [place for place, entry in enumerate(entries) if entry is None]
        if missing:
            search = self.make_search(match, settings)
            searched = [positions[place] for place in missing]
            values, effort = search.evaluate(searched, settings.plies, watch)
            evaluations = search.read(searched, values, effort)
            for place, row in zip(missing, values, strict=True):
                if self.store and (question := questions[place]) and effort.is_finished:
                    self.store.keep(question, settings.plies, row.copy())
        for place, entry in enumerate(entries):
            if entry is not None:
                search = self.make_search(match, settings.with_plies(entry.plies))
                effort = self._find_stored_effort(entry, watch)
                watch.begin_depth(effort.plies)
                watch.end_depth(is_stored=True)
                evaluations[place:place] = search.read(positions[place : place + 1], entry.values, effort)
        return evaluations

    def evaluate_boards(
        self,
        boards: Board,
        match: MatchState,
        settings: EvalSettings | None = None,
        watch: SearchWatch | None = None,
        *,
        may_double_now: bool = True,
        decides: bool = False,
    ) -> Evaluations:
        """Evaluate many positions of one match state at once, each as `evaluate` does.

        Args:
            boards: ``int8[n, 2, 26]``, the checkers of the seat on roll first; finished positions allowed.
            match: The match state of all of them.
            settings: Depth and cube; 0-ply, and cubeful where the rules have a cube, if None.
            watch: Counts nodes and stops the work.
            may_double_now: Whether the values are those of best cube action; else of no double on this roll.
            decides: Whether the cube decisions are wanted too; the settings are then cubeful.

        Raises:
            PositionError: The settings are cubeful, and in a match a cube above 1 has no owner.
            UnsupportedError: The rules do not support evaluation, or what the settings use.
            CancelledWork: The watch stopped it.
        """
        settings = self._check_settings(settings)
        objective = self.make_objective(match, settings)
        game, values = objective.game, self.tree.evaluate(objective, boards, settings.plies, watch)
        carried = game.with_double(values) if may_double_now else values
        return Evaluations(
            np.ascontiguousarray(values[:, :OUTCOME_COLUMNS]),
            game.equities(carried) if game.is_cubeful else None,
            game.match_winning_chances(carried),
            game.mwc_per_point,
            _decide(game, values, boards) if decides else None,
        )

    def find_values(
        self, position: Position, match: MatchState, settings: EvalSettings, watch: SearchWatch | None = None
    ) -> tuple[Values, bool]:
        """Return all that a search knows of a position: what `evaluate` reads its results from.

        Args:
            position: The checkers, those of the seat on roll first.
            match: The match state.
            settings: Depth and cube; a kept answer of another depth will not do.
            watch: Counts nodes and stops the search.

        Returns:
            ``float32[k]``, the columns of `make_objective`, without the option to double on this roll; and
            whether it was kept.

        Raises:
            UnsupportedError: The rules do not support what the settings use.
            CancelledWork: The watch stopped it.
        """
        if settings.store is StoreUse.DEEPER:
            settings = replace(settings, store=StoreUse.ON)
        question = self._ask(position, match, settings)
        if (entry := self._find_kept(question, match, settings)) is not None:
            return entry.values[0], True
        objective = self.make_objective(match, self._check_settings(settings))
        values: Values = self.tree.evaluate(objective, position.board[None], settings.plies, watch)[0]
        if self.store and question:
            self.store.keep(question, settings.plies, values.copy())
        return values, False

    def search_entry(
        self, question: StoreQuestion, plies: int, watch: SearchWatch | None = None
    ) -> StoreEntry:
        """Search for the answer to a question as a store keeps it, without looking at any.

        Args:
            question: What is asked.
            plies: Plies of look-ahead, 1 or more.
            watch: Counts nodes and stops the search.

        Raises:
            DataFileError: The question is none, or the values are impossible.
            ValueRangeError: The plies are out of range.
            CancelledWork: The watch stopped it.
        """
        position, match, settings = read_question(question)
        settings = settings.with_plies(plies)
        if match.roll is None:
            return StoreEntry.of_position(plies, self.find_values(position, match, settings, watch)[0])
        ranked = self.rank_plays(position, match.roll, match.before_roll(), settings, watch)
        if not ranked.effort.is_finished:
            raise CancelledWork("the search was stopped")
        return StoreEntry.of_plays(plies, ranked)

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

        Plays are ranked by cubeful equity; without the cube, by cubeless money equity, or in a match by
        match-winning chance at the present cube. Ties are ranked by cubeless money equity.

        Args:
            position: The position, the player on roll to move.
            roll: Two dice, in any order.
            match: The match state; its seat on roll is the one that plays.
            settings: How deep; 0 plies, with the cube where the rules have one, if None.
            watch: Counts nodes, reports progress, stops the search after the last finished depth.
            stop_when_decided: Whether to stop once a single candidate is left, at fewer plies.

        Raises:
            StateError: The game is over.
            ValueRangeError: A die is not 1 to 6.
            PositionError: The settings are cubeful, and in a match a cube above 1 has no owner.
            UnsupportedError: The rules support neither look-ahead nor the cube, and the settings use them.
        """
        settings = settings or EvalSettings.make_default(self.rules)
        settings.check_supported(self.rules)
        watch, question = watch or SearchWatch(), self._ask(position, match, settings, roll)
        entry = self._find_kept(question, match, settings)
        if entry is not None:
            plays = generate_plays(position, roll, self.rules)
            if len(plays) == len(entry.order):
                objective = self.make_objective(match, settings.with_plies(entry.plies)).other
                equities = -objective.game.equities(entry.values)
                kept = entry.order, entry.values, equities, entry.depths, entry.survivors
                effort = self._find_stored_effort(entry, watch)
                ranked = RankedPlays(plays, objective, *kept, effort)
                watch.begin_depth(effort.plies)
                watch.end_depth(ranked, is_stored=True)
                return ranked
        found = self.make_search(match, settings).rank(
            position,
            roll,
            settings.plies,
            settings.move_filter,
            watch,
            stop_when_decided,
            self.rules,
        )
        if self.store and question and found.effort.plies == self.evaluator.plies + settings.plies:
            self.store.keep(question, settings.plies, found)
        return found

    def evaluate_beaver(
        self,
        position: Position,
        match: MatchState,
        settings: EvalSettings | None = None,
        watch: SearchWatch | None = None,
    ) -> Evaluation:
        """Evaluate the doubler's decision after a beaver: to play on, or to lose the doubled stake.

        Args:
            position: The checkers, those of the doubler first, who is on roll.
            match: The match state, money play; its cube shows the value before the beaver.
            settings: Depth; always cubeful.
            watch: As for `evaluate`.

        Returns:
            The evaluation of playing on, its equity in stakes as the beaver shows them: a pass loses 1.
        """
        settings = replace(settings or EvalSettings(), is_cubeful=True)
        found = self.evaluate(position, take_beaver(match), settings, watch)
        return found._replace(equity=2.0 * found.equity)

    def make_cube_game(self, match: MatchState) -> CubeGame:
        """Make the game of a match state with its cube, for rollouts and resignations."""
        return make_cube_game(match.without_automatic_doubles(), self.table, efficiencies=self.efficiencies)

    def _check_settings(self, settings: EvalSettings | None) -> EvalSettings:
        """Return the settings of an evaluation, after checking that the rules support them."""
        self.rules.check_supports(Feature.EVALUATION)
        settings = settings or EvalSettings.make_default(self.rules)
        settings.check_supported(self.rules)
        return settings

    def _ask(
        self, position: Position, match: MatchState, settings: EvalSettings, roll: Roll | None = None
    ) -> StoreQuestion | None:
        """Return the question under which an answer is kept; None for one that is neither kept nor found."""
        if self.store is None or settings.store is StoreUse.OFF or settings.plies < MIN_KEPT_PLIES:
            return None
        if self.rules.doubles != STANDARD_RULES.doubles or position.is_over:
            return None  # variants differ in the start alone
        return make_question(position, match, settings, roll)

    def _find_kept(
        self, question: StoreQuestion | None, match: MatchState, settings: EvalSettings
    ) -> StoreEntry | None:
        """Return the kept answer to a question, if there is one that fits."""
        found = self.store.find(question, settings) if self.store and question else None
        if found is None:
            return None
        columns = self.make_objective(match, settings.with_plies(found.entry.plies)).game.columns
        return found.entry if found.entry.values.shape[1] == columns else None

    def _find_stored_effort(self, entry: StoreEntry, watch: SearchWatch) -> Effort:
        """Return the effort behind a kept answer: it took no search."""
        return watch.effort(self.evaluator.plies + entry.plies, is_finished=True, is_stored=True)

    def make_search(self, match: MatchState, settings: EvalSettings) -> IterativeSearch:
        """Make the search of positions, or plays, of a match state."""
        return IterativeSearch(self.make_objective(match, settings), self.tree)

    def make_objective(self, match: MatchState, settings: EvalSettings) -> Objective:
        """Make the objective of searches from positions of a match state, for the side on roll.

        It is that of the canonical match state, so that both seats, and matches of any length, get the same
        numbers to the last bit, and kept ones are read as those of a search.
        """
        return self._find_objective(match, settings.plies, settings.is_cubeful)

    def _make_objective(self, match: MatchState, plies: int, is_cubeful: bool) -> Objective:
        match, game = make_canonical(match), CUBELESS_GAME
        if is_cubeful:
            game = make_cube_game(match, self.table, plies + 1, self.efficiencies)
        elif not match.is_money:
            game = make_dead_cube_game(match, self.table)
        return Objective(self.evaluator, game, self.exact)


def _decide(game: CubeGame, values: Values, boards: Board) -> list[CubeDecision | None]:
    """Return the cube decisions of positions; None for those that are over."""
    decisions, over = game.decide_each(values[:, OUTCOME_COLUMNS:]), find_finished(boards).tolist()
    return [None if is_over else each for each, is_over in zip(decisions, over, strict=True)]


def take_beaver(match: MatchState) -> MatchState:
    """Return the match state that the doubler evaluates after a beaver: the cube as if it was taken."""
    return replace(match.before_roll(), cube=min(2 * match.cube, MAX_CUBE))
