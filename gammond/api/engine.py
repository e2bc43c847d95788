"""The engine in this process."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gammond.api._forks import refuse_after_fork_at_work
from gammond.api._found import (
    make_cube_decision,
    make_evaluation,
    make_opinion,
    make_play_evaluation,
    make_rollout,
)
from gammond.api._options import DecisionRollouts
from gammond.api.match import Dice, MatchState, check_dice, read_asked_state
from gammond.api.match_file import Match, wrap_match
from gammond.api.position import BACKGAMMON, Board, Play, Position, read_boards
from gammond.api.results import (
    CubeDecision,
    Evaluation,
    Evaluations,
    MatchProgress,
    Opinion,
    Progress,
    RankedPlays,
    Rollout,
    RolloutKind,
)

if TYPE_CHECKING:
    from gammond.engine.analysis.engine import Engine as _EngineCore
    from gammond.engine.analysis.levels import EvalSettings as _EvalSettings
    from gammond.engine.match_analysis.rollouts import DecisionRollouts as _DecisionRollouts
    from gammond.engine.play.player import Player as _Player
    from gammond.engine.rules.position import Position as _EnginePosition


class Engine:
    """Evaluates positions, ranks plays, decides about the cube, rolls out; safe to use from several threads.

    Args:
        name: An evaluator that ``gammond players`` lists, ``classic`` with options, ``run:FOLDER`` for the
            nets of a training run, or ``wildbg:FOLDER``; the strongest by default. Runs that only choose
            plays are a `Player`.
        threads: Threads that work on one answer; they change no number.
        store: Where what is searched is kept and looked up, for other programs and for later: True for the
            store of the ``gammond`` command, or a file for one of its own. Kept answers are those of a search
            of the same depth, to the last digit, and say ``is_stored``.
        variant: The game; for ``hypergammon``, ``hypergammon2`` and ``hypergammon1`` a database of exact
            values answers in place of the evaluator.

    Raises:
        ValueRangeError: No evaluator or variant has this name, or the number of threads is out of range.
        DataFileError: A net or database is missing or damaged, as that of a variant that was not built yet;
            or ``store`` names a file of something else, or in a folder that is not there.

    Examples:
        >>> engine = Engine()
        >>> engine.rank(Position.start(), (3, 1)).best.play.text
        '8/5 6/5'
    """

    @refuse_after_fork_at_work
    def __init__(
        self,
        name: str = "default",
        threads: int = 1,
        *,
        store: bool | str | os.PathLike[str] = False,
        variant: str = BACKGAMMON,
    ) -> None:
        from gammond.engine.rules.rules import Rules, find_variant
        from gammond.engine.store.options import (
            NO_STORE,
            StoreOptions,
            check_store_file,
            read_store_options,
        )
        from gammond.tools.common.opponents import load_net_engine

        options = NO_STORE
        if store is True:
            options = read_store_options()
        elif store is not False:
            options = StoreOptions(file=os.fspath(store))
        check_store_file(options)
        self._engine: _EngineCore = load_net_engine(name, threads, store=options).with_rules(
            Rules(find_variant(variant))
        )
        self._threads = threads

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self._engine.name

    @refuse_after_fork_at_work
    def evaluate(
        self, position: Position, match: MatchState | None = None, plies: int = 0, *, cubeful: bool = True
    ) -> Evaluation:
        """Evaluate a position before the roll.

        Args:
            position: The checkers, those of the player on roll first.
            match: Score and cube; money play if None.
            plies: Look-ahead, 0 to 4.
            cubeful: Whether the cube counts.

        Raises:
            ValueRangeError: The plies are out of range.
            PositionError: The cube is at 1 and has an owner, or above 1 in a match and has none.
        """
        settings = self._make_settings(plies, cubeful)
        found = self._engine.evaluate(self._unwrap(position), read_asked_state(match), settings)
        return make_evaluation(found)

    @refuse_after_fork_at_work
    def evaluate_many(
        self,
        positions: Sequence[Position] | Board,
        match: MatchState | None = None,
        plies: int = 0,
        *,
        cubeful: bool = True,
    ) -> Evaluations:
        """Evaluate many positions at once, which is much faster than one by one.

        Args:
            positions: Positions, or their boards as ``int8[n, 2, 26]`` (`Position.board`).
            match: Score and cube of all of them; money play if None.
            plies: Look-ahead, 0 to 4.
            cubeful: Whether the cube counts.

        Raises:
            PositionError: An array is no batch of boards, or as for `evaluate`.
            ValueRangeError: The plies are out of range.
        """
        checkers = self._engine.rules.variant.checkers
        boards = read_boards(positions, checkers)
        settings = self._make_settings(plies, cubeful)
        found = self._engine.evaluate_boards(boards, read_asked_state(match), settings)
        equities = found.cubeless_equities.astype(np.float64)
        with_cube = None if found.cubeful is None else np.where(found.find_unscaled(), np.nan, found.cubeful)
        return Evaluations(
            found.outcomes, equities, with_cube, found.mwc, self._engine.evaluator.plies + plies
        )

    @refuse_after_fork_at_work
    def rank(
        self,
        position: Position,
        dice: Dice,
        match: MatchState | None = None,
        plies: int = 0,
        *,
        cubeful: bool = True,
        move_filter: str = "normal",
        candidates: int = 5,
    ) -> RankedPlays:
        """Rank the legal plays of a roll, the best first.

        Args:
            position: Where the player on roll moves from.
            dice: The roll.
            match: Score and cube; money play if None.
            plies: Look-ahead, 0 to 4.
            cubeful: Whether the cube counts.
            move_filter: Which candidates are searched deeper: ``tiny``, ``narrow``, ``normal``, ``large``,
                ``huge``.
            candidates: How many of the best plays are compared at that depth whatever the filter says, the
                usual 5 at least; 1 to compare none.

        Raises:
            FormatError: The dice are not two numbers.
            ValueRangeError: A die is not 1 to 6, or another argument is out of range.
            StateError: The game is over.
            PositionError: As for `evaluate`.
        """
        from gammond.engine.analysis.levels import EvalSettings

        settings = EvalSettings(plies, move_filter, cubeful).with_list(candidates)
        found = self._engine.rank_plays(
            self._unwrap(position), check_dice(dice), read_asked_state(match), settings
        )
        best = found.best.evaluation.equity
        plays = tuple(make_play_evaluation(each, best) for each in found)
        return RankedPlays(plays, plays[0].plies, found.effort.is_finished, found.effort.is_stored)

    @refuse_after_fork_at_work
    def opinion(self, position: Position, player: str, dice: Dice | None = None) -> tuple[Opinion, ...]:
        """Say what a player thinks of a position, or of each play of a roll, the best first.

        Players that score positions after a play score a position as if the side on roll had just played.

        Args:
            position: The checkers, those of the player on roll first.
            player: A player that ``gammond players`` lists, except runs, functions and gnubg, with options:
                ``"phase-net:learned=self"``.
            dice: The roll, to ask for its plays; None to ask for the position.

        Returns:
            One opinion on the position, or one for each play.

        Raises:
            FormatError: The dice are not two numbers, or an option of the player cannot be read.
            ValueRangeError: A die is not 1 to 6, or no player has this name.
            UnsupportedError: Its choice does not come from a number for each play.
            StateError: The game is over.
        """
        from gammond.engine.errors import StateError, UnsupportedError
        from gammond.engine.play.player import form_opinion, rank_by_opinion

        asked, rules = self._unwrap(position), self._engine.rules
        if asked.is_over:
            raise StateError("the game is over: an opinion needs an unfinished game", field="position")
        made = _load_player(player)
        if made.checkers not in (None, rules.variant.checkers):
            try:
                made = made.with_rules(rules)
            except UnsupportedError as error:
                raise error.with_field("position") from error
        if dice is None:
            return (make_opinion(None, form_opinion(made, asked)),)
        ranked = rank_by_opinion(made, asked, check_dice(dice), rules)
        return tuple(make_opinion(Play._wrap(play), opinion) for play, opinion in ranked)

    @refuse_after_fork_at_work
    def cube(self, position: Position, match: MatchState | None = None, plies: int = 0) -> CubeDecision:
        """Decide about the cube before the roll: whether to double, and how the opponent should answer.

        Args:
            position: The checkers, those of the player on roll first.
            match: Score and cube; money play with a centred cube if None.
            plies: Look-ahead, 0 to 4.

        Raises:
            ValueRangeError: The plies are out of range.
            StateError: The game is over.
            PositionError: As for `evaluate`.
        """
        from gammond.engine.errors import StateError

        found = self._engine.evaluate(
            self._unwrap(position), read_asked_state(match), self._make_settings(plies, True)
        )
        if found.decision is None:
            raise StateError("there is no cube decision once the game is over", field="position")
        return make_cube_decision(found.decision, make_evaluation(found))

    @refuse_after_fork_at_work
    def rollout(
        self,
        position: Position,
        dice: Dice | None = None,
        match: MatchState | None = None,
        *,
        kind: RolloutKind | None = None,
        trials: int = 1296,
        seed: int = 0,
        truncation: int = 0,
        plies: int = 0,
        cubeful: bool = True,
        variance_reduction: bool = True,
        candidates: int = 5,
        stop_error: float = 0.0,
        stop_jsd: float = 3.0,
        min_trials: int = 324,
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
    ) -> Rollout:
        """Play a position out many times. The same arguments give the same numbers, whatever the threads.

        Args:
            position: The checkers, those of the player on roll first.
            dice: The roll, to roll out its best plays.
            match: Score and cube; money play if None.
            kind: ``plays``, ``position`` or ``cube``; ``plays`` if there are dice, else ``position``.
            trials: Games played out, at most.
            seed: Of the dice.
            truncation: Plies after which a trial ends with its evaluation; 0 plays to the end.
            plies: Look-ahead of the plays and cube decisions in the trials.
            cubeful: Whether both sides use the cube.
            variance_reduction: Whether to subtract the luck of each roll.
            candidates: How many plays are rolled out, the best at 0-ply.
            stop_error: Stop when every equity has a standard error of so many points at most; 0 for never.
            stop_jsd: Leave a play alone that is so many joint standard deviations behind the best, and stop
                when one is left; 0 for never, so that each has all ``trials``.
            min_trials: Trials before either may stop anything.
            progress: Called with the number of complete trials as they come.
            cancel: Set it, from another thread or from ``progress``, to end early with what is complete.

        Raises:
            FormatError: The dice are not two numbers.
            ValueRangeError: An argument is out of range.
            StateError: Plays are asked for without dice, or the game is over.
            CancelledWork: It was cancelled before anything was complete.
        """
        from gammond.engine.analysis.rollout_requests import PreparedRollout, RolloutRequest
        from gammond.engine.errors import StateError
        from gammond.engine.rollout import RolloutSettings

        if position.is_over:
            raise StateError("the game is over: there is nothing to roll out", field="position")
        chosen = kind or ("position" if dice is None else "plays")
        request = RolloutRequest(
            "moves" if chosen == "plays" else chosen,
            self._unwrap(position),
            read_asked_state(match).before_roll(),
            check_dice(dice) if dice is not None and chosen == "plays" else None,
            is_cubeful=cubeful,
            candidates=candidates,
            plies=plies,
        )
        settings = RolloutSettings(
            trials=trials,
            seed=seed,
            truncation=truncation,
            variance_reduction=variance_reduction,
            stop_error=stop_error,
            stop_jsd=stop_jsd,
            min_trials=min_trials,
            threads=self._threads,
        )
        prepared = PreparedRollout(
            request, self._engine, settings, cancel.is_set if cancel is not None else lambda: False
        )
        result = prepared.run(
            progress=None if progress is None else lambda state: progress(state.count_trials())
        )
        return make_rollout(result)

    @refuse_after_fork_at_work
    def analyse(
        self,
        match: Match,
        plies: int = 2,
        *,
        deeper: int = 0,
        move_filter: str = "normal",
        rollout: DecisionRollouts | None = None,
        progress: MatchProgress | None = None,
        cancel: threading.Event | None = None,
    ) -> Match:
        """Analyse every play, cube decision and roll of a match at its score.

        Args:
            match: The match (`gammond.read_match`); what its file has of an analysis is replaced.
            plies: Look-ahead of every decision, 0 to 4.
            deeper: Look-ahead of decisions that are wrong or close by .02; no more than ``plies`` for none.
            move_filter: As for `rank`.
            rollout: How decisions are rolled out that are wrong or close after that: a dict of ``trials``
                (324), ``seed`` (0), ``truncation`` (11 plies; 0 plays to the end), ``plies`` (0),
                ``variance_reduction`` (True), ``candidates`` (5), ``stop_error`` (0), ``stop_jsd`` (3) and
                ``min_trials`` (108), each as for `rollout`; None for not at all.
            progress: Called with the numbers of decisions that are done, and of all; then, while some are
                rolled out, with those of trials.
            cancel: Set it, from another thread or from ``progress``, to end the work.

        Returns:
            The match with ``analysed_plays``, ``cube_equities`` and ``luck`` of its actions. Its `to_dict`
            says what each player lost, and its `to_sgf` has the analysis.

        Raises:
            ValueRangeError: An argument is out of range.
            StateError: It has no game, or its fields contradict each other.
            UnsupportedError: The match is of a variant that the evaluator does not know.
            CancelledWork: It was cancelled.
        """
        from gammond.engine.match_analysis.analysed_match import make_analysed_match
        from gammond.engine.match_analysis.analysis import AnalysisSettings, analyse_match
        from gammond.engine.match_analysis.rollouts import roll_out_decisions
        from gammond.engine.runtime.threads import Workers

        settings = AnalysisSettings(plies, deeper, move_filter)
        rollouts = None if rollout is None else _make_decision_rollouts(rollout, self._threads)
        report = progress or (lambda done, total: None)
        cancelled = None if cancel is None else cancel.is_set
        record = analyse_match(
            *(self._engine, match._to_record(is_for_analysis=True), settings),
            workers=Workers(self._threads),
            progress=report,
            cancelled=cancelled,
        )
        if rollouts is not None:
            record = roll_out_decisions(self._engine, record, rollouts, progress=report, cancelled=cancelled)
        analysed = make_analysed_match(self._engine, record, settings, rollouts)
        return wrap_match(analysed.marked_match, analysed.method)

    def __repr__(self) -> str:
        return f"Engine({self.name!r})"

    def _unwrap(self, position: Position) -> _EnginePosition:
        """Return a position of the engine's variant.

        Raises:
            PositionError: It has another number of checkers.
        """
        from gammond.engine.errors import PositionError

        variant, checkers = self._engine.rules.variant, position._position.checkers
        if checkers != variant.checkers:
            raise PositionError(
                f"expected a position of {variant.name}, with {variant.checkers} checkers a side, got one "
                f"with {checkers}: Engine and Position take the variant",
                field="position",
            )
        return position._position

    def _make_settings(self, plies: int, cubeful: bool) -> _EvalSettings:
        from gammond.engine.analysis.levels import EvalSettings

        return EvalSettings(plies, is_cubeful=cubeful)


def _make_decision_rollouts(options: DecisionRollouts, threads: int) -> _DecisionRollouts:
    from gammond.engine.errors import GammondError
    from gammond.engine.match_analysis.rollouts import QUICK_ROLLOUT, DecisionRollouts

    numbers: dict[str, Any] = dict(options)
    plies, most = numbers.pop("plies", 0), numbers.pop("candidates", DecisionRollouts.max_plays)
    try:
        settings = replace(QUICK_ROLLOUT, threads=threads, **numbers)
        return DecisionRollouts(settings, plies, max_plays=most)
    except GammondError as error:
        raise error.with_field(f"rollout.{error.field}") from error


@lru_cache(maxsize=16)
def _load_player(name: str) -> _Player:
    from gammond.nets.catalogue import load_player

    return load_player(name)
