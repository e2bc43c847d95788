"""The run of a rollout: blocks of trials on worker threads, collected in the order of the trials."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, Self, TypedDict

import numpy as np

from gammond.engine.cubeful import CUBELESS_GAME, CubeGame
from gammond.engine.errors import CancelledWork, StateError, ValueRangeError
from gammond.engine.rollout.dice import FACES
from gammond.engine.rollout.results import RolloutState, Scores, TrialCubes, count_score_columns
from gammond.engine.rollout.settings import RolloutEvaluators, RolloutSettings
from gammond.engine.rollout.stop_rules import (
    ALL_PLAYED,
    CANCELLED,
    apply_rules,
    list_rules,
    next_check_trial,
)
from gammond.engine.rollout.trials import BLOCK_ROWS, TrialBlock, format_positions
from gammond.engine.rules.position import Position
from gammond.engine.runtime.threads import hold_turn

BLOCK_S = 0.5
"""Target time of a block of trials. Each complete block reports progress, and counts if the rollout is
cancelled."""

HEARTBEAT_S = 0.5
"""Interval of progress reports, with or without new trials."""

_LOOK_EVERY_S = 0.1
"""How often those who wait for blocks look whether the rollout was cancelled."""

_MAX_GROWTH = 12

RolloutProgressCallback = Callable[[RolloutState], None]


class BlockPlayer(Protocol):
    """Plays blocks of trials: in threads of this process, or elsewhere."""

    @property
    def count(self) -> int:
        """How many blocks are played at a time."""
        ...

    def submit(self, block: TrialBlock) -> Future[tuple[Scores, float]]:
        """Play a block; the result has the scores, and the seconds that it took."""
        ...


class RolloutHandling(TypedDict, total=False):
    """What a rollout continues, reports to and is stopped by: arguments of `roll_out`, described there."""

    resume: RolloutState | None
    progress: RolloutProgressCallback | None
    cancelled: Callable[[], bool] | None
    blocks: BlockPlayer | None


@dataclass(frozen=True)
class Rollout:
    """A rollout that has ended.

    Attributes:
        state: All trials.
        reason: The word of `REASONS` for why it ended.
        survivors: The candidates that no rule pruned, in the order of the starts.
    """

    state: RolloutState
    reason: str
    survivors: tuple[int, ...]


def roll_out(
    starts: Sequence[Position],
    evaluators: RolloutEvaluators,
    settings: RolloutSettings | None = None,
    *,
    game: CubeGame = CUBELESS_GAME,
    cubes: TrialCubes | None = None,
    is_cube: bool = False,
    prunes: bool = True,
    resume: RolloutState | None = None,
    progress: RolloutProgressCallback | None = None,
    cancelled: Callable[[], bool] | None = None,
    blocks: BlockPlayer | None = None,
) -> Rollout:
    """Roll out positions, all with the same dice.

    The starts are candidates of one decision: positions after a play, with the opponent on roll, so the best
    one has the least equity. For positions that do not compete, set ``stop_jsd`` to 0. The scores of a trial
    depend on its start, the evaluators, the seed, the truncation and its number alone.

    Args:
        starts: One or more; finished positions score as they ended.
        evaluators: The evaluators.
        settings: Settings; the defaults if None.
        game: The game, seen by the side on roll at the starts.
        cubes: The cube at each start, by the states of the game; the present one if None.
        is_cube: Whether the starts are the two sides of a cube decision, for the stop rules.
        prunes: Whether the stop rules may prune candidates; else they stop as if they had been.
        resume: A state of the same starts, evaluators, game, seed, truncation and variance reduction to
            continue. The result equals that of a single run.
        progress: Called with the state after each block of trials, and every half second in between (at first
            with no trials), in the caller's thread.
        cancelled: Asked some fifty times a second, from all threads; when it returns true, the rollout ends
            with the trials that are complete.
        blocks: Who plays the trials; threads of this process if None. It must evaluate as the evaluators do.

    Returns:
        The rollout; a state that already has all trials is returned as it is.

    Raises:
        ValueRangeError: There are no starts, or fewer trials than in the state to continue.
        StateError: The state to continue is of another rollout; the message names the difference.
        CancelledWork: The rollout was cancelled before any trial was complete.
        LimitError: A trial did not end.
    """
    if not starts:
        raise ValueRangeError("expected at least 1 position to roll out, got none", field="position")
    settings = settings or RolloutSettings()
    cubes = TrialCubes.make_initial(len(starts)) if cubes is None else cubes
    state = _make_empty_state(starts, cubes, evaluators, settings, game)
    if resume is not None:
        _check_same_rollout(resume, state)
        trials = max(map(len, resume.scores))
        if settings.trials < trials:
            raise ValueRangeError(
                f"expected {trials} trials or more, as the saved rollout has, got {settings.trials}",
                field="trials",
            )
        state = resume
    stop = partial(apply_rules, settings=settings, game=game, is_cube=is_cube, prunes=prunes)
    cancelled = cancelled or (lambda: False)
    runner = _RolloutRunner(state, settings, game, stop, progress, cancelled)
    if blocks is not None:
        return runner.run(blocks)
    with _ThreadBlocks(evaluators, settings.threads, cancelled) as threads:
        return runner.run(threads)


class _RolloutRunner:
    """A rollout that is running."""

    def __init__(
        self,
        state: RolloutState,
        settings: RolloutSettings,
        game: CubeGame,
        stop: Callable[[RolloutState, list[int]], tuple[list[int], str | None]],
        progress: RolloutProgressCallback | None,
        cancelled: Callable[[], bool],
    ) -> None:
        self._state = state
        self._buffers = [np.empty((settings.trials, scores.shape[1])) for scores in state.scores]
        for buffer, scores in zip(self._buffers, state.scores, strict=True):
            buffer[: len(scores)] = scores
        self._settings = settings
        self._game = game
        self._stop = stop
        self._progress = progress
        self._cancelled = cancelled
        self._block_size = 1

    def run(self, blocks: BlockPlayer) -> Rollout:
        """Play trials until a stop rule applies or all are played."""
        rules = list_rules(self._settings, len(self._state.starts))
        active = self._find_active(any(each.compares for each in rules))
        reason = ALL_PLAYED
        try:
            while True:
                least, most = self._count_trials(active)
                if rules and least == most > 0:
                    active, ending = self._stop(self._state, active)
                    if ending is not None:
                        reason = ending
                        break
                if least >= self._settings.trials:
                    break
                end = next_check_trial(least) if rules else self._settings.trials
                lagging = [one for one in active if self._state.count_trials(one) == least]
                self._play_until(blocks, lagging, min(end, self._settings.trials))
        except CancelledWork:
            if not min(map(len, self._state.scores)):
                raise
            reason = CANCELLED
        return Rollout(self._trim_state(), reason, tuple(active))

    def _trim_state(self) -> RolloutState:
        """Return the state without room for trials that were not played."""
        if min(map(len, self._state.scores)) == self._settings.trials:
            return self._state
        return replace(self._state, scores=tuple(scores.copy() for scores in self._state.scores))

    def _find_active(self, is_pruning: bool) -> list[int]:
        """Return the candidates to continue: where a rule prunes, those that it did not prune before."""
        candidates = list(range(len(self._state.scores)))
        _, most = self._count_trials(candidates)
        return [one for one in candidates if self._state.count_trials(one) == most or not is_pruning]

    def _count_trials(self, candidates: list[int]) -> tuple[int, int]:
        """Return the least and the most trials that one of the candidates has."""
        counts = [self._state.count_trials(one) for one in candidates]
        return min(counts), max(counts)

    def _play_until(self, blocks: BlockPlayer, candidates: list[int], end: int) -> None:
        """Play the trials of some candidates up to a number, and add them in order."""
        start = self._state.count_trials(candidates[0])
        waiting: deque[Future[tuple[Scores, float]]] = deque()
        try:
            while start < end or waiting:
                count = blocks.count
                while start < end and len(waiting) < count:
                    stop = start + self._next_block_size(len(candidates), end - start, count)
                    starts, cubes = self._state.starts[candidates], self._state.cubes[candidates]
                    block = TrialBlock(starts, range(start, stop), self._settings, self._game, cubes)
                    waiting.append(blocks.submit(block))
                    start = stop
                scores, took_s = self._await_block(waiting[0])
                waiting.popleft()
                self._add_scores(candidates, scores)
                self._adapt_block_size(scores.shape[1], took_s)
                if self._progress is not None:
                    self._progress(self._state)
        finally:
            for future in waiting:
                future.cancel()

    def _await_block(self, block: Future[tuple[Scores, float]]) -> tuple[Scores, float]:
        """Wait for a block, reporting progress meanwhile."""
        reported_s = time.monotonic()
        while not wait((block,), timeout=_LOOK_EVERY_S).done:
            if self._cancelled():
                raise CancelledWork("the rollout was cancelled")
            if self._progress is not None and time.monotonic() - reported_s >= HEARTBEAT_S:
                reported_s = time.monotonic()
                self._progress(self._state)
        return block.result()

    def _next_block_size(self, candidates: int, left: int, count: int) -> int:
        """Return the number of trials of the next block; large blocks are whole rows of first rolls."""
        most = max(BLOCK_ROWS // candidates, 1)
        wanted = min(self._block_size, -(-left // count))
        if wanted > FACES:
            wanted = -(-wanted // FACES) * FACES
        return min(wanted, most, left)

    def _adapt_block_size(self, trials: int, took_s: float) -> None:
        wanted = trials * BLOCK_S / max(took_s, 1e-6)
        self._block_size = max(1, int(min(wanted, _MAX_GROWTH * trials)))

    def _add_scores(self, candidates: list[int], scores: Scores) -> None:
        """Add the scores of a block, ``float64[candidates, trials, columns]``."""
        known = list(self._state.scores)
        for one, block in zip(candidates, scores, strict=True):
            count = len(known[one]) + len(block)
            self._buffers[one][len(known[one]) : count] = block
            known[one] = self._buffers[one][:count]
        self._state = replace(self._state, scores=tuple(known))


class _ThreadBlocks:
    """Plays blocks in threads of this process, as `BlockPlayer`, until its context ends."""

    def __init__(self, evaluators: RolloutEvaluators, count: int, cancelled: Callable[[], bool]) -> None:
        self.count = count
        self._evaluators = evaluators
        self._cancelled = cancelled
        self._has_ended = False
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="rollout")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._has_ended = True
        self._pool.shutdown(cancel_futures=True)

    def submit(self, block: TrialBlock) -> Future[tuple[Scores, float]]:
        return self._pool.submit(self._play, block)

    def _play(self, block: TrialBlock) -> tuple[Scores, float]:
        with hold_turn():
            return block.play(self._evaluators, lambda: self._has_ended or self._cancelled())


def _make_empty_state(
    starts: Sequence[Position],
    cubes: TrialCubes,
    evaluators: RolloutEvaluators,
    settings: RolloutSettings,
    game: CubeGame,
) -> RolloutState:
    """Make the state of a rollout without trials."""
    return RolloutState(
        starts=np.stack([start.board for start in starts]),
        cubes=cubes,
        seed=settings.seed,
        truncation=settings.truncation,
        variance_reduction=settings.variance_reduction,
        evaluators=evaluators.names,
        scoring=game.name,
        scores=(np.empty((0, count_score_columns(game))),) * len(starts),
    )


def _check_same_rollout(state: RolloutState, expected: RolloutState) -> None:
    """Check that a state to continue is of the same rollout.

    Raises:
        StateError: It is not.
    """
    if not np.array_equal(state.starts, expected.starts):
        raise StateError(
            f"the saved rollout is of other positions, {format_positions(state.starts)}, expected "
            f"{format_positions(expected.starts)}: position, dice, candidates or kind of rollout differ",
            field="state",
        )
    if not state.cubes.equals(expected.cubes):
        raise StateError(
            "the saved rollout has other cubes at its start: position or score differ", field="state"
        )
    if state.scores[0].shape[1] != expected.scores[0].shape[1]:
        raise StateError(
            "the saved rollout has scores of another kind: one is cubeful and the other cubeless",
            field="state",
        )
    for name in ("seed", "truncation", "variance_reduction", "evaluators", "scoring"):
        saved, wanted = getattr(state, name), getattr(expected, name)
        if saved != wanted:
            shown = [
                ", ".join(dict.fromkeys(each)) if name == "evaluators" else each for each in (saved, wanted)
            ]
            raise StateError(
                f"the saved rollout has {name} {shown[0]}, expected {shown[1]} to continue it",
                field="state",
            )
