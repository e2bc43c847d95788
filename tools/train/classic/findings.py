"""What the runs of a study came to, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.games import GameResults, play_games
from engine.players import EvaluatorPlayer
from tools.opponents import RUN, load_opponent
from tools.train.classic.endgames import endgame_errors
from tools.train.classic.studies import Study
from tools.train.classic.text import as_table
from tools.train.files import read_records
from tools.train.learning_run import CHECKPOINT
from tools.train.stage import LOG

LAST = 10
"""So many measurements at the end of a run are averaged."""

_SEED = 2
"""Other dice than those by which the best nets were chosen."""


def found(study: Study, folders: Sequence[Path], final_games: int) -> str:
    """Tabulate the runs of a study: the course of each, what its best nets come to, and decided endgames."""
    logs = {folder: read_records(folder / LOG) for folder in folders}
    text = as_table(_HEAD, [_course(folder, records, final_games) for folder, records in logs.items()])
    text += "\n" + as_table(_JUDGING_HEAD, [_judging(folder, log) for folder, log in logs.items()])
    if study.against_each_other and final_games:
        first, second = (load_opponent(f"{RUN}{folder}") for folder in folders[:2])
        result = play_games(first, second, final_games, _SEED)
        text += f"\nbest nets, {folders[0].name} against {folders[1].name}: {_score(result)}\n"
    return text


_HEAD = [
    "run",
    "games/s",
    f"last {LAST}",
    "won %",
    "spread",
    "best, ppg",
    "at games",
    "went back",
    "other dice, ppg",
    "won %",
]


def _course(folder: Path, records: Sequence[Mapping[str, Any]], final_games: int) -> list[str]:
    """A line on how a run went, and how its best nets play with other dice."""
    measured = [record for record in records if "ppg" in record]
    speed = f"{np.median([record['games_per_s'] for record in records]):.0f}"
    if not measured:
        return [folder.name, speed, *["-"] * (len(_HEAD) - 2)]
    points = np.array([record["ppg"] for record in measured])
    best = int(points.argmax())
    last = points[-LAST:]
    won = np.mean([record["won"] for record in measured[-LAST:]])
    told = ["-", "-"]
    if final_games:
        opponent = load_opponent(str(measured[0]["opponent"]))
        result = play_games(load_opponent(f"{RUN}{folder}"), opponent, final_games, _SEED)
        told = [f"{result.points_per_game:+.3f} ± {result.standard_error:.3f}", _won(result)]
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


_JUDGING_HEAD = [
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


def _judging(folder: Path, records: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line on what the last nets of a run say of the start and of endgames."""
    last = records[-1]
    player = load_opponent(f"{RUN}{folder / CHECKPOINT}")
    assert isinstance(player, EvaluatorPlayer)
    errors = endgame_errors(player.evaluator)
    chances = [*last["start"], last["sure_win"], last["sure_loss"]]
    chances += [errors.sure_wins, errors.sure_losses, errors.rms]
    return [folder.name, *(f"{100 * chance:.1f}" for chance in chances)]


def _score(result: GameResults) -> str:
    return (
        f"{result.points_per_game:+.3f} ± {result.standard_error:.3f} points per game, {_won(result)} % won"
    )


def _won(result: GameResults) -> str:
    return f"{100 * float(np.mean(result.points > 0)):.1f}"
