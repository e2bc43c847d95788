"""`gammond export`: make the nets of a training run a net by name.

It is registered in the data folder: `--net NAME` of any tool, `set engine.net NAME` and `play against NAME`
find it from then on, and `gammond nets` lists, checks and removes it. The nets are ONNX files, compared with
their training weights before anything is written. With --folder the files go there instead, nothing is
registered, and the entries that nets/manifest.toml and nets/provenance.toml need are printed: for nets that
are to be shipped with gammond.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from engine.errors import DataFileError, GammondError, UnsupportedError
from engine.formats.array_file import read_array_file
from engine.runtime.output_files import open_output
from nets.heritage.computational_backgammon.net import ClassicNet
from nets.heritage.gengammon.net import read_net_text
from nets.manifest import MANIFEST_NAME, check_name, read_manifest
from nets.own_nets import check_free_name, find_own_folder
from nets.provenance import PROVENANCE_FILE, StrengthRecord
from tools.common.opponents import RUN_PREFIX, find_run_file, load_opponent
from tools.common.output_options import add_force_option, written_path
from tools.common.own_nets import check_not_registered, write_own_net
from tools.heritage.computational_backgammon.net_set import is_classic_net_set, read_classic_nets
from tools.heritage.phase_features.files import read_phase_net
from tools.train.runs.manifest_entries import (
    MANIFEST_HEADING,
    PROVENANCE_HEADING,
    check_net_file,
    format_evaluator_entry,
    format_net_entry,
    format_scorer_entry,
    format_strength_entry,
    format_training_entry,
)
from tools.train.runs.run import BEST_FILE, CHECKPOINT_FILE
from tools.train.runs.run_folder import read_run_provenance
from tools.train.runs.strength_games import strengths_from_arrays
from tools.train.weights.layers import LayeredNet
from tools.train.weights.net_set import NET_NAMES, read_net_set
from tools.train.weights.onnx_files import classic_net_to_onnx, compute_max_difference, net_to_onnx
from tools.train.weights.scorer_files import ScorerNet, find_activation, find_player_kind, make_scorer_onnx

SUMMARY = "make a training run a net by name, for --net and 'play against'"

TOLERANCE = 1e-6
"""The most that an exported net may differ from its training weights, in any output."""

_MANIFEST_HEAD = "# Written by `gammond export`; `gammond nets` lists, checks and removes it.\n"

_Net = LayeredNet | ClassicNet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond export``."""
    parser.add_argument("run", type=Path, help="folder of a training run")
    parser.add_argument(
        "--name", required=True, help="what the net is to be called: letters a-z, digits, . and -"
    )
    add_force_option(parser, "replace a net of this name")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--best",
        action="store_true",
        help="take the best measured weights (default where there are any)",
    )
    which.add_argument("--last", action="store_true", help="take the last weights")
    parser.add_argument(
        "--phases",
        type=lambda text: text.split(","),
        help=f"which nets, some of {','.join(NET_NAMES)} (default all that the run has)",
    )
    parser.add_argument(
        "--folder",
        type=written_path,
        metavar="FOLDER",
        help="write NAME-contact.onnx and so on here, and print their entries, instead of registering them",
    )


def main(args: argparse.Namespace) -> int:
    """Export; prints what was made on stdout and what was checked on stderr; returns the exit status.

    Raises:
        GammondError: The name cannot be, it is taken and --force is not given, the run cannot be read or has
            no nets, or a net came out different; nothing is written then.
    """
    _check_names(args)
    is_best = args.best or (not args.last and (args.run / BEST_FILE).exists())
    if (scorer := _read_scorer(args, is_best)) is not None:
        sys.stdout.write(_export_scorer(args, scorer, is_best))
        return 0
    source: Path = args.run / (BEST_FILE if is_best else CHECKPOINT_FILE)
    nets = _select_nets(args.run, _read_nets(args.run, source), args.phases)
    contents = {phase: _make_checked_onnx(net, f"{args.name}-{phase}") for phase, net in nets.items()}
    training = _format_training_entry(args, source, [f"{args.name}-{phase}" for phase in nets])
    if args.folder is not None:
        sys.stdout.write(_write_to_folder(args, nets, contents, training))
        return 0
    folder = _register(args, nets, contents, training, strengths_from_arrays(read_array_file(source)))
    sys.stdout.write(
        f"{args.name} is made of {source} ({', '.join(nets)}) and kept in {folder}\n"
        f"    gammond tournament {args.name} pubeval\n"
        f"    gammond batch FILE --net {args.name}      and --net of any other tool\n"
        f"    set engine.net {args.name}                on the wire and in the terminal\n"
        f"    play against {args.name}                  in the terminal\n"
    )
    return 0


def _read_scorer(args: argparse.Namespace, is_best: bool) -> ScorerNet | None:
    """Read the net of a run that only rates plays; None for other runs."""
    if (net_file := find_run_file(str(args.run))).suffix == ".txt":
        return read_net_text(net_file)
    source = args.run / (BEST_FILE if is_best else CHECKPOINT_FILE)
    return read_phase_net(source) if source.is_file() else None


