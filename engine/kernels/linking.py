"""Kernels that are complete in themselves: what they call becomes a part of them.

numba compiles a function that a kernel calls as if Python called it too: with the code that takes Python's
arguments, optimised and translated to machine code by itself. It also marks it as shared by all kernels of a
process, and the process then runs for all the one that it loaded or compiled first, although each is rounded
in its own way where sums may be reordered. Here a function that a kernel calls is kept as it was before
optimisation, once for all kernels, and a kernel is optimised together with copies of what it calls. So it is
compiled once, and its results do not depend on what else a process has compiled or loaded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from typing import Any

from llvmlite import binding
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import codegen, cpu, types
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime.nrt import rtsys

_PART, _KERNEL = "part", "kernel"
"""Kinds of code in files: not optimised, to be linked; machine code, to be called."""

_ENVIRONMENT_PREFIX = "_ZN08NumbaEnv"


class _Compiling(threading.local):
    """What a thread is compiling.

    Attributes:
        callers: For each kernel or part, the outer ones first, the name of what Python will call, None for a
            part.
    """

    def __init__(self) -> None:
        self.callers: list[tuple[str, str] | None] = []


_COMPILING = _Compiling()


@contextmanager
def _compiling(called: tuple[str, str] | None) -> Iterator[None]:
    if not _COMPILING.callers:
        with global_compiler_lock:
            _install()
            rtsys.initialize(cpu_target.target_context)  # what compiled code calls to make arrays
    _COMPILING.callers.append(called)
    try:
        yield
    finally:
        _COMPILING.callers.pop()


class _Part(CPUDispatcher):
    """A kernel as a part of others."""

    def compile(self, sig: Any) -> Any:  # noqa: ANN401
        """Compile it for the types of arguments, or find it in the cache."""
        with _compiling(None):
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
        """Compile it for the types of arguments, or find it in the cache."""
        with _compiling((self.py_func.__module__, self.py_func.__qualname__)):
            return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:  # noqa: ANN401
        """Return how another kernel calls it."""
        return self._part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:  # noqa: ANN401
        """Return what another kernel calls."""
        return self._part.get_overload(sig)


@cache
def _install() -> None:
    """Make numba compile parts, from now on, of whatever a kernel calls; other programs' code as ever."""
    library_class: Any = codegen.JITCodeLibrary
    optimize, finalize = library_class._optimize_final_module, library_class._finalize_final_module
    serialize, unserialize = library_class.serialize_using_object_code, library_class._unserialize
    context_class: Any = cpu.CPUContext
    get_executable = context_class.get_executable
    find_environment: Any = lookup_environment
    generator_class: Any = codegen.JITCPUCodegen
    set_environment = generator_class.set_env

    def optimize_kernel(library: Any) -> None:  # noqa: ANN401
        if not _COMPILING.callers:
            optimize(library)
        elif getattr(library, "is_called", False):
            optimize(library)
            for function in library._final_module.functions:
                if not function.is_declaration and function.linkage == binding.Linkage.linkonce_odr:
                    function.linkage = "internal"

    def finalize_kernel(library: Any) -> None:  # noqa: ANN401
        if not _COMPILING.callers or getattr(library, "is_called", False):
            finalize(library)
        else:
            library._finalize_dynamic_globals()
            library._finalized = True

    def get_executable_of_kernel(context: Any, library: Any, descriptor: Any, env: Any) -> Any:  # noqa: ANN401
        if not _COMPILING.callers:
            return get_executable(context, library, descriptor, env)
        if _COMPILING.callers[-1] != (descriptor.modname, descriptor.qualname):
            never_called = (descriptor.lookup_module(), descriptor.qualname, "", 0, env, (library,))
            return _dynfunc.make_function(*never_called)
        library.is_called = True
        executable = get_executable(context, library, descriptor, env)
        for variable in library._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT_PREFIX):
                environment = find_environment(variable.name)
                if environment is not None:
                    library.codegen.set_env(variable.name, environment)
        return executable

    def set_environment_of_kernel(generator: Any, name: str, environment: Any) -> None:  # noqa: ANN401
        if _COMPILING.callers[-1:] != [None]:
            set_environment(generator, name, environment)

    def serialize_kernel(library: Any) -> Any:  # noqa: ANN401
        if not _COMPILING.callers:
            return serialize(library)
        library._ensure_finalized()
        if not getattr(library, "is_called", False):
            return library.name, _PART, library._get_module_for_linking().as_bitcode()
        names = [each.name for each in library.get_defined_functions()]
        return library.name, _KERNEL, (library._get_compiled_object(), names)

    def unserialize_kernel(cls: Any, generator: Any, state: Any) -> Any:  # noqa: ANN401
        name, kind, data = state
        if kind not in (_PART, _KERNEL):
            return unserialize.__func__(cls, generator, state)
        library = generator.create_library(name)
        if kind == _PART:
            library._final_module = library._shared_module = binding.parse_bitcode(data)
            library._finalize_dynamic_globals()
            library._finalized = True
            return library
        machine_code, names = data
        library.enable_object_caching()
        library._set_compiled_object(machine_code)
        finalize(library)
        library.is_called = True
        library.codegen._engine._defined_symbols.update(names)
        return library

    result_class: Any = CompileResult
    find_environments = result_class._find_referenced_environments

    def find_environments_with_constants(result: Any) -> Any:  # noqa: ANN401
        # An environment without constants is of no use, but to load it imports the module of its function.
        return [each for each in find_environments(result) if each.consts or not _COMPILING.callers]

    result_class._find_referenced_environments = find_environments_with_constants
    library_class._optimize_final_module = optimize_kernel
    library_class._finalize_final_module = finalize_kernel
    library_class.serialize_using_object_code = serialize_kernel
    library_class._unserialize = classmethod(unserialize_kernel)
    generator_class.set_env = set_environment_of_kernel
    context_class.get_executable = get_executable_of_kernel
