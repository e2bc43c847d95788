"""``gammond heritage mimic``: a 52-26-1 net that learns to choose the plays that experts chose.

The net, on counts of checkers alone, learns by a genetic algorithm (--method genetic), by backpropagation on
the same moves (backprop), or without experts from its own games, in which each play is played out (play).
`gammond heritage expert-moves` makes the file of moves from match files. Matches set aside are never learned
from; how often the net ranks the expert's play first there stands in log.jsonl beside the fitness. The folder
gets the net as text (net.txt), and checkpoint.npz, from which a run that was killed goes on with --resume.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from engine.errors import DataFileError, ValueRangeError
from engine.runtime.cores import MAX_THREADS
from nets.heritage.gengammon.net import GengammonPlayer, format_net
from nets.provenance import StrengthRecord
from tools.figures import check_plot_file
from tools.files import append_new_record, read_arrays, write_arrays, write_atomically
from tools.heritage.gengammon.curves import draw_agreement
from tools.heritage.gengammon.dataset import ExpertMoves, list_candidates, read_expert_moves, split_by_match
from tools.heritage.gengammon.kernels.mimic import PackedMoves
from tools.heritage.gengammon.learners import (
    BackpropLearner,
    GeneticLearner,
    MimicLearner,
    SelfPlayLearner,
    StepRecord,
)
from tools.heritage.gengammon.packed_moves import count_moves, measure_agreements, pack_moves
from tools.heritage.gengammon.runs import NET_FILE
from tools.heritage.gengammon.settings import MimicSettings
from tools.progress import Progress, format_short_number
from tools.train.runs.options import add_run_options, add_threads_option, load_run_settings
from tools.train.runs.run_folder import LOG_FILE, begin_run
from tools.train.runs.settings import add_setting_options
from tools.train.runs.strength_games import (
    format_strengths,
    load_opponents,
    play_opponents,
    strengths_from_results,
    strengths_to_record,
)

SUMMARY = "teach a 52-26-1 net to mimic experts: a genetic algorithm, backpropagation, or its own play"

CHECKPOINT = "checkpoint.npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond heritage mimic``."""
    add_run_options(parser, "run.toml, checkpoint.npz, net.txt, log.jsonl")
    add_setting_options(parser, MimicSettings)
    add_threads_option(parser)
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="draw the agreement at each checkpoint: FILE.png, .svg or .pdf",
    )


def main(args: argparse.Namespace) -> int:
    """Learn; returns the exit status.

    Raises:
        GammondError: An option cannot be, then no run was begun; or a run is there already, or none.
    """
    check_plot_file(args.plot)
    settings = load_run_settings(args.run, args, MimicSettings)
    settings.check()
    run = MimicRun(args.run, settings, args.threads, args.plot)
    if not args.resume:
        begin_run(args.run, "heritage mimic", settings, ())
    run.run()
    return 0


