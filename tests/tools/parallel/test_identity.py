"""What a program is made of, and what is said where two differ."""

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from gammond.engine.errors import StateError
from gammond.engine.kernels import disk_cache
from gammond.tools.parallel import identity
from gammond.tools.parallel.identity import check_identity, read_identity
from tests.support.processes import ROOT, run_python


@pytest.fixture(scope="module")
def hash_of_files():
    first, again = identity._hash_files(), identity._hash_files()
    assert first == again
    return first


def test_an_identity_names_version_sources_processor_arithmetic_and_libraries():
    own = read_identity()
    assert str(own).startswith("gammond ")
    assert f"{own.processor}, arithmetic {own.arithmetic}" in str(own)
    assert own.processor.startswith(disk_cache.processor_name())
    assert len(own.sources) == 64
    assert any(library.startswith("numpy ") for library in own.libraries)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"processor": "another"}, "their processors round differently"),
        ({"arithmetic": "another"}, "their processors round differently"),
        ({"databases": ("one-sided 12x15",)}, "the data folders have other bearoff databases"),
        ({"version": "0.0"}, "install the same on every machine"),
        ({"version": "0.0", "processor": "another"}, "install the same on every machine"),
    ],
)
def test_another_program_is_refused_with_what_to_do(changes, message):
    with pytest.raises(StateError, match=message):
        check_identity(replace(read_identity(), **changes))


@pytest.mark.parametrize(
    "name",
    [
        *("engine/cubeful/data/Kazaross-XG2.txt", "nets/manifest.toml", "nets/weights/strong-race.onnx"),
        *(
            "nets/weights/opening-book.sqlite",
            "nets/weights/pubeval/WT.race",
            "engine/kernels/nets/expert248.py",
        ),
        *("nets/weights/fast-contact.onnx", "engine/barca/evaluation.py"),
    ],
)
def test_every_file_that_shapes_a_result_is_part_of_the_identity(name, monkeypatch, hash_of_files):
    """Other bytes of the match equity table, the manifest, a net or the book are another program."""
    read_bytes = Path.read_bytes
    changed = ROOT / name
    assert changed.exists()
    monkeypatch.setattr(Path, "read_bytes", lambda file: b"" if file == changed else read_bytes(file))
    assert identity._hash_files() != hash_of_files


def test_what_python_and_editors_leave_behind_is_no_part_of_the_identity(tmp_path, monkeypatch):
    package = SimpleNamespace(__name__="package", __path__=[str(tmp_path)])
    monkeypatch.setattr(identity, "_PACKAGES", (package,))
    (tmp_path / "module.py").write_text("1")
    own = identity._hash_files()
    for name in ("__pycache__/module.pyc", ".module.py.swp", "module.py~", "data/book.sqlite-wal"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("2")
    assert identity._hash_files() == own
    (tmp_path / "data" / "table.xml").write_text("3")
    assert identity._hash_files() != own


def test_features_count_where_processors_have_one_name(monkeypatch):
    disk_cache.identify_target.cache_clear()
    own = disk_cache.identify_target()
    disk_cache.identify_target.cache_clear()
    monkeypatch.setattr(disk_cache, "get_host_cpu_features", lambda: "+avx2,-avx512f")
    hidden = disk_cache.identify_target()
    disk_cache.identify_target.cache_clear()
    assert own.rpartition("-")[0] == hidden.rpartition("-")[0] == disk_cache.processor_name()
    assert own != hidden


def test_what_is_computed_is_the_same_each_time_and_one_bit_more_is_seen(monkeypatch):
    own = identity._hash_arithmetic()
    assert own == identity._hash_arithmetic()
    monkeypatch.setattr(np, "tanh", lambda numbers: np.nextafter(numbers, 1))
    assert identity._hash_arithmetic() != own


def test_all_can_compile_for_a_common_processor():
    common = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
    code = "from gammond.engine.kernels.disk_cache import identify_target; print(identify_target())"
    printed = run_python(code, env=os.environ | common)
    assert printed.stdout.startswith("x86-64-v3-e3b0c442")  # the hash of no features
