"""What the runs of a study came to, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.play.lockstep import PairedGameResults, play_games
from tools.files import read_records
from tools.heritage.computational_backgammon.endgames import measure_endgame_errors
from tools.heritage.computational_backgammon.study_runs import ClassicStudy
from tools.heritage.computational_backgammon.text_table import format_table
from tools.opponents import RUN_PREFIX, load_opponent
from tools.train.runs.run import CHECKPOINT_FILE
from tools.train.runs.run_folder import LOG_FILE

LAST_MEASUREMENTS = 10
"""So many measurements at the end of a run are averaged."""

_SEED = 2
"""Other dice than those by which the best nets were chosen."""


def tabulate_runs(study: ClassicStudy, folders: Sequence[Path], final_games: int) -> str:
    """Tabulate the runs of a study: the course of each, what its best nets come to, and decided endgames."""
    logs = {folder: read_records(folder / LOG_FILE) for folder in folders}
    text = format_table(
        _COURSE_HEAD, [_make_course_row(folder, records, final_games) for folder, records in logs.items()]
    )
    text += "\n" + format_table(
        _EVALUATION_HEAD, [_make_evaluation_row(folder, log) for folder, log in logs.items()]
    )
    if study.is_head_to_head and final_games:
        first, second = (load_opponent(f"{RUN_PREFIX}{folder}") for folder in folders[:2])
        result = play_games(first, second, final_games, _SEED)
        text += f"\nbest nets, {folders[0].name} against {folders[1].name}: {_format_score(result)}\n"
    return text


_COURSE_HEAD = [
    "run",
    "games/s",
    f"last {LAST_MEASUREMENTS}",
    "won %",
    "spread",
    "best, ppg",
    "at games",
    "went back",
    "other dice, ppg",
    "won %",
]


def _make_course_row(folder: Path, records: Sequence[Mapping[str, Any]], final_games: int) -> list[str]:
    """A line on how a run went, and how its best nets play with other dice."""
    measured = [record for record in records if "ppg" in record]
    speed = f"{np.median([record['games_per_s'] for record in records]):.0f}"
    if not measured:
        return [folder.name, speed, *["-"] * (len(_COURSE_HEAD) - 2)]
    points = np.array([record["ppg"] for record in measured])
    best = int(points.argmax())
    last = points[-LAST_MEASUREMENTS:]
    won = np.mean([record["won"] for record in measured[-LAST_MEASUREMENTS:]])
    told = ["-", "-"]
    if final_games:
        opponent = load_opponent(str(measured[0]["opponent"]))
        result = play_games(load_opponent(f"{RUN_PREFIX}{folder}"), opponent, final_games, _SEED)
        told = [f"{result.points_per_game:+.3f} ± {result.standard_error:.3f}", _format_win_share(result)]
    return [
        folder.name,
        speed,
        f"{last.mean():+.3f}",
        f"{100 * won:.1f}",
        f"{last.std():.3f}",
        f"{points[best]:+.3f} ± {measured[best]['ppg_error']:.3f}",
        f"{measured[best]['games']:,}",
        str(sum("back_to" in record for record in records)),
        *told,
    ]


_EVALUATION_HEAD = [
    "last nets: chances in %",
    "start: win",
    "gammon",
    "lose gammon",
    "sure win",
    "sure loss",
    "all sure wins",
    "all sure losses",
    "RMS error of bearoffs",
]


def _make_evaluation_row(folder: Path, records: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line on what the last nets of a run say of the start and of endgames."""
    last = records[-1]
    player = load_opponent(f"{RUN_PREFIX}{folder / CHECKPOINT_FILE}")
    assert player.evaluator is not None
    errors = measure_endgame_errors(player.evaluator)
    chances = [*last["start"], last["sure_win"], last["sure_loss"]]
    chances += [errors.sure_wins, errors.sure_losses, errors.rms]
    return [folder.name, *(f"{100 * chance:.1f}" for chance in chances)]


def _format_score(result: PairedGameResults) -> str:
    points = f"{result.points_per_game:+.3f} ± {result.standard_error:.3f} points per game"
    return f"{points}, {_format_win_share(result)} % won"


def _format_win_share(result: PairedGameResults) -> str:
    return f"{100 * float(np.mean(result.points > 0)):.1f}"
