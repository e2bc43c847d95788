"""Two runs against each other while they learn: the nets that both kept after as many games or steps."""

from __future__ import annotations

import sys
from pathlib import Path

from gammond.engine.errors import DataFileError
from gammond.engine.play.lockstep import play_games
from gammond.engine.wording import format_count
from gammond.tools.common.net_records import StrengthRecord
from gammond.tools.common.opponents import RUN_PREFIX, load_opponent
from gammond.tools.common.progress import Progress
from gammond.tools.train.runs.run_folder import list_kept_nets
from gammond.tools.train.runs.strength_games import measure_results

_SEED = 1
"""Always the same dice, so that points of a curve differ by the nets alone."""


def play_head_to_head(first: Path, second: Path, games: int) -> dict[int, StrengthRecord]:
    """Play the nets of two runs against each other, and print a line for each measurement.

    Args:
        first: The folder of the run whose points count.
        second: That of the other.
        games: Paired games of each measurement.

    Returns:
        The strength of the first run against the second, by what both counted when they kept their nets.

    Raises:
        ValueRangeError: The number of games is odd.
        DataFileError: They kept no nets at the same points, or these cannot be read.
    """
    kept = list_kept_nets(first), list_kept_nets(second)
    common = sorted(kept[0].keys() & kept[1].keys())
    if not common:
        raise DataFileError(
            f"{first} and {second} kept no nets after as many games or steps: train them with --keep-nets "
            "and the same checkpoints",
            field="head_to_head",
        )
    strengths = {}
    with Progress(games * len(common), f"{first.name} against {second.name}") as bar:
        for number, steps in enumerate(common):
            own, other = (load_opponent(f"{RUN_PREFIX}{files[steps]}") for files in kept)
            result = play_games(
                own,
                other,
                games,
                _SEED,
                may_be_endless=True,
                progress=lambda done, before=number * games: bar.update(before + done),  # type: ignore[misc]
            )
            left = len(result.endless)
            endless = f", {format_count(left, 'game')} did not end" if left else ""
            sys.stdout.write(
                f"{steps:>12,}  {result.points_per_game:+.3f} ± {result.standard_error:.3f}, "
                f"{result.win_share:.1%} won{endless}\n"
            )
            for strength in measure_results({str(second): result}).strengths:
                strengths[steps] = strength
    return strengths
