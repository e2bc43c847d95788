"""``gammond train mimic``: a 52-26-1 net that learns to choose the plays that experts chose.

The net, on counts of checkers alone, learns by a genetic algorithm (--method genetic), by backpropagation on
the same moves (backprop), or without experts from its own games, in which each play is played out (play).
`gammond train expert-moves` makes the file of moves from match files. Matches set aside are never learned
from; how often the net ranks the expert's play first there stands in log.jsonl beside the fitness. The folder
gets the net as text (net.txt), and checkpoint.npz, from which a run that was killed goes on with --resume.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from engine.cores import MAX_THREADS
from engine.errors import DataFileError, ValueRangeError
from nets.gengammon import GengammonPlayer, net_text
from nets.manifest import Strength
from tools.progress import Progress, short_number
from tools.train.files import append_once, read_arrays, write_arrays, write_whole
from tools.train.kernels.mimic import Packed
from tools.train.measuring import (
    load_opponents,
    results_against,
    strength_record,
    strength_text,
    strengths_of,
)
from tools.train.mimic.curves import draw_agreement
from tools.train.mimic.examples import ExpertMoves, candidates, read_expert_moves, split
from tools.train.mimic.learners import Backprop, Genetic, Learner, Play, Record
from tools.train.mimic.packing import agreements, count_of, pack
from tools.train.mimic.runs import NET_FILE
from tools.train.mimic.settings import MimicSettings
from tools.train.plots import check_plot
from tools.train.run_options import add_run, add_threads, settings_of
from tools.train.settings import add_settings
from tools.train.stage import LOG, begin

SUMMARY = "teach a 52-26-1 net to mimic experts: a genetic algorithm, backpropagation, or its own play"

CHECKPOINT = "checkpoint.npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train mimic``."""
    add_run(parser, "run.toml, checkpoint.npz, net.txt, log.jsonl")
    add_settings(parser, MimicSettings)
    add_threads(parser)
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
    check_plot(args.plot)
    settings = settings_of(args.run, args, MimicSettings)
    settings.check()
    run = MimicRun(args.run, settings, args.threads, args.plot)
    if not args.resume:
        begin(args.run, "mimic", settings, ())
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
        learned, self._unseen = _data(settings)
        self._learner = _learner(settings, learned, threads)
        checkpoint = folder / CHECKPOINT
        if checkpoint.exists():
            self._learner.go_on_from(read_arrays(checkpoint))

    def run(self) -> None:
        """Do the steps that are left."""
        learner, judged, since_s = self._learner, 0, time.monotonic()
        with Progress(learner.total, f"{learner.unit}s", start=learner.done) as bar:
            while learner.done < learner.total:
                record = learner.advance()
                judged += int(record.pop("judged"))
                bar.update(learner.done, f"fitness {record['fitness']:.4f}")
                if learner.done % learner.interval and learner.done < learner.total:
                    continue
                taken_s = time.monotonic() - since_s
                bar.say(self._keep({**record, "moves_per_s": judged / taken_s, "seconds": taken_s}))
                judged, since_s = 0, time.monotonic()

    def _keep(self, record: Record) -> str:
        """Validate and save what was learned: the net, the line of the log, then the checkpoint.

        Returns:
            What to tell.
        """
        learner, net = self._learner, self._learner.net
        record = {learner.unit: learner.done, **record}
        if self._unseen is not None:
            every = np.arange(count_of(self._unseen))
            (found,) = agreements(self._unseen, [net], self._settings.fitness, every, 1)
            record |= {"unseen_fitness": found.fitness, "unseen_first": found.first, "unseen": len(every)}
        strengths = self._strengths() if learner.done == learner.total else []
        record |= strength_record(strengths)
        write_whole(self._folder / NET_FILE, net_text(net).encode())
        append_once(self._folder / LOG, record, learner.unit)
        write_arrays(self._folder / CHECKPOINT, learner.arrays())
        if self._plot:
            draw_agreement([self._folder], self._plot)
        text = _line(learner.unit, record)
        return f"{text}, {strength_text(strengths)}" if strengths else text

    def _strengths(self) -> list[Strength]:
        """Play against each opponent; none where nothing is measured."""
        player, games = GengammonPlayer(self._folder.name, self._learner.net), self._settings.games
        return strengths_of(results_against(player, load_opponents(self._settings.opponents, games), games))


def _data(settings: MimicSettings) -> tuple[Packed | None, Packed | None]:
    """Expert moves to learn from and those of unseen matches; none where the net plays without experts."""
    if not settings.moves:
        return None, None
    moves = read_expert_moves(Path(settings.moves))
    learned, unseen = split(moves, settings.unseen, settings.seed)
    if settings.learned > len(learned):
        raise DataFileError(
            f"{settings.moves} leaves {len(learned)} expert moves to learn from, not {settings.learned}",
            field="learned",
        )
    if settings.learned:
        order = np.random.default_rng([settings.seed, len(learned)]).permutation(len(learned))
        learned = learned.rows(np.sort(order[: settings.learned]))
    found = _packed(learned), _packed(unseen)
    forced = [int((np.diff(each.offsets) == 1).sum()) for each in found]
    sys.stderr.write(
        f"{len(learned)} expert moves to learn from ({forced[0]} without a choice), "
        f"{len(unseen)} of unseen matches ({forced[1]})\n"
    )
    return found


def _packed(moves: ExpertMoves) -> Packed:
    return pack(moves.boards, candidates(moves))


def _learner(settings: MimicSettings, learned: Packed | None, threads: int) -> Learner:
    if learned is None or settings.method == "play":
        return Play(settings, threads)
    kind = Genetic if settings.method == "genetic" else Backprop
    return kind(settings, learned, threads)


def _line(unit: str, record: Record) -> str:
    parts = [f"{unit} {record[unit]}: fitness {record['fitness']:.4f}, {record['first']:.1%} ranked first"]
    if "unseen_first" in record:
        parts.append(f"unseen {record['unseen_fitness']:.4f}, {record['unseen_first']:.1%}")
    if "lead" in record:
        parts.append(f"{record['lead']:+.1f} ± {record['lead_error']:.1f} pips ahead of the one before")
    parts.append(f"{short_number(record['moves_per_s'])} moves/s")
    return ", ".join(parts)
