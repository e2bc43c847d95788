"""Small ONNX nets and manifests, made for the tests that read them."""

import hashlib
import itertools
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def write_net(
    file: Path,
    sizes=(196, 8, 5),
    *,
    seed: int = 0,
    rows: int | str = "n",
    outputs: int = 1,
    last: str = "outcome",
) -> Path:
    """Write a net of given layer sizes with random weights: ReLU between layers, sigmoid at the end."""
    generator = np.random.default_rng(seed)
    nodes, weights = [], []
    current = "x"
    for layer, (fan_in, fan_out) in enumerate(itertools.pairwise(sizes)):
        matrix = generator.standard_normal((fan_in, fan_out)) / np.sqrt(fan_in)
        bias = generator.standard_normal(fan_out) / 10
        weights.append(numpy_helper.from_array(matrix.astype(np.float32), f"w{layer}"))
        weights.append(numpy_helper.from_array(bias.astype(np.float32), f"b{layer}"))
        is_last = layer == len(sizes) - 2
        after = last if is_last else f"a{layer}"
        nodes.append(helper.make_node("Gemm", [current, f"w{layer}", f"b{layer}"], [f"z{layer}"]))
        nodes.append(helper.make_node("Sigmoid" if is_last else "Relu", [f"z{layer}"], [after]))
        current = after
    ports = [("x", sizes[0]), (last, sizes[-1]), ("z0", sizes[1])]
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [rows, width]) for name, width in ports]
    graph = helper.make_graph(nodes, "net", infos[:1], infos[1 : 1 + outputs], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(file))
    return file


def write_entries(folder: Path, phases: Mapping[str, str], **changes: str) -> str:
    """Write nets, and return their entries in a manifest.

    Args:
        folder: Where.
        phases: The phase of each net by its name.
        **changes: What keys of the first entry have instead; '' leaves one out.
    """
    entries = []
    for name, phase in phases.items():
        file = write_net(folder / f"{name}.onnx", seed=len(phase))
        values = {
            "name": f'"{name}"',
            "file": f'"{file.name}"',
            "phase": f'"{phase}"',
            "encoder": '"tesauro196"',
            "hidden": "[8]",
            "outputs": '"cumulative5"',
            "sha256": f'"{hashlib.sha256(file.read_bytes()).hexdigest()}"',
        }
        if not entries:
            values.update(changes)
        entries.append("[[net]]\n" + "".join(f"{key} = {value}\n" for key, value in values.items() if value))
    return "".join(entries)


def write_manifest(folder: Path, **changes: str) -> Path:
    """Write two nets and a manifest of them; changes are those of `write_entries`."""
    entries = write_entries(folder, {f"tiny-{phase}": phase for phase in ("contact", "race")}, **changes)
    evaluator = '[[evaluator]]\nname = "tiny"\ncontact = "tiny-contact"\nrace = "tiny-race"\n'
    manifest = folder / "manifest.toml"
    manifest.write_text(f'default = "tiny"\n{entries}{evaluator}', "utf-8")
    return manifest
