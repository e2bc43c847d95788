"""What a program is made of, and what is said where two differ."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import StateError
from engine.kernels import disk_cache
from tools.parallel import identity
from tools.parallel.identity import check_identity, read_identity

ROOT = Path(__file__).resolve().parents[3]


def test_an_identity_names_version_sources_processor_arithmetic_and_libraries():
    own = read_identity()
    assert str(own).startswith("gammond ")
    assert f"{own.processor}, arithmetic {own.arithmetic}" in str(own)
    assert own.processor.startswith(disk_cache.processor_name())
    assert len(own.sources) == 64
    assert any(library.startswith("numpy ") for library in own.libraries)


@pytest.mark.parametrize("field", ["processor", "arithmetic"])
def test_another_processor_is_refused_with_what_to_do(field):
    with pytest.raises(StateError, match="their processors round differently"):
        check_identity(replace(read_identity(), **{field: "another"}))


@pytest.mark.parametrize("changes", [{"version": "0.0"}, {"version": "0.0", "processor": "another"}])
def test_another_program_is_refused_with_what_to_do(changes):
    with pytest.raises(StateError, match="install the same on every machine"):
        check_identity(replace(read_identity(), **changes))


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
    code = "from engine.kernels.disk_cache import identify_target; print(identify_target())"
    printed = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | common, cwd=ROOT, capture_output=True, check=True
    )
    assert printed.stdout.decode().startswith("x86-64-v3-e3b0c442")  # the hash of no features
