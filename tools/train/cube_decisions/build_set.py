"""``gammond train cube-set``: cube decisions, rolled out with the cube.

Positions of named classes, each in a match state: money with and without the Jacoby rule, matches of all
kinds of scores, free and dead cubes. Most decisions are near the doubling window. Each is rolled out twice
with the same dice, as no double and as double/take: games with the cube to their end, variance reduction,
until the standard error of what doubling gains is small enough. `gammond train validate-cube` compares
players with them, and fits cube efficiencies to decisions that were only drawn (--trials 0). The folder
fills with shards of 8 decisions; a run that was killed goes on with --resume and loses only the shards that
were being made. The same settings give the same set, however many work.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from gammond.engine.errors import ValueRangeError
from gammond.engine.rollout import RolloutSettings
from gammond.engine.rollout.settings import MAX_TRIALS
from gammond.engine.rules.dice import MAX_SEED
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.nets.catalogue import SHIPPED, FoundEvaluator, load_pruner
from gammond.tools.common.command_options import ToolCommand, option, written_file
from gammond.tools.common.locks import hold_lock
from gammond.tools.common.opponents import RUN_PREFIX, collect_net_hashes, load_net_evaluator
from gammond.tools.parallel.options import make_executor
from gammond.tools.parallel.rollout_blocks import RolloutPlayers
from gammond.tools.train.cube_decisions.decision_file import RatedDecision, read_decisions, write_decisions
from gammond.tools.train.cube_decisions.drawing import BEAROFF, RACE_CLASSES, draw_decisions
from gammond.tools.train.cube_decisions.rollout_tasks import make_decision_tasks, roll_out_shard
from gammond.tools.train.labels.sampling import make_sampler
from gammond.tools.train.runs.run_folder import LOG_FILE, advise_to_resume, begin_run, load_run_settings
from gammond.tools.train.runs.settings import SettingOptions
from gammond.tools.train.runs.shard_loop import describe_rollouts, make_missing_shards
from gammond.tools.train.runs.trainer import ProcessWork
from gammond.tools.train.validation.position_classes import POSITION_CLASSES, parse_classes
from gammond.tools.train.weights.net_set import load_net_set

SUMMARY = "draw cube decisions, and roll them out with the cube"

DECISIONS_FILE = "decisions.txt"

DEFAULT_CLASSES = {
    "contact": 600,
    "prime-against-prime": 120,
    "containing": 100,
    "late-containment": 80,
    "backgame": 120,
    "timed-backgame": 60,
    "crunched": 100,
    "ace-point": 80,
    "bear-in": 160,
    "many-off": 60,
    "long-race": 160,
    "short-race": 160,
    BEAROFF: 200,
}
"""Classes of positions, and how many decisions of each."""

_LEAST_TRIALS = 36
"""A roll of each kind for the first throw."""


class CubeSetSettings(msgspec.Struct, frozen=True):
    """All that decides which decisions and values come out; each field says what it is."""

    net: Annotated[str, Meta(description="who plays: an evaluator, or the folder of a run")] = "default"
    classes: Annotated[
        tuple[str, ...],
        Meta(
            description=f"what positions, NAME=NUMBER: {', '.join(RACE_CLASSES)}, and the classes of "
            "validation-set"
        ),
    ] = tuple(f"{name}={count}" for name, count in DEFAULT_CLASSES.items())
    near: Annotated[
        float,
        Meta(ge=0, le=1, description="share of decisions near the doubling window"),
    ] = 0.8
    plies: Annotated[int, Meta(ge=0, le=2, description="look-ahead for plays and cube in the games")] = 0
    stop_error: Annotated[
        float,
        Meta(ge=0, description="standard error of what doubling gains, in points; 0 plays all trials"),
    ] = 0.02
    min_trials: Annotated[
        int, Meta(ge=_LEAST_TRIALS, le=MAX_TRIALS, description="games of each choice before the error counts")
    ] = 36
    trials: Annotated[
        int,
        Meta(ge=0, le=MAX_TRIALS, description="games of each choice at most; 0 only draws the decisions"),
    ] = 216
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="seed of decisions and dice")] = 1


class CubeSetOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which set is made, with what settings, and who works."""

    out: Annotated[
        Path,
        written_file(
            f"folder of the set: run.toml, log.jsonl, {DECISIONS_FILE}, rollouts-000000.txt, ...",
            "FOLDER",
            count="",
        ),
    ]
    resume: Annotated[bool, option("go on with the set in this folder")] = False
    settings: SettingOptions[CubeSetSettings]
    work: ProcessWork = ProcessWork()


def run(options: CubeSetOptions) -> int:
    """Make a set; returns the exit status.

    Raises:
        GammondError: An option cannot be, then nothing was begun; or a set is there already, or none.
    """
    folder = options.out
    settings = load_run_settings(folder, options.settings, resume=options.resume)
    counts = parse_classes(settings.classes, (*RACE_CLASSES, *POSITION_CLASSES))
    if 0 < settings.trials < _LEAST_TRIALS:
        raise ValueRangeError(
            f"expected 0 trials, or {_LEAST_TRIALS} or more, got {settings.trials}", field="trials"
        )
    net = name_player(settings.net)
    hashes = collect_net_hashes(net)
    if not options.resume:
        begin_run(folder, "train cube-set", settings, [settings.net])
    with advise_to_resume(folder):
        decisions = _read_or_draw_decisions(folder, settings, counts, net)
        if not settings.trials:
            return 0
        players = RolloutPlayers(net, STANDARD_RULES, settings.plies, settings.plies)
        rollouts = RolloutSettings(
            trials=settings.trials,
            seed=settings.seed,
            stop_error=settings.stop_error,
            min_trials=settings.min_trials,
        )
        tasks = make_decision_tasks(players, rollouts, folder, decisions)
        with (
            hold_lock(folder, "out"),
            make_executor(options.work.processes, options.work.cluster, {net: hashes}) as executor,
        ):
            describe = partial(describe_rollouts, sides=2)
            make_missing_shards(
                roll_out_shard, tasks, executor, "decisions", log=folder / LOG_FILE, describe=describe
            )
    return 0


def name_player(net: str) -> str:
    """Return the name of a player, given an evaluator or the folder of a run."""
    return net if isinstance(SHIPPED.find(net), FoundEvaluator) else f"{RUN_PREFIX}{net}"


def _read_or_draw_decisions(
    folder: Path, settings: CubeSetSettings, counts: dict[str, int], net: str
) -> list[RatedDecision]:
    """Draw the decisions of a set, or read those that were drawn."""
    file = folder / DECISIONS_FILE
    if not file.exists():
        sampler = make_sampler(load_net_set(settings.net), load_pruner())
        evaluator = load_net_evaluator(net)
        write_decisions(file, draw_decisions(counts, settings.near, sampler, evaluator, settings.seed))
    return read_decisions(file)


COMMAND = ToolCommand(CubeSetOptions, run)
