"""``gammond train validation-set``: positions that nothing is trained on, rolled out by a net.

Positions of named classes are drawn with dice that training never throws, or from match files, then rolled
out: cubeless games, both sides played to their end by the net or by GNU Backgammon, variance reduction, until
the standard error of the equity is small enough. `gammond train validate` compares nets with them. The folder
fills with shards of 16 positions; a run that was killed goes on with --resume and loses only the shards that
were being made. The same settings give the same set, however many workers make it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from gammond.engine.errors import StateError, UnsupportedError
from gammond.engine.rollout import RolloutSettings
from gammond.engine.rollout.settings import MAX_TRIALS, MAX_TRUNCATION
from gammond.engine.rules.dice import MAX_SEED
from gammond.nets.catalogue import find_pruner, load_pruner
from gammond.tools.common.command_options import ToolCommand, option, written_file
from gammond.tools.common.locks import hold_lock
from gammond.tools.parallel.options import make_executor
from gammond.tools.train.labels.sampling import make_sampler
from gammond.tools.train.labels.shards import LABELS
from gammond.tools.train.runs.run_folder import LOG_FILE, advise_to_resume, begin_run, load_run_settings
from gammond.tools.train.runs.settings import SettingOptions
from gammond.tools.train.runs.shard_loop import describe_rollouts, make_missing_shards
from gammond.tools.train.runs.trainer import ProcessWork
from gammond.tools.train.validation.position_classes import POSITION_CLASSES, parse_classes
from gammond.tools.train.validation.positions import (
    DrawClass,
    ValidationPositions,
    draw_from_boards,
    draw_from_games,
    draw_positions,
    read_match_positions,
    read_positions,
    write_positions,
)
from gammond.tools.train.validation.rollout_tasks import make_rollout_tasks, roll_out_shard
from gammond.tools.train.weights.net_set import NetSet, load_net_set

SUMMARY = "draw positions that nothing is trained on, and roll them out"

GNUBG = "gnubg"
"""The net that stands for GNU Backgammon's program."""


class ValidationSettings(msgspec.Struct, frozen=True):
    """All that decides which positions and labels come out; each field says what it is."""

    net: Annotated[
        str,
        Meta(description=f"who plays: an evaluator, the folder of a run, or {GNUBG}, with --matches"),
    ] = "default"
    matches: Annotated[
        tuple[str, ...],
        Meta(description="match files and folders of them, whose positions are taken instead of own games'"),
    ] = ()
    classes: Annotated[
        tuple[str, ...],
        Meta(description=f"what positions, NAME=NUMBER of them: {', '.join(POSITION_CLASSES)}"),
    ] = ("contact=2000", "backgame=1000")
    not_in: Annotated[
        tuple[str, ...], Meta(description="folders of labels whose positions are not taken")
    ] = ()
    plies: Annotated[int, Meta(ge=0, le=2, description="how far plays of the games are looked ahead")] = 0
    stop_error: Annotated[
        float,
        Meta(ge=0, description="standard error of equity, in points, to roll out to; 0 plays all trials"),
    ] = 0.015
    min_trials: Annotated[
        int, Meta(ge=36, le=MAX_TRIALS, description="games of each position before the error counts")
    ] = 216
    trials: Annotated[int, Meta(ge=36, le=MAX_TRIALS, description="games of each position at most")] = 5184
    truncate: Annotated[
        int,
        Meta(
            ge=0,
            le=MAX_TRUNCATION,
            description="plies after which a game ends with the net's value; 0 plays on",
        ),
    ] = 0
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="seed of positions and dice")] = 1

    def to_rollout_settings(self) -> RolloutSettings:
        """Put together how positions are rolled out."""
        return RolloutSettings(
            trials=self.trials,
            seed=self.seed,
            truncation=self.truncate,
            stop_error=self.stop_error,
            min_trials=self.min_trials,
        )


class ValidationSetOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which set is made, with what settings, and who works."""

    out: Annotated[
        Path,
        written_file(
            "folder of the set: run.toml, log.jsonl, positions.npz, rollouts-000000.npz, ...",
            "FOLDER",
            count="",
        ),
    ]
    resume: Annotated[bool, option("go on with the set in this folder")] = False
    settings: SettingOptions[ValidationSettings]
    work: ProcessWork = ProcessWork()


def run(options: ValidationSetOptions) -> int:
    """Make a set; returns the exit status.

    Raises:
        GammondError: An option cannot be, then nothing was begun; or a set is there already, or none, or it
            was begun by other nets.
    """
    out = options.out
    settings = load_run_settings(out, options.settings, resume=options.resume)
    counts, learned = parse_classes(settings.classes), [Path(folder) for folder in settings.not_in]
    nets = None if settings.net == GNUBG else load_net_set(settings.net)
    digest = GNUBG if nets is None else f"{nets.digest} {' '.join(find_pruner().net_hashes.values())}"
    positions = _read_positions(out, settings.net, digest) if options.resume else None
    draw_class = None if positions is not None else _choose_source(settings.matches, nets, counts)
    if not options.resume:
        for folder in learned:
            LABELS.list_in(folder)  # raises where there are none, before anything begins
        begin_run(out, "train validation-set", settings, [] if nets is None else [settings.net])
    rollouts = settings.to_rollout_settings()
    with advise_to_resume(out):
        if draw_class is not None:
            positions = draw_positions(counts, draw_class, settings.seed, learned)
            write_positions(out, positions, digest)
        assert positions is not None
        tasks = make_rollout_tasks(nets, settings.plies, rollouts, out, positions)
        with (
            hold_lock(out, "out"),
            make_executor(options.work.processes, options.work.cluster, {}) as executor,
        ):
            make_missing_shards(
                roll_out_shard,
                tasks,
                executor,
                "positions",
                log=out / LOG_FILE,
                describe=describe_rollouts,
            )
    return 0


def _choose_source(matches: Sequence[str], nets: NetSet | None, counts: Mapping[str, int]) -> DrawClass:
    """Return where positions come from.

    Raises:
        UnsupportedError: GNU Backgammon is to roll out positions that no match has.
        DataFileError: The matches have no position.
        ValueRangeError: They have too few positions of a class.
    """
    if matches:
        return draw_from_boards(read_match_positions(matches), counts)
    if nets is None:
        raise UnsupportedError(f"expected --matches with the net {GNUBG}, got none", field="matches")
    return draw_from_games(make_sampler(nets, load_pruner()))


def _read_positions(folder: Path, net: str, digest: str) -> ValidationPositions | None:
    """Read the positions that were drawn, if they were.

    Raises:
        StateError: They were drawn by other nets, or for them.
    """
    kept = read_positions(folder)
    if kept is None:
        return None
    if kept[1] != digest:
        raise StateError(
            f"{folder} was started with other nets than {net} and its pruning net have now: "
            "choose another folder",
            field="net",
        )
    return kept[0]


COMMAND = ToolCommand(ValidationSetOptions, run)