class MimicRun:
    """A run in progress; it goes on from its checkpoint where there is one.

    Args:
        folder: Of the run.
        settings: That were checked.
        threads: How many work side by side.
        plot: Where to draw, if anywhere.

    Raises:
        ValueRangeError: The number of threads is out of range.
        DataFileError: The expert moves or the checkpoint cannot be read, or no move is left to learn from.
    """

    def __init__(self, folder: Path, settings: MimicSettings, threads: int, plot: Path | None) -> None:
        if not 1 <= threads <= MAX_THREADS:
            raise ValueRangeError(f"threads are 1 to {MAX_THREADS}, not {threads}", field="threads")
        self._folder = folder
        self._settings = settings
        self._plot = plot
        learned, self._unseen = _load_moves(settings)
        self._learner = _make_learner(settings, learned, threads)
        checkpoint = folder / CHECKPOINT
        if checkpoint.exists():
            self._learner.load_state_dict(read_arrays(checkpoint))

    def run(self) -> None:
        """Do the steps that are left."""
        learner, judged, since_s = self._learner, 0, time.monotonic()
        with Progress(learner.total_steps, f"{learner.unit}s", start=learner.steps_done) as bar:
            while learner.steps_done < learner.total_steps:
                record = learner.run_step()
                judged += int(record.pop("judged"))
                bar.update(learner.steps_done, f"fitness {record['fitness']:.4f}")
                if learner.steps_done % learner.checkpoint_every and learner.steps_done < learner.total_steps:
                    continue
                taken_s = time.monotonic() - since_s
                bar.write_line(
                    self._save_checkpoint({**record, "moves_per_s": judged / taken_s, "seconds": taken_s})
                )
                judged, since_s = 0, time.monotonic()

    def _save_checkpoint(self, record: StepRecord) -> str:
        """Validate and save what was learned: the net, the line of the log, then the checkpoint.

        Returns:
            What to tell.
        """
        learner, net = self._learner, self._learner.net
        record = {learner.unit: learner.steps_done, **record}
        if self._unseen is not None:
            every = np.arange(count_moves(self._unseen))
            (found,) = measure_agreements(self._unseen, [net], self._settings.fitness, every, 1)
            record |= {
                "unseen_fitness": found.fitness,
                "unseen_first": found.ranked_first,
                "unseen": len(every),
            }
        strengths = self._measure_strengths() if learner.steps_done == learner.total_steps else []
        record |= strengths_to_record(strengths)
        write_atomically(self._folder / NET_FILE, format_net(net).encode())
        append_new_record(self._folder / LOG_FILE, record, learner.unit)
        write_arrays(self._folder / CHECKPOINT, learner.state_dict())
        if self._plot:
            draw_agreement([self._folder], self._plot)
        text = _format_record(learner.unit, record)
        return f"{text}, {format_strengths(strengths)}" if strengths else text

    def _measure_strengths(self) -> list[StrengthRecord]:
        """Play against each opponent; none where nothing is measured."""
        player, games = GengammonPlayer(self._folder.name, self._learner.net), self._settings.games
        return strengths_from_results(
            play_opponents(player, load_opponents(self._settings.opponents, games), games)
        )


def _load_moves(settings: MimicSettings) -> tuple[PackedMoves | None, PackedMoves | None]:
    """Expert moves to learn from and those of unseen matches; none where the net plays without experts."""
    if not settings.moves:
        return None, None
    moves = read_expert_moves(Path(settings.moves))
    learned, unseen = split_by_match(moves, settings.unseen, settings.seed)
    if settings.learned > len(learned):
        raise DataFileError(
            f"{settings.moves} leaves {len(learned)} expert moves to learn from, not {settings.learned}",
            field="learned",
        )
    if settings.learned:
        order = np.random.default_rng([settings.seed, len(learned)]).permutation(len(learned))
        learned = learned.select(np.sort(order[: settings.learned]))
    found = _pack_expert_moves(learned), _pack_expert_moves(unseen)
    forced = [int((np.diff(each.offsets) == 1).sum()) for each in found]
    sys.stderr.write(
        f"{len(learned)} expert moves to learn from ({forced[0]} without a choice), "
        f"{len(unseen)} of unseen matches ({forced[1]})\n"
    )
    return found


def _pack_expert_moves(moves: ExpertMoves) -> PackedMoves:
    return pack_moves(moves.boards, list_candidates(moves))


def _make_learner(settings: MimicSettings, learned: PackedMoves | None, threads: int) -> MimicLearner:
    if learned is None or settings.method == "play":
        return SelfPlayLearner(settings, threads)
    kind = GeneticLearner if settings.method == "genetic" else BackpropLearner
    return kind(settings, learned, threads)


def _format_record(unit: str, record: StepRecord) -> str:
    parts = [f"{unit} {record[unit]}: fitness {record['fitness']:.4f}, {record['first']:.1%} ranked first"]
    if "unseen_first" in record:
        parts.append(f"unseen {record['unseen_fitness']:.4f}, {record['unseen_first']:.1%}")
    if "lead" in record:
        parts.append(f"{record['lead']:+.1f} ± {record['lead_error']:.1f} pips ahead of the one before")
    parts.append(f"{format_short_number(record['moves_per_s'])} moves/s")
    return ", ".join(parts)
