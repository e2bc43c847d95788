"""``gammond export``: write the nets of a training run as ONNX files, and print their entries.

The entries are for ``nets/manifest.toml`` and ``nets/provenance.toml``.

Nothing is written before all nets are compared with their training weights; files appear whole.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.errors import DataFileError, UnsupportedError
from engine.formats.array_file import read_array_file
from nets.heritage.computational_backgammon.net import ClassicNet
from nets.manifest import MANIFEST_FILE
from tools.heritage.computational_backgammon.net_set import is_classic_net_set, read_classic_nets
from tools.heritage.gengammon.export import export_scorer
from tools.heritage.gengammon.runs import find_net_file
from tools.heritage.phase_features.export import export_phase_net
from tools.train.runs.manifest_entries import (
    MANIFEST_HEADING,
    PROVENANCE_HEADING,
    check_net_file,
    format_net_entry,
    format_training_entry,
)
from tools.train.runs.run_folder import read_run_provenance
from tools.train.weights.layers import LayeredNet
from tools.train.weights.net_set import NET_NAMES, read_net_set
from tools.train.weights.onnx_files import classic_net_to_onnx, compute_max_difference, net_to_onnx

SUMMARY = "write the nets of a training run as ONNX files, and print their manifest entries"

TOLERANCE = 1e-6
"""The most that an exported net may differ from its training weights, in any output."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond export``."""
    parser.add_argument("run", type=Path, help="folder of a training run")
    parser.add_argument(
        "--name", required=True, help="name of the nets; files are NAME-contact.onnx and so on"
    )
    parser.add_argument(
        "--phases",
        type=lambda text: text.split(","),
        help=f"which nets, some of {','.join(NET_NAMES)} (default all that the run has)",
    )
    parser.add_argument(
        "--best", action="store_true", help="take the best measured weights instead of the last"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=MANIFEST_FILE.parent / "weights",
        help="where to write (default the package's)",
    )
    parser.add_argument("--force", action="store_true", help="replace nets of this name")


def main(args: argparse.Namespace) -> int:
    """Export; prints manifest entries on stdout and what was checked on stderr; returns the exit status.

    Raises:
        GammondError: The name cannot be, its files exist and --force is not given, the run cannot be read, or
            a net came out different; nothing is written then.
    """
    if net_file := find_net_file(args.run):
        sys.stdout.write(export_scorer(args.run, net_file, args.name, args.folder, force=args.force))
        return 0
    if entry := export_phase_net(args.run, args.name, args.folder, best=args.best, force=args.force):
        sys.stdout.write(entry)
        return 0
    _check_names(args.folder, args.name, args.phases or list(NET_NAMES), args.force)
    source: Path = args.run / ("best.npz" if args.best else "checkpoint.npz")
    nets = _select_nets(args.run, _read_nets(source), args.phases)
    files = {phase: args.folder / f"{args.name}-{phase}.onnx" for phase in nets}
    contents, entries = {}, [MANIFEST_HEADING]
    for phase, net in nets.items():
        file = files[phase]
        contents[file] = _make_checked_onnx(net, file.stem)
        entries.append(format_net_entry(file, phase, net, contents[file]))
    training = _format_training_entry(args, source, [file.stem for file in contents])
    _write_files(contents)
    entries += [PROVENANCE_HEADING, training]
    sys.stdout.write("".join(entries))
    return 0


def _check_names(folder: Path, name: str, phases: list[str], force: bool) -> None:
    """Refuse phases that there are not, names that the manifest would refuse, and files that exist."""
    for phase in phases:
        if phase not in NET_NAMES:
            raise UnsupportedError(
                f"expected phases of {', '.join(NET_NAMES)}, got {phase!r}", field="phases"
            )
        check_net_file(folder, f"{name}-{phase}", ".onnx", force=force)


def _read_nets(source: Path) -> Mapping[str, LayeredNet | ClassicNet]:
    """Read the nets of a file by phase."""
    if is_classic_net_set(read_array_file(source)):
        player = read_classic_nets(source)
        return player.nets
    return read_net_set(source).nets


def _select_nets(
    run: Path, nets: Mapping[str, LayeredNet | ClassicNet], phases: list[str] | None
) -> dict[str, LayeredNet | ClassicNet]:
    if missing := [phase for phase in phases or [] if phase not in nets]:
        raise UnsupportedError(f"{run.name} has no net for {', '.join(missing)}", field="phases")
    return {phase: net for phase, net in nets.items() if phases is None or phase in phases}


def _make_checked_onnx(net: LayeredNet | ClassicNet, name: str) -> bytes:
    """Make the ONNX file of a net and compare it with the training weights."""
    content = classic_net_to_onnx(net, name) if isinstance(net, ClassicNet) else net_to_onnx(net, name)
    difference = compute_max_difference(net, content)
    sys.stderr.write(f"{name}: differs from the training weights by at most {difference:.1e}\n")
    if not difference <= TOLERANCE:
        raise DataFileError(
            f"{name} differs from the training weights by {difference}, more than {TOLERANCE}"
        )
    return content


def _write_files(contents: dict[Path, bytes]) -> None:
    """Write files aside, and put them in place when all are written."""
    try:
        for file, content in contents.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.with_suffix(".part").write_bytes(content)
        for file in contents:
            file.with_suffix(".part").replace(file)
    except OSError as error:
        raise DataFileError(
            f"{error.filename} cannot be written: {error.strerror}", field="folder"
        ) from error


def _format_training_entry(args: argparse.Namespace, source: Path, nets: Sequence[str]) -> str:
    """Format the ``[[training]]`` entry of the nets."""
    last = f"gammond export {args.run} --name {args.name}{' --best' if args.best else ''}"
    if args.phases:
        last += f" --phases {','.join(args.phases)}"
    return format_training_entry(args.name, nets, read_run_provenance(args.run, source), last)
