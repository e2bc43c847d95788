"""Kernels that are complete in themselves.

A compiled kernel contains the functions that it calls, compiled for this caller. numba marks them as shared
by all kernels of a process, and the process then runs for all the one that it loaded or compiled first. Each
is rounded in its own way where sums may be reordered, so results would depend on what else a process has
done. Here each kernel keeps its own functions to itself.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from llvmlite import binding
from numba.core import codegen


@cache
def keep_functions_apart() -> None:
    """From now on, compile kernels that share no functions with others."""
    library_class: Any = codegen.CPUCodeLibrary
    optimize = library_class._optimize_final_module

    def optimize_and_separate(library: Any) -> None:  # noqa: ANN401  (numba's)
        optimize(library)
        # Other kernels link a copy, in which all functions are still shared: so each is there once.
        library._shared_module = library._final_module.clone()
        for function in library._shared_module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = "linkonce_odr"
        for function in library._final_module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.linkonce_odr:
                function.linkage = "internal"

    library_class._optimize_final_module = optimize_and_separate
