"""Net files: determinism, and files that are not what they should be."""

import os
import subprocess
import sys

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.kernels.disk_cache import cache_root
from gammond.engine.runtime.files import data_folder
from gammond.nets.onnx_model import OnnxModel
from tests.nets.net_files import write_net


def _model(folder, sizes=(196, 8, 5), **options) -> OnnxModel:
    """A model of a net with random weights."""
    file = write_net(folder / "net.onnx", sizes, **options)
    return OnnxModel(file.name, file.read_bytes(), 196, 5)


def _inputs(rows: int):
    generator = np.random.default_rng(5)
    return (generator.random((rows, 196)) < 0.1).astype(np.float32) * np.float32(0.7)


@pytest.fixture(params=[(196, 80, 5), (196, 128, 5), (196, 512, 256, 5)], ids=str)
def model(request, tmp_path):
    """A model of a size that might be shipped."""
    return _model(tmp_path, request.param)


def test_results_are_the_same_bytes_whatever_the_batch_and_the_order(model):
    inputs = _inputs(1024)
    whole = model.run(inputs)
    for rows in (1, 2, 3, 15, 16, 17, 100, 1000):
        parts = [model.run(inputs[start : start + rows]) for start in range(0, 1024, rows)]
        assert np.concatenate(parts).tobytes() == whole.tobytes()
    order = np.random.default_rng(6).permutation(1024)
    assert model.run(inputs[order]).tobytes() == whole[order].tobytes()


def test_results_are_those_of_the_weights(tmp_path):
    model = _model(tmp_path, (196, 5), seed=3)
    generator = np.random.default_rng(3)
    matrix = (generator.standard_normal((196, 5)) / np.sqrt(196)).astype(np.float32)
    bias = (generator.standard_normal(5) / 10).astype(np.float32)
    inputs = _inputs(20)
    assert np.allclose(model.run(inputs), 1 / (1 + np.exp(-(inputs @ matrix + bias))), atol=1e-6)


def test_no_rows_give_no_rows(model):
    assert model.run(np.empty((0, 196), np.float32)).shape == (0, 5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no processes")
def test_a_forked_process_makes_its_own_session(tmp_path):
    model = _model(tmp_path)
    expected = model.run(_inputs(3)).tobytes()
    parents = model._session
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        same = model.run(_inputs(3)).tobytes() == expected
        os.write(writer, b"y" if same and model._session is not parents else b"n")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 1) == b"y"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": (202, 8, 5)}, r"input of shape \['n', 202\], expected \[n, 196\]"),
        ({"sizes": (196, 8, 6)}, r"output called outcome of shape \['n', 6\], expected \[n, 5\]"),
        ({"rows": 1}, r"input of shape \[1, 196\]"),
        ({"last": "values"}, "0 output called outcome tensors, expected 1"),
        (-200, "not a model that onnxruntime can load"),
        (0, "not a model that onnxruntime can load"),
    ],
)
def test_a_file_that_is_not_such_a_net_is_an_error(tmp_path, options, message):
    """Of other inputs, outputs or rows, with an output of another name, cut, or empty."""
    file = write_net(tmp_path / "net.onnx", **(options if isinstance(options, dict) else {}))
    content = file.read_bytes() if isinstance(options, dict) else file.read_bytes()[:options]
    with pytest.raises(DataFileError, match=rf"net\.onnx.*{message}"):
        OnnxModel("net.onnx", content, 196, 5).check()


def test_a_second_output_is_not_run(tmp_path):
    model = _model(tmp_path, outputs=2)
    model.check()
    assert model.run(np.zeros((3, 196), np.float32)).shape == (3, 5)


def test_onnxruntime_collects_no_usage_data(tmp_path):
    """With an empty home, running a net leaves nothing there that gammond did not put there."""
    code = "from gammond.nets.catalogue import load_evaluator\n"
    code += "from gammond.engine.rules.position import Position\n"
    code += "load_evaluator().evaluate(Position.start().board[None])"
    kept = {"GAMMOND_CACHE": str(cache_root()), "GAMMOND_DATA": str(data_folder())}
    home = tmp_path / "home"
    home.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    subprocess.run([sys.executable, "-c", code], env=environment | kept | {"HOME": str(home)}, check=True)
    assert list(home.rglob("*")) == []
