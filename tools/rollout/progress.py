"""The progress of `gammond rollout`: a bar and the means so far, on stderr, and the state in its file."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

from gammond.engine.analysis.rollout_requests import CUBE, MOVES, PreparedRollout
from gammond.engine.errors import DataFileError
from gammond.engine.evaluation.results import MeanEquity
from gammond.engine.rollout import RolloutState, load_state, save_state
from gammond.engine.rules.cube_actions import name_cube_action
from gammond.engine.rules.notation import format_play
from gammond.engine.runtime.files import check_folder
from gammond.tools.common.progress import Progress
from gammond.tools.common.pulse import write_if_there

SAVE_INTERVAL_S = 60.0
"""Seconds between saves during a rollout."""

_NAME_CELLS = 24
_CLEAR_TO_END = "\x1b[K"


class RolloutStateFile:
    """Saves the state of a rollout in a file, or nowhere.

    Args:
        path: The file; None for none.
        identity: Hashes by name of the nets; a state by other nets is refused.
    """

    def __init__(self, path: Path | None, identity: Mapping[str, str]) -> None:
        self._path = path
        self._identity = identity
        self._saved_s = time.monotonic()

    def load(self) -> RolloutState | None:
        """Read the state, if there is one, and check that another can be written.

        Raises:
            DataFileError: The file is damaged, or its folder cannot be written.
            StateError: It is by other nets.
        """
        if self._path is None:
            return None
        check_folder(self._path, "state")
        return load_state(self._path, self._identity) if self._path.exists() else None

    def save(self, state: RolloutState) -> DataFileError | None:
        """Write the state; return the error if that fails."""
        self._saved_s = time.monotonic()
        if self._path is None:
            return None
        try:
            save_state(state, self._path, self._identity)
        except OSError as error:
            return DataFileError(
                f"the state was not saved in {self._path}: {error.strerror or error}", field="state"
            )
        return None

    def save_if_due(self, state: RolloutState) -> None:
        """Write the state unless that was done recently; only the last save reports a failure."""
        if self._path is not None and time.monotonic() - self._saved_s >= SAVE_INTERVAL_S:
            self.save(state)


class RolloutProgress(Progress):
    """Shows how far a rollout is, and saves its state now and then.

    On a terminal it draws the bar, and below it a row with the mean of each play, best first, always in the
    same place; elsewhere lines end with the best play so far.

    Args:
        trials: Of each start.
        resume: The state to resume from.
        state_file: Saves the state.
    """

    def __init__(self, trials: int, resume: RolloutState | None, state_file: RolloutStateFile) -> None:
        start = 0 if resume is None else max(map(len, resume.scores))
        super().__init__(trials, "rollout", start=start, lines_of="gammond rollout")
        self._state_file = state_file
        self._prepared: PreparedRollout | None = None
        self._means: list[str] = []
        self._drawn_rows = 0

    def __enter__(self) -> RolloutProgress:
        super().__enter__()
        self.update(self.count)
        return self

    def show_means(self, prepared: PreparedRollout) -> None:
        """Show the means of a rollout that begins."""
        self._prepared = prepared

    def __call__(self, state: RolloutState) -> None:
        """Report a finished block of trials, or half a second without one."""
        done = max(map(len, state.scores))
        self._means = self._format_means(state) if done else []
        self.update(done)
        if min(map(len, state.scores)):
            self._state_file.save_if_due(state)

    def _format_findings(self) -> str:
        return f"  {' '.join(self._means[0].split())}" if self._means else ""

    def _format_means(self, state: RolloutState) -> list[str]:
        """Format a row for each start: rank, play, mean equity with its error, distance from the best."""
        prepared = self._prepared
        if prepared is None:
            return []
        kind = prepared.request.kind
        names = [format_play(play) for play in prepared.plays]
        if kind != MOVES:
            actions = ("no double", "double, take") if kind == CUBE else ("position",)
            names = [name_cube_action(action, prepared.request.match) for action in actions]
        known = [one for one in range(len(state.starts)) if state.count_trials(one)]
        means = {one: state.estimate_equity(one, prepared.game, for_opponent=kind == MOVES) for one in known}
        if kind == MOVES:
            known.sort(key=lambda one: -means[one].equity)
        best = means[known[0]].equity if known else 0.0
        return [
            self._format_row(rank, names[one], means[one], means[one].equity - best)
            for rank, one in enumerate(known)
        ]

    def _format_row(self, rank: int, name: str, mean: MeanEquity, difference: float) -> str:
        behind = f"  {difference:+.4f}" if rank else ""
        error = f" ±{mean.error:.4f}" if math.isfinite(mean.error) else ""
        return f"{rank + 1:3}  {name:<{_NAME_CELLS}}  {mean.equity:+.4f}{error}{behind}"

    def _draw(self) -> None:
        """Draw the bar and the rows below it over those drawn before."""
        self._drawn_s = self._clock()
        size = shutil.get_terminal_size()
        rows = self._means[: max(size.lines - 3, 0)]
        rows += [""] * (self._drawn_rows - len(rows))
        up = f"\x1b[{self._drawn_rows}A" if self._drawn_rows else ""
        below = "".join(f"\n{row[: size.columns - 1]}{_CLEAR_TO_END}" for row in rows)
        write_if_there(self._stream, f"{up}\r{self.format_line(size.columns - 1)}{_CLEAR_TO_END}{below}")
        self._drawn_rows = len(rows)

    def _end(self, error: BaseException | None) -> None:
        """Leave the bar alone on the terminal: the table of the result follows."""
        if self._shown:
            self._means = []
            self._draw()
            up = f"\x1b[{self._drawn_rows}A" if self._drawn_rows else ""
            write_if_there(self._stream, f"{up}\n")