def _export_scorer(args: argparse.Namespace, net: ScorerNet, is_best: bool) -> str:
    """Export the net of a run that only rates plays; return what was made, in words or as its entries."""
    content, activation = make_scorer_onnx(net, args.name), find_activation(net)
    last = f"gammond export {args.run} --name {args.name} --{'best' if is_best else 'last'}"
    provenance = read_run_provenance(args.run, args.run / "none")  # all that the run did led to it
    training = format_training_entry(args.name, [args.name], provenance, last)
    if args.folder is not None:
        file = check_net_file(args.folder, args.name, ".onnx", force=args.force)
        _write_files({file: content})
        scorer = format_scorer_entry(args.name, file, activation, content)
        return MANIFEST_HEADING + scorer + PROVENANCE_HEADING + training
    home, file_name = find_own_folder(args.name), f"{hashlib.sha256(content).hexdigest()[:16]}.onnx"
    player = find_player_kind(net)
    scorer = format_scorer_entry(args.name, home / file_name, activation, content, home, player=player)
    files = {
        file_name: content,
        MANIFEST_NAME: (_MANIFEST_HEAD + scorer).encode(),
        PROVENANCE_FILE: training.encode(),
    }
    folder = write_own_net(args.name, files, force=args.force)
    return (
        f"{args.name} is made of {args.run} (it rates plays) and kept in {folder}\n"
        f"    gammond tournament {args.name} pubeval\n"
        f"    set engine.player {args.name}             on the wire and in the terminal\n"
        f"    play against {args.name}                  in the terminal\n"
    )


def _write_to_folder(
    args: argparse.Namespace, nets: Mapping[str, _Net], contents: Mapping[str, bytes], training: str
) -> str:
    """Write the files of nets into a folder; return their entries."""
    files = {phase: args.folder / f"{args.name}-{phase}.onnx" for phase in nets}
    _write_files({files[phase]: content for phase, content in contents.items()})
    entries = [
        format_net_entry(files[phase].stem, files[phase], phase, net, contents[phase])
        for phase, net in nets.items()
    ]
    return "".join([MANIFEST_HEADING, *entries, PROVENANCE_HEADING, training])


def _register(
    args: argparse.Namespace,
    nets: Mapping[str, _Net],
    contents: Mapping[str, bytes],
    training: str,
    strengths: Sequence[StrengthRecord],
) -> Path:
    """Write nets into the data folder as an evaluator; return their folder."""
    home = find_own_folder(args.name)
    names = {phase: f"{args.name}-{phase}" for phase in nets}
    files = {
        phase: f"{phase}-{hashlib.sha256(content).hexdigest()[:16]}.onnx"
        for phase, content in contents.items()
    }
    entries = [
        format_net_entry(names[phase], home / files[phase], phase, net, contents[phase], home)
        for phase, net in nets.items()
    ]
    manifest = "".join(
        [_MANIFEST_HEAD, f'default = "{args.name}"\n\n', *entries, format_evaluator_entry(args.name, names)]
    )
    measured = [format_strength_entry(args.name, strength) for strength in strengths]
    content = {
        **{files[phase]: content for phase, content in contents.items()},
        MANIFEST_NAME: manifest.encode(),
        PROVENANCE_FILE: "".join([training, *measured]).encode(),
    }
    return write_own_net(args.name, content, force=args.force)


def _check_names(args: argparse.Namespace) -> None:
    """Refuse runs and phases that there are not, names that cannot be, and what exists unless replaced."""
    for phase in args.phases or ():
        if phase not in NET_NAMES:
            raise UnsupportedError(
                f"expected phases of {', '.join(NET_NAMES)}, got {phase!r}", field="phases"
            )
    if args.folder is None:
        check_free_name(args.name, read_manifest())
        if not args.force:
            check_not_registered(args.name)
    for phase in args.phases or NET_NAMES:
        name = f"{args.name}-{phase}"
        if args.folder is None:
            check_name(name)
        else:
            check_net_file(args.folder, name, ".onnx", force=args.force)
    if not args.run.is_dir():
        raise DataFileError(
            f"expected the folder of a training run, got {args.run}: no such folder", field="run"
        )


def _read_nets(run: Path, source: Path) -> Mapping[str, _Net]:
    """Read the nets of a file by phase.

    Raises:
        UnsupportedError: The run is that of a player without nets.
        DataFileError: It cannot be read.
    """
    try:
        if is_classic_net_set(read_array_file(source)):
            return read_classic_nets(source).nets
        return read_net_set(source).nets
    except DataFileError:
        if not _plays(run):
            raise
    raise UnsupportedError(
        f"{run} is the run of a player without nets, so there is none to have a name: it plays wherever "
        f"players play, as {RUN_PREFIX}{run}",
        field="run",
    )


def _plays(run: Path) -> bool:
    """Return whether a run is that of a player."""
    with suppress(GammondError):
        load_opponent(f"{RUN_PREFIX}{run}")
        return True
    return False


def _select_nets(run: Path, nets: Mapping[str, _Net], phases: list[str] | None) -> dict[str, _Net]:
    if missing := [phase for phase in phases or [] if phase not in nets]:
        raise UnsupportedError(f"{run.name} has no net for {', '.join(missing)}", field="phases")
    return {phase: net for phase, net in nets.items() if phases is None or phase in phases}


def _make_checked_onnx(net: _Net, name: str) -> bytes:
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
        with ExitStack() as opened:
            for file, content in contents.items():
                file.parent.mkdir(parents=True, exist_ok=True)
                opened.enter_context(open_output(file)).write(content)
    except OSError as error:
        raise DataFileError(
            f"{error.filename} cannot be written: {error.strerror}", field="folder"
        ) from error


def _format_training_entry(args: argparse.Namespace, source: Path, nets: Sequence[str]) -> str:
    """Format the ``[[training]]`` entry of the nets."""
    last = f"gammond export {args.run} --name {args.name} --{'best' if source.name == BEST_FILE else 'last'}"
    if args.phases:
        last += f" --phases {','.join(args.phases)}"
    return format_training_entry(args.name, nets, read_run_provenance(args.run, source), last)
