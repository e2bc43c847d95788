"""Nets in compiled loops against the runtime, the reference."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnx
import pytest

from gammond.nets import compiled_net
from gammond.nets.catalogue import load_evaluator
from gammond.nets.compiled_net import TOLERANCE, CompiledNet, check_once, load_net
from gammond.nets.encoders import get_encoder
from gammond.nets.manifest import read_manifest
from gammond.nets.onnx_layers import read_layers
from gammond.nets.onnx_model import NetEvaluator, OnnxModel
from gammond.nets.router import Router
from tests.nets.net_files import write_manifest, write_net
from tests.support import boards


def test_all_nets_of_evaluators_are_compiled_and_agree_with_the_runtime():
    sample = boards.random_boards(300, seed=1)
    for entry in read_manifest().evaluator_nets:
        net = load_net(entry)
        assert isinstance(net, CompiledNet)
        by_runtime = NetEvaluator(net.name, net.encoder, net.model).evaluate(sample)
        np.testing.assert_allclose(net.evaluate(sample), by_runtime, rtol=0, atol=TOLERANCE)


def test_a_router_of_compiled_nets_agrees_with_one_by_the_runtime():
    evaluator = load_evaluator()
    assert isinstance(evaluator, Router)
    assert not evaluator.leaves.asked
    assert len(evaluator.leaves.nets.packed.nets) == 5
    sample = boards.played_boards(evaluator, 800, seed=2)
    *contact, race = (
        NetEvaluator(net.name, net.encoder, net.model) for net in (*evaluator.contact, evaluator.race[0])
    )
    by_runtime = Router("runtime", contact, race, exact=evaluator._exact)
    assert len(by_runtime.leaves.asked) == 5
    np.testing.assert_allclose(
        evaluator.evaluate(sample), by_runtime.evaluate(sample), rtol=0, atol=TOLERANCE
    )


def test_two_threads_give_the_same_bytes():
    evaluator = load_evaluator()
    sample = boards.random_boards(1000, seed=3)
    whole = evaluator.evaluate(sample).tobytes()
    with ThreadPoolExecutor(2) as pool:
        assert {each.tobytes() for each in pool.map(evaluator.evaluate, [sample] * 8)} == {whole}


def _load_first(file):
    return load_net(read_manifest(file).nets[0], file.parent)


def test_a_net_that_differs_from_the_runtime_runs_by_the_runtime_and_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GAMMOND_CACHE", str(tmp_path))
    monkeypatch.setattr(compiled_net, "find_folders", lambda module: (tmp_path,))
    monkeypatch.setattr(CompiledNet, "agrees_with_runtime", lambda self: False)
    assert isinstance(_load_first(write_manifest(tmp_path)), NetEvaluator)
    assert "net tiny-contact evaluates differently" in capsys.readouterr().err


@pytest.fixture
def net(tmp_path, monkeypatch):
    """A net whose mark would lie in a folder of this test."""
    monkeypatch.setattr(compiled_net, "find_folders", lambda module: (tmp_path,))
    return _load_first(write_manifest(tmp_path))


@pytest.fixture
def asked(net, monkeypatch):
    """The nets for which the runtime was asked, and agreed, since this one was loaded."""
    found = []
    monkeypatch.setattr(CompiledNet, "agrees_with_runtime", lambda self: not found.append(self))
    return found


def test_the_runtime_is_asked_once(net, asked, monkeypatch):
    for digest, count in (("f", 1), ("f", 1), ("e", 2)):
        assert check_once(net, digest * 64)
        assert len(asked) == count
    monkeypatch.setattr(compiled_net, "find_folders", lambda module: ())
    assert check_once(net, "f" * 64)
    assert len(asked) == 3


@pytest.mark.parametrize("function", ["identify_target", "hash_sources"])
def test_the_runtime_is_asked_again_for_other_features_of_the_processor_or_other_sources(
    net, asked, monkeypatch, function
):
    """Two processors of one name may have different features, as in virtual machines."""
    assert check_once(net, "f" * 64)
    asked.clear()
    monkeypatch.setattr(compiled_net, function, lambda *_: "another")
    assert check_once(net, "f" * 64)
    assert len(asked) == 1


def test_the_mark_of_one_who_prepared_is_found_where_nothing_can_be_written(
    net, asked, tmp_path, monkeypatch
):
    assert check_once(net, "f" * 64)
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setattr(compiled_net, "find_folders", lambda module: (tmp_path, own))
    assert check_once(net, "f" * 64)
    assert len(asked) == 1


def test_other_weights_than_the_runtimes_are_noticed(tmp_path):
    net = _load_first(write_manifest(tmp_path))
    assert net.agrees_with_runtime()
    changed = onnx.load(str(write_net(tmp_path / "other.onnx", (196, 8, 5), seed=9))).SerializeToString()
    net.model = OnnxModel("other", changed, 196, 5)
    assert not net.agrees_with_runtime()


@pytest.mark.parametrize("hidden", [(), (300, 7), (64, 64, 64, 64)])
def test_any_number_of_layers_compiles(tmp_path, hidden):
    content = write_net(tmp_path / "net.onnx", (248, *hidden, 5)).read_bytes()
    encoder = get_encoder("expert248")
    layers = read_layers(content)
    assert compiled_net.can_compile(encoder, layers)
    others = read_layers(write_net(tmp_path / "others.onnx", (202, 8, 5)).read_bytes())
    assert not compiled_net.can_compile(get_encoder("wildbg202"), others)
    assert CompiledNet("net", encoder, layers, OnnxModel("net", content, 248, 5)).agrees_with_runtime()
