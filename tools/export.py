"""``gammond export``: write the nets of a training run as ONNX files, with the manifest entries they need.

Nothing is written before both nets are compared with their training weights; files appear whole.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from engine.errors import DataFileError, StateError, UnsupportedError
from nets.encoders import encode_tesauro196
from nets.manifest import MANIFEST_FILE, check_name
from nets.onnx_model import OUTCOME, OnnxModel
from tools.train.network import ENCODER, INPUTS, OUTPUTS, Network
from tools.train.positions import sample_positions
from tools.train.run_folder import RunFolder, load_checkpoint

SUMMARY = "write the nets of a training run as ONNX files, and the manifest entries they need"

TOLERANCE = 1e-6
"""The most that an exported net may differ from its training weights, in any output."""

PHASES = ("contact", "race")
"""The nets of a trainee, by the names of its fields."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``gammond export``."""
    parser.add_argument("run", type=Path, help="folder of a training run")
    parser.add_argument(
        "--name", required=True, help="name of the nets; files are NAME-contact.onnx and so on"
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
    files = _target_files(args.folder, args.name, args.force)
    folder = RunFolder(args.run)
    checkpoint = load_checkpoint(folder.best_file if args.best else folder.checkpoint_file)
    trained = _training(folder, args.name, args.best, checkpoint.games_done)
    contents, entries = {}, []
    for phase, file in files.items():
        net: Network = getattr(checkpoint.trainee, phase)
        contents[file] = _compared(net, file.stem)
        entries.append(manifest_entry(file, phase, net.hidden, contents[file], trained))
    _write(contents)
    sys.stdout.write("".join(entries))
    return 0


def _target_files(folder: Path, name: str, force: bool) -> dict[str, Path]:
    """Name the file of each phase; refuses names that the manifest would, and files that exist."""
    for phase in PHASES:
        check_name(f"{name}-{phase}")
    files = {phase: folder / f"{name}-{phase}.onnx" for phase in PHASES}
    for file in files.values():
        if file.exists() and not force:
            raise StateError(
                f"{file} exists; choose another --name, or replace it with --force", field="name"
            )
    return files


def _compared(net: Network, name: str) -> bytes:
    """Make the ONNX file of a net and compare it with the training weights."""
    content = onnx_bytes(net, name)
    difference = largest_difference(net, content)
    sys.stderr.write(f"{name}: differs from the training weights by at most {difference:.1e}\n")
    if not difference <= TOLERANCE:
        raise DataFileError(
            f"{name} differs from the training weights by {difference}, more than {TOLERANCE}"
        )
    return content


def _write(contents: dict[Path, bytes]) -> None:
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


def onnx_bytes(net: Network, name: str) -> bytes:
    """Make the ONNX file of one net: ``inputs float32[n, 196]`` to ``outcome float32[n, 5]``.

    The weights are outputs too, so that `nets.sparse_finder` can read them from the same file.

    Raises:
        UnsupportedError: The package ``onnx`` is not installed.
    """
    try:
        import onnx
        from onnx import TensorProto, helper, numpy_helper
    except ImportError as error:
        raise UnsupportedError("export needs the package onnx: pip install 'gammond[train]'") from error
    weights = {"w1": net.w1, "b1": net.b1, "w2": np.ascontiguousarray(net.w2.T), "b2": net.b2}
    graph = helper.make_graph(
        [
            helper.make_node("Gemm", ["inputs", "w1", "b1"], ["sums"]),
            helper.make_node("Relu", ["sums"], ["hidden"]),
            helper.make_node("Gemm", ["hidden", "w2", "b2"], ["logits"]),
            helper.make_node("Sigmoid", ["logits"], [OUTCOME]),
        ],
        name,
        [helper.make_tensor_value_info("inputs", TensorProto.FLOAT, ["n", INPUTS])],
        [
            helper.make_tensor_value_info(OUTCOME, TensorProto.FLOAT, ["n", OUTPUTS]),
            *(helper.make_tensor_value_info(k, TensorProto.FLOAT, w.shape) for k, w in weights.items()),
        ],
        [numpy_helper.from_array(array, k) for k, array in weights.items()],
    )
    model = helper.make_model(
        graph, producer_name="gammond", opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def largest_difference(net: Network, content: bytes) -> float:
    """Compare an ONNX file with its training weights on positions of random games, in any output."""
    inputs = encode_tesauro196(sample_positions(2000, seed=1))
    written = OnnxModel("export", content, INPUTS, OUTPUTS).run(inputs)
    return float(np.abs(written - net.outputs(inputs)).max())


def manifest_entry(file: Path, phase: str, hidden: int, content: bytes, trained: str) -> str:
    """Write the ``[[net]]`` entry of a file, for the package's manifest.

    Args:
        file: Where the net lies; named from the folder of the manifest if it is below it, absolute otherwise.
        phase: What it was trained on.
        hidden: The number of its hidden units.
        content: Its bytes.
        trained: How it came to be, as an inline table.
    """
    home, place = MANIFEST_FILE.parent, file.resolve()
    shown = place.relative_to(home) if place.is_relative_to(home) else place
    return "\n".join(
        [
            "[[net]]",
            f'name = "{file.stem}"',
            f"file = {json.dumps(shown.as_posix(), ensure_ascii=False)}",
            f'phase = "{phase}"',
            f'encoder = "{ENCODER}"',
            f"hidden = [{hidden}]",
            'outputs = "cumulative5"',
            f'sha256 = "{hashlib.sha256(content).hexdigest()}"',
            f"trained = {trained}",
            "",
            "",
        ]
    )


def _training(folder: RunFolder, name: str, best: bool, games: int) -> str:
    """Say how a net came to be, as the inline table of a manifest entry."""
    options = [f" --{key.replace('_', '-')} {value}" for key, value in folder.config().changed().items()]
    commands = [
        f"gammond train td {folder.path}{''.join(options)}",
        f"gammond export {folder.path} --name {name}{' --best' if best else ''}",
    ]
    listed = json.dumps(commands, ensure_ascii=False)
    return f"{{commands = {listed}, games = {games}, hours = {folder.hours():.2f}}}"
