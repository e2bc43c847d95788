"""Kernels that are complete in themselves: what they call becomes a part of them.

numba compiles a function that a kernel calls as if Python called it too: with the code that takes Python's
arguments, optimised and translated to machine code by itself. It also marks it as shared by all kernels of a
process, and the process then runs for all the one that it loaded or compiled first, although each is rounded
in its own way where sums may be reordered. Here a function that a kernel calls is kept as it was before
optimisation, once for all kernels, and a kernel is optimised together with copies of what it calls. So it is
compiled once, and its results do not depend on what else a process has compiled or loaded.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any

import numba
from llvmlite.binding import Linkage
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime.nrt import rtsys

from gammond.engine.errors import UnsupportedError
from gammond.engine.runtime.compilation import PROMPTNESS, check_may_wait

_FIRST_UNKNOWN_VERSION = (0, 69)
"""The first version of numba whose internals nobody has tried with this module; pyproject.toml has it too."""

_MACHINE_CODE = "machine code"
"""The kind of a kernel's code in files; a part's is what numba calls bitcode."""

_compiling: list[str | None] = []
"""For each kernel or part being compiled, the outer ones first, the name of what Python will call, None for a
part. The compiler's lock guards it."""


def check_version(version: str) -> None:
    """Refuse a version of numba whose internals may not fit.

    Raises:
        UnsupportedError: It is too new.
    """
    if tuple(map(int, version.split(".")[:2])) >= _FIRST_UNKNOWN_VERSION:
        bound = "{}.{}".format(*_FIRST_UNKNOWN_VERSION)
        raise UnsupportedError(
            f"expected a version of numba before {bound}, got {version}, with which gammond has not been "
            f"tried: run pip install 'numba<{bound}'"
        )


check_version(numba.__version__)


class _NoEnvironments:
    """The generator of code that is never called, so that it needs no environment of Python's objects."""

    def set_env(self, name: str, environment: object) -> None:
        """Do nothing."""


class _Code(JITCodeLibrary):
    """The code of a kernel, which is called; or of a part or anything else that kernels call.

    Only kernels are optimised and become machine code, with copies of all that they call.

    Args:
        generator: numba's.
        name: The name of the Python function.
    """

    def __init__(self, generator: Any, name: str) -> None:  # noqa: ANN401
        super().__init__(generator, name)
        self._generator = generator
        self._is_called = name == _compiling[-1]

    @property
    def codegen(self) -> Any:  # noqa: ANN401
        """What sets the addresses of environments."""
        return self._generator if self._is_called else _NoEnvironments()

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a kernel's machine code; 0 for other code."""
        if not self._is_called:
            return 0
        self._ensure_finalized()
        address: int = self._generator._engine.get_function_address(name)
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                self._generator.set_env(variable.name, environment)
        return address

    def serialize_using_object_code(self) -> Any:  # noqa: ANN401
        """Return what to write to a file."""
        if not self._is_called:
            return self.serialize_using_bitcode()
        self._ensure_finalized()
        return self.name, _MACHINE_CODE, self._get_compiled_object()

    def _optimize_final_module(self) -> None:
        if not self._is_called:
            return
        super()._optimize_final_module()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = "internal"

    def _finalize_final_module(self) -> None:
        if self._is_called:
            super()._finalize_final_module()
        else:
            self._finalize_dynamic_globals()
            self._finalized = True

    @classmethod
    def _unserialize(cls, generator: Any, state: Any) -> Any:  # noqa: ANN401
        name, kind, machine_code = state
        if kind != _MACHINE_CODE:
            return super()._unserialize(generator, state)
        code = generator.create_library(name)
        code.enable_object_caching()
        code._set_compiled_object(machine_code)
        code._finalize_final_module()
        return code


@contextmanager
def _take_compiler() -> Iterator[None]:
    """Have numba's compiler to itself, in the block.

    Raises:
        UncompiledKernel: Another thread has it, and this one does not wait for it.
    """
    if not global_compiler_lock._lock.acquire(blocking=False):
        check_may_wait()
        global_compiler_lock._lock.acquire()
    try:
        yield
    finally:
        global_compiler_lock._lock.release()


def _call_uninterrupted(work: Callable[[], Any]) -> Any:  # noqa: ANN401
    """Call what nothing may interrupt: another thread does it for the main thread, which waits.

    Ctrl-C ends the waiting, while LLVM's objects are finished and kept. A prompt thread only loads kernels.
    """
    if PROMPTNESS.is_given or threading.current_thread() is not threading.main_thread():
        return work()
    done: Future[Any] = Future()

    def act() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=act, name="compiler").start()
    return done.result()


@contextmanager
def _compile_code(called: str | None, cache: Any) -> Iterator[None]:  # noqa: ANN401
    """Make numba compile to `_Code`, in the block; other programs' code as ever.

    Args:
        called: The name of what Python will call, None for a part.
        cache: Where it is kept, released in the end.

    Raises:
        UncompiledKernel: Another thread has the compiler, and this one does not wait for it.
    """
    with _take_compiler():
        rtsys.initialize(cpu_target.target_context)  # what compiled code calls to make arrays
        generator = cpu_target.target_context.codegen()
        generator._library_class = _Code
        _compiling.append(called)
        try:
            yield
        finally:
            cache.release()
            _compiling.pop()
            if not _compiling:
                del generator._library_class


class _Part(CPUDispatcher):
    """A kernel as a part of others."""

    _cache: Any

    def compile(self, sig: Any) -> Any:  # noqa: ANN401
        """Compile it for the types of arguments, or find it in the cache."""
        with _compile_code(None, self._cache):
            return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:  # noqa: ANN401
        """Return how a caller calls it: for all values of an argument alike, where numba knows the value."""
        find_type: Any = types.unliteral
        plain_kws = {name: find_type(each) for name, each in kws.items()}
        return super().get_call_template(tuple(find_type(each) for each in args), plain_kws)


class Kernel(CPUDispatcher):
    """A kernel as Python calls it.

    Args:
        function: The Python function.
        options: Of the compiler.
        make_cache: Makes the cache of the kernel, given whether it is that of the part.
    """

    def __init__(
        self, function: Callable[..., Any], options: dict[str, Any], make_cache: Callable[[bool], Any]
    ) -> None:
        super().__init__(function, targetoptions=options)
        self._make_cache = make_cache
        self._cache = make_cache(False)

    def __reduce__(self) -> Any:  # noqa: ANN401
        """Pickle it by name, as Python's functions are."""
        return self.py_func.__qualname__

    @cached_property
    def _part(self) -> Any:  # noqa: ANN401
        part: Any = _Part(self.py_func, targetoptions={**self.targetoptions, "no_cpython_wrapper": True})
        part._cache = self._make_cache(True)
        return part

    def compile(self, sig: Any) -> Any:  # noqa: ANN401
        """Compile it for the types of arguments, or find it in the cache.

        Raises:
            UncompiledKernel: The calling thread does not wait for the compiler.
        """
        return _call_uninterrupted(partial(self._compile_here, sig))

    def _compile_here(self, sig: Any) -> Any:  # noqa: ANN401
        with _compile_code(self.py_func.__qualname__, self._cache):
            return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:  # noqa: ANN401
        """Return how another kernel calls it."""
        return self._part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:  # noqa: ANN401
        """Return what another kernel calls."""
        return self._part.get_overload(sig)
