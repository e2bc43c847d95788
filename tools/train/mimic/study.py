"""``gammond train mimic-study``: how far more expert moves take a 52-26-1 net.

For each size a run of `gammond train mimic` in a folder of its name, all with the same unseen matches and the
same generations; the document's sizes unless told. Runs that are done are left alone, the others go on from
their checkpoints, so the same command goes on after a kill. At the end stand the agreement of each with the
experts of unseen matches, and the commands that play the nets against each other.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec

from engine.errors import StateError, ValueRangeError
from tools.train.files import read_records
from tools.train.mimic.command import MimicRun
from tools.train.mimic.curves import draw_agreement
from tools.train.mimic.settings import MimicSettings
from tools.train.plots import check_plot
from tools.train.run_options import add_threads
from tools.train.settings import add_settings, command_options, read_options, read_settings
from tools.train.stage import CONFIG, LOG, begin

SUMMARY = "teach nets to mimic experts from few moves and from many, and compare them"

SIZES = (1500, 30_000, 45_000)
"""Expert moves that nets learn from, of the document's table."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond train mimic-study``."""
    parser.add_argument("folder", type=Path, help="where the runs go, a folder for each size")
    parser.add_argument(
        "--sizes",
        default=",".join(map(str, SIZES)),
        metavar="LIST",
        help="expert moves (default %(default)s)",
    )
    add_settings(parser, MimicSettings)
    add_threads(parser)
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the agreement of all: FILE.png, .svg or .pdf"
    )


def main(args: argparse.Namespace) -> int:
    """Make the runs and compare them; returns the exit status.

    Raises:
        GammondError: An option cannot be, or a run that is there has other settings.
    """
    check_plot(args.plot)
    settings = read_options(args, MimicSettings)
    settings.check()
    sizes = _sizes(args.sizes)
    for size in sizes:
        _finish(args.folder / str(size), msgspec.structs.replace(settings, learned=size), args.threads)
    folders = [args.folder / str(size) for size in sizes]
    if args.plot:
        draw_agreement(folders, args.plot)
    sys.stdout.write(comparison(folders))
    return 0


def comparison(folders: list[Path]) -> str:
    """Tell how the nets of finished runs agree with experts, and how to play them against each other."""
    lines = [
        "| expert moves | fitness | ranked first | unseen: fitness | ranked first |",
        "|---|---|---|---|---|",
    ]
    for folder in folders:
        last = read_records(folder / LOG)[-1]
        lines.append(
            f"| {folder.name} | {last['fitness']:.4f} | {last['first']:.1%} "
            f"| {last['unseen_fitness']:.4f} | {last['unseen_first']:.1%} |"
        )
    players = " ".join(f"run:{folder}" for folder in reversed(folders))
    lines += ["", f"gammond tournament {players} random --games 50000 --home-bound"]
    lines += [f"gammond tournament {players} random pubeval --games 20000", ""]
    return "\n".join(lines)


def _sizes(text: str) -> list[int]:
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1 or len(set(sizes)) < len(sizes):
        raise ValueRangeError(
            f"sizes are different whole numbers with commas between, as in {SIZES[0]},{SIZES[1]}, "
            f"not {text[:40]!r}",
            field="sizes",
        )
    return sizes


def _finish(folder: Path, settings: MimicSettings, threads: int) -> None:
    """Begin a run, or go on with it."""
    sys.stderr.write(f"{folder}: {settings.learned} expert moves\n")
    if not (folder / CONFIG).exists():
        run = MimicRun(folder, settings, threads, None)
        begin(folder, "mimic", settings, ())
    else:
        if read_settings(folder / CONFIG, MimicSettings) != settings:
            raise StateError(
                f"{folder} holds a run with other settings than{command_options(settings)}", field="folder"
            )
        run = MimicRun(folder, settings, threads, None)
    run.run()
