"""``gammond export``: write the nets of a training run as ONNX files, with the manifest entries they need."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from engine.errors import DataFileError, UnsupportedError
from nets.encoders import encode_tesauro196
from nets.manifest import MANIFEST_FILE
from nets.onnx_model import OUTCOME, OnnxModel
from tools.train.network import ENCODER, INPUTS, OUTPUTS, Network, load_trainee
from tools.train.positions import sample_positions
from tools.train.run_folder import RunFolder

SUMMARY = "write the nets of a training run as ONNX files"

TOLERANCE = 1e-6
"""The most that an exported net may differ from its training weights, in any output."""


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


def main(args: argparse.Namespace) -> int:
    """Export; prints manifest entries on stdout and what was checked on stderr; returns the exit status."""
    folder = RunFolder(args.run)
    trainee, state = load_trainee(folder.best_file if args.best else folder.checkpoint_file)
    args.folder.mkdir(parents=True, exist_ok=True)
    for phase, net in (("contact", trainee.contact), ("race", trainee.race)):
        file = args.folder / f"{args.name}-{phase}.onnx"
        write_onnx(net, file)
        difference = largest_difference(net, file)
        sys.stderr.write(f"{file.name}: differs from the training weights by at most {difference:.1e}\n")
        if difference > TOLERANCE:
            raise DataFileError(
                f"{file} differs from the training weights by {difference}, more than {TOLERANCE}"
            )
        sys.stdout.write(manifest_entry(args.name, phase, net, file, folder, int(state["games_done"])))
    return 0


def write_onnx(net: Network, file: Path) -> None:
    """Write one net as ONNX: ``inputs float32[n, 196]`` to ``outcome float32[n, 5]``.

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
        file.stem,
        [helper.make_tensor_value_info("inputs", TensorProto.FLOAT, ["n", INPUTS])],
        [
            helper.make_tensor_value_info(OUTCOME, TensorProto.FLOAT, ["n", OUTPUTS]),
            *(helper.make_tensor_value_info(k, TensorProto.FLOAT, w.shape) for k, w in weights.items()),
        ],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    model = helper.make_model(
        graph, producer_name="gammond", opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    onnx.checker.check_model(model)
    file.write_bytes(model.SerializeToString())


def largest_difference(net: Network, file: Path) -> float:
    """Compare a written net with its training weights on positions of random games, in any output."""
    inputs = encode_tesauro196(sample_positions(2000, seed=1))
    written = OnnxModel(file, INPUTS, OUTPUTS).run(inputs)
    return float(np.abs(written - net.outputs(inputs)).max())


def manifest_entry(name: str, phase: str, net: Network, file: Path, folder: RunFolder, games: int) -> str:
    """Write the ``[[net]]`` entry of a file, for the manifest."""
    config = folder.config()
    options = " ".join(f"--{key.replace('_', '-')} {value}" for key, value in config.changed().items())
    commands = [
        f"gammond train td {folder.path} {options}".strip(),
        f"gammond export {folder.path} --name {name}",
    ]
    return "\n".join(
        [
            "[[net]]",
            f'name = "{name}-{phase}"',
            f'file = "weights/{file.name}"',
            f'phase = "{phase}"',
            f'encoder = "{ENCODER}"',
            f"hidden = [{net.hidden}]",
            'outputs = "cumulative5"',
            f'sha256 = "{hashlib.sha256(file.read_bytes()).hexdigest()}"',
            f"trained = {{commands = {json.dumps(commands)}, games = {games}, hours = {folder.hours():.2f}}}",
            "",
            "",
        ]
    )
