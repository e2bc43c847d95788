"""Kernels as parts of others: compiled once, the same as alone, and no trouble for other programs' code.

And threads that do not wait for the compiler.
"""

import pickle
import re
import signal
import threading
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock

from gammond.engine.errors import UnsupportedError
from gammond.engine.kernels import DECORATORS, borrowing, disk_cache, kernel, linking
from gammond.engine.kernels.linking import check_version
from gammond.engine.runtime.compilation import PROMPTNESS, UncompiledKernel

_PROJECT = Path(__file__).parents[3] / "pyproject.toml"

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


_unused_types = iter((np.int8, np.uint8, np.int16, np.int32, np.uint16, np.uint32, np.uint64))


@kernel
def _scale(values, factor, shift):
    scaled = np.empty_like(values)
    for i in range(values.shape[0]):
        scaled[i] = values[i] * factor + shift
    return scaled


@kernel
def _scale_twice(values):
    return _scale(_scale(values, 3, 1), 2, 5)


@kernel
def _make_grid(value):
    grid = np.full((1, 1, 1, 1, 1, 1, 1, 2), value)
    return grid[0, 0, 0, 0, 0, 0, 0, 1]


@borrowing
def _read_grid(values):
    return _make_grid(values[0])


@numba.njit
def _scale_elsewhere(values):
    return _scale(values, 3, 1) + 1


class NoCache(NullCache):
    def release(self):
        """There is nothing to release."""


def test_the_page_on_the_house_has_a_row_for_every_decorator():
    page = (_PROJECT.parent / "docs" / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| .* \|\n", page[page.index("| decorator |") :], re.MULTILINE)
    assert rows[: len(DECORATORS)] == [each.__name__ for each in DECORATORS]


def test_a_kernel_gives_the_same_from_python_and_in_another_kernel():
    values = np.arange(4.0)
    expected = (values * 3 + 1) * 2 + 5
    assert _scale_twice(values).tolist() == expected.tolist()
    assert _scale(_scale(values, 3, 1), 2, 5).tolist() == expected.tolist()
    assert _scale_twice(values).tolist() == expected.tolist()


def test_a_part_makes_arrays_even_if_its_first_caller_borrows(monkeypatch):
    for each in (_read_grid, _make_grid._part):
        monkeypatch.setattr(each, "_cache", NoCache())
    assert _read_grid(np.array([0.5])) == 0.5


@pytest.fixture
def parts(monkeypatch):
    """What one compilation made of a kernel that another calls twice, whatever is in the cache of kernels."""
    for each in (_scale, _scale._part, _scale_twice):
        monkeypatch.setattr(each, "_cache", NoCache())
    before = set(_scale._part.overloads)
    _scale_twice(np.arange(4, dtype=next(_unused_types)))
    return [part for types, part in _scale._part.overloads.items() if types not in before]


def test_a_part_is_compiled_once_for_all_values_and_has_no_machine_code_of_its_own(parts):
    (part,) = parts
    assert not part.library.get_pointer_to_function(part.fndesc.llvm_func_name)


@pytest.fixture
def uncompiled(monkeypatch):
    """An argument for `_scale` of a type for which nothing is compiled or in the cache."""
    monkeypatch.setattr(disk_cache, "_read_overload", lambda *_: None)
    return np.arange(4, dtype=next(_unused_types))


def test_an_interrupt_ends_the_waiting_for_a_kernel_and_not_its_compilation(monkeypatch, uncompiled):
    """Compiling spends its seconds in LLVM, so that most interrupts come there."""
    compile_machine_code, has_ended = linking._Code._finalize_final_module, threading.Event()

    def interrupt(code):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        assert has_ended.wait(60)
        compile_machine_code(code)

    monkeypatch.setattr(linking._Code, "_finalize_final_module", interrupt)
    with pytest.raises(KeyboardInterrupt):
        _scale(uncompiled, 3, 1)
    monkeypatch.undo()
    has_ended.set()
    for thread in threading.enumerate():
        if thread.name == "compiler":
            thread.join(60)
    monkeypatch.setattr(linking._Code, "_finalize_final_module", None)  # nothing is compiled a second time
    assert _scale(uncompiled, 3, 1).tolist() == [1, 4, 7, 10]


def test_an_error_of_the_compiler_is_raised_where_the_kernel_was_called(monkeypatch, uncompiled):
    def fail(code):
        raise MemoryError

    monkeypatch.setattr(linking._Code, "_finalize_final_module", fail)
    with pytest.raises(MemoryError):
        _scale(uncompiled, 3, 1)
    monkeypatch.undo()
    assert _scale(uncompiled, 3, 1).tolist() == [1, 4, 7, 10]


def test_a_prompt_thread_leaves_compiling_to_another(uncompiled):
    with PROMPTNESS, pytest.raises(UncompiledKernel):
        _scale(uncompiled, 3, 1)
    with ThreadPoolExecutor(1) as other:
        other.submit(_scale, uncompiled, 3, 1).result()
    with PROMPTNESS:
        assert _scale(uncompiled, 3, 1).tolist() == [1, 4, 7, 10]


def test_a_prompt_thread_does_not_wait_while_another_compiles(uncompiled):
    has_compiler, may_end = threading.Event(), threading.Event()

    def compile_something():
        with global_compiler_lock:
            has_compiler.set()
            may_end.wait()

    with ThreadPoolExecutor(1) as other:
        compiling = other.submit(compile_something)
        has_compiler.wait()
        with PROMPTNESS, pytest.raises(UncompiledKernel):
            _scale(uncompiled, 3, 1)
        may_end.set()
        compiling.result()


def test_a_thread_that_is_prompt_no_longer_compiles(uncompiled):
    with PROMPTNESS, pytest.raises(UncompiledKernel):
        _scale(uncompiled, 3, 1)
    assert _scale(uncompiled, 3, 1).tolist() == [1, 4, 7, 10]


def test_compiled_functions_of_other_programs_call_kernels():
    values = np.arange(3.0)
    assert _scale_elsewhere(values).tolist() == (values * 3 + 2).tolist()
    other = numba.njit(lambda x: np.zeros(2) + x)
    assert other(1.5).tolist() == [1.5, 1.5]


def test_a_kernel_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(_scale)) is _scale


def test_a_version_of_numba_after_the_bound_of_the_package_is_refused():
    (needed,) = [
        each
        for each in tomllib.loads(_PROJECT.read_text())["project"]["dependencies"]
        if each.startswith("numba")
    ]
    bound = needed.partition("<")[2]
    check_version("0.62.0")
    check_version(f"0.{int(bound.partition('.')[2]) - 1}.9")
    for version in (f"{bound}.0", f"{bound}.0rc1", "1.0.0"):
        with pytest.raises(UnsupportedError, match=f"before {bound}, got {version}, .* pip install"):
            check_version(version)
