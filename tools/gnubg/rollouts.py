"""Rollouts of positions by GNU Backgammon's program: cubeless games, with variance reduction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from gammond.engine.errors import FormatError
from gammond.engine.evaluation.results import Evaluation
from gammond.engine.formats.position_id import encode_position_ids
from gammond.engine.rollout import RolloutSettings
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Board
from gammond.tools.gnubg.console import ask_gnubg

_TIMEOUT_S = 3600.0
_MAX_GNUBG_SEED = 0x7FFFFFFF

_SETTINGS = (
    "set player 0 human",
    "set player 1 human",
    "set jacoby off",
    "set output digits 6",
    "set rollout cubeful off",
    "set rollout varredn on",
    "set rollout quasirandom on",
    "set rollout jsd stop off",
)

_END = "Printing final results"
_OUTCOME = r"([0-9.]+) ([0-9.]+) ([0-9.]+) - [0-9.]+ ([0-9.]+) ([0-9.]+)"
_RESULT = re.compile(
    rf"{_OUTCOME} CL +([+-][0-9.]+)\s+\[{_OUTCOME} CL +([0-9.]+)\].*?^([0-9]+) games",
    re.DOTALL | re.MULTILINE,
)


def roll_out_with_gnubg(
    boards: Board, plies: int, settings: RolloutSettings, seeds: Sequence[int], folder: Path
) -> list[Evaluation]:
    """Let gnubg roll positions out, in one thread: cubeless, for the player on roll before the roll.

    Args:
        boards: ``int8[n, 2, 26]``, none of them over.
        plies: How far it looks plays ahead.
        settings: Trials, truncation and the error at which it stops apply.
        seeds: Of the dice of each position; gnubg takes 31 bits of them.
        folder: Where it runs.

    Raises:
        UnsupportedError: It is not installed, or it ended with a fault.
        LimitError: It took longer than an hour.
        FormatError: It gave no result for a position.
    """
    commands = [*_SETTINGS, *_list_settings(plies, settings), "new game"]
    for text, seed in zip(encode_position_ids(boards), seeds, strict=True):
        seed_command = f"set rollout seed {seed & _MAX_GNUBG_SEED}"
        commands += [seed_command, "set turn 1", f"set board {text}", "rollout"]
    _, *parts = ask_gnubg(commands, folder, _TIMEOUT_S, on_terminal=True).text.split(_END)
    found = [_RESULT.search(part) for part in parts]
    if len(found) != len(boards) or None in found:
        raise FormatError(
            f"expected {len(boards)} rollouts of gnubg, got {sum(each is not None for each in found)}",
            field="gnubg",
        )
    return [_read_rollout(each) for each in found if each is not None]


def _list_settings(plies: int, settings: RolloutSettings) -> list[str]:
    commands = [
        f"set rollout chequerplay plies {plies}",
        "set rollout cubedecision plies 0",
        f"set rollout trials {settings.trials}",
        f"set rollout truncation enable {'on' if settings.truncation else 'off'}",
        f"set rollout limit enable {'on' if settings.stop_error else 'off'}",
    ]
    if settings.truncation:
        commands.append(f"set rollout truncation plies {settings.truncation}")
    if settings.stop_error:
        commands += [
            f"set rollout limit minimumgames {settings.min_trials}",
            f"set rollout limit maxerror {settings.stop_error}",
        ]
    return commands


def _read_rollout(found: re.Match[str]) -> Evaluation:
    numbers = [float(each) for each in found.groups()[:12]]
    outcome, equity, errors, error = numbers[:5], numbers[5], numbers[6:11], numbers[11]
    return Evaluation(
        equity,
        Outcome(*outcome),
        "rollout",
        error,
        int(found[13]),
        is_cubeful=False,
        outcome_errors=Outcome(*errors),
    )
