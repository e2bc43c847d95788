"""The nets of wildbg as an opponent, with small nets of the same form."""

import builtins
import hashlib

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from gammond.engine.errors import DataFileError, UnsupportedError
from gammond.engine.play.player import EvaluatorPlayer
from gammond.engine.rules.position import Phase, classify_phases
from gammond.nets.catalogue import collect_net_hashes, load_evaluator, load_player
from gammond.nets.encoders import get_encoder
from gammond.nets.players.wildbg import make_wildbg_net, to_cumulative
from tests.support import boards

INPUTS = {"contact": 202, "race": 186}


def write_wildbg(folder, seed: int = 0):
    """Write nets as wildbg's are: one row, nameless ports, six classes by softmax. Return their weights."""
    weights = {}
    for kind, inputs in INPUTS.items():
        matrix = (np.random.default_rng(seed + inputs).standard_normal((inputs, 6)) / 10).astype(np.float32)
        nodes = [
            helper.make_node("MatMul", ["onnx::Gemm_0", "w"], ["15"]),
            helper.make_node("Softmax", ["15"], ["16"]),
        ]
        ports = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, width])
            for name, width in (("onnx::Gemm_0", inputs), ("16", 6))
        ]
        graph = helper.make_graph(nodes, "net", ports[:1], ports[1:], [numpy_helper.from_array(matrix, "w")])
        onnx.save(
            helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
            str(folder / f"{kind}.onnx"),
        )
        weights[kind] = matrix
    return weights


def classes_of(kind, matrix, sample):
    """The six classes by hand."""
    encoder = get_encoder(f"wildbg{INPUTS[kind]}")
    exponents = np.exp(encoder.encode(sample).astype(np.float64) @ matrix)
    return exponents / exponents.sum(axis=1, keepdims=True)


def test_inputs_of_contact_are_units_of_both_sides_in_the_players_numbering():
    position = boards.position(x={25: 2, 24: 1, 6: 5, 1: 2}, o={0: 1, 2: 4, 23: 3})
    inputs = get_encoder("wildbg202").encode(position.board[None])[0]
    own, opposing = inputs[2:102].reshape(25, 4), inputs[102:].reshape(25, 4)
    assert inputs[:2].tolist() == [5, 7]
    assert {i: row.tolist() for i, row in enumerate(own) if row.any()} == {
        0: [0, 1, 0, 0],
        1: [0, 1, 0, 0],
        6: [0, 0, 1, 2],
        24: [1, 0, 0, 0],
    }
    assert {i: row.tolist() for i, row in enumerate(opposing) if row.any()} == {
        0: [1, 0, 0, 0],
        2: [0, 0, 1, 1],
        23: [0, 0, 1, 0],
    }


def test_inputs_of_races_leave_out_what_no_race_has():
    position = boards.position(x={1: 3, 23: 2}, o={24: 1})
    inputs = get_encoder("wildbg186").encode(position.board[None])[0]
    own, opposing = inputs[2:94].reshape(23, 4), inputs[94:].reshape(23, 4)
    assert inputs[:2].tolist() == [10, 14]
    assert {i + 1: row.tolist() for i, row in enumerate(own) if row.any()} == {
        1: [0, 0, 1, 0],
        23: [0, 1, 0, 0],
    }
    assert {i + 2: row.tolist() for i, row in enumerate(opposing) if row.any()} == {24: [1, 0, 0, 0]}


def test_six_classes_add_up_to_five_cumulative_probabilities():
    classes = np.array([[0.3, 0.15, 0.05, 0.25, 0.15, 0.1]], np.float32)
    assert to_cumulative(classes)[0].tolist() == pytest.approx([0.5, 0.2, 0.05, 0.25, 0.1])


@pytest.mark.parametrize("kind", INPUTS)
def test_a_net_made_for_one_row_evaluates_many_at_a_time(tmp_path, kind):
    matrix = write_wildbg(tmp_path)[kind]
    sample = boards.random_boards(700, seed=1)
    net = make_wildbg_net(
        kind, get_encoder(f"wildbg{INPUTS[kind]}"), (tmp_path / f"{kind}.onnx").read_bytes()
    )
    got = net.evaluate(sample)
    assert np.allclose(got, to_cumulative(classes_of(kind, matrix, sample).astype(np.float32)), atol=1e-5)
    assert got[100:103].tobytes() == net.evaluate(sample[100:103]).tobytes()


def test_races_go_to_the_race_net_and_all_contact_to_the_other(tmp_path):
    weights = write_wildbg(tmp_path)
    sample = boards.random_boards(400, seed=2)
    is_race = classify_phases(sample) == Phase.RACE
    win = [classes_of(kind, weights[kind], sample)[:, :3].sum(axis=1) for kind in ("race", "contact")]
    assert {bool(race) for race in is_race} == {True, False}
    assert np.allclose(
        load_evaluator(f"wildbg:{tmp_path}").evaluate(sample)[:, 0], np.where(is_race, *win), atol=1e-5
    )


def test_it_is_an_evaluator_and_a_player_by_the_name_of_its_folder(tmp_path):
    write_wildbg(tmp_path)
    name = f"wildbg:{tmp_path}"
    assert load_evaluator(name).name == "wildbg"
    assert isinstance(load_player(name), EvaluatorPlayer)
    digests = [hashlib.sha256((tmp_path / f"{kind}.onnx").read_bytes()).hexdigest() for kind in INPUTS]
    assert collect_net_hashes(name) == dict(zip(("wildbg contact", "wildbg race"), digests, strict=True))


def test_missing_and_foreign_files_are_errors(tmp_path):
    with pytest.raises(DataFileError, match=r"contact\.onnx cannot be read"):
        load_player(f"wildbg:{tmp_path}")
    write_wildbg(tmp_path)
    (tmp_path / "race.onnx").write_bytes((tmp_path / "contact.onnx").read_bytes())
    with pytest.raises(DataFileError, match=r"wildbg race has an input of shape \['n', 202\]"):
        load_player(f"wildbg:{tmp_path}")
    (tmp_path / "race.onnx").write_text("no net at all")
    with pytest.raises(DataFileError, match="wildbg race is not a model"):
        load_player(f"wildbg:{tmp_path}")
    (tmp_path / "race.onnx").write_bytes(b"")
    with pytest.raises(DataFileError, match="wildbg race is not a model"):
        load_player(f"wildbg:{tmp_path}")


def test_without_the_package_onnx_the_error_says_what_to_install(tmp_path, monkeypatch):
    write_wildbg(tmp_path)
    imported = builtins.__import__

    def without_onnx(name, *args, **options):
        if name == "onnx":
            raise ImportError(name)
        return imported(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without_onnx)
    with pytest.raises(UnsupportedError, match=r"pip install '.\[export\]' in the checkout"):
        load_player(f"wildbg:{tmp_path}")
