"""Compiled kernels on disk: one folder per module, named after a hash of the sources that it compiles.

numba's own cache misses edits in functions that a cached one calls from another file. So the name of a folder
has a hash of the module's source and of every source of this program that it imports. A kernel opens its
folder at its first call: importing a kernel reads and writes nothing.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import platform
import shutil
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import llvmlite.binding
import numba
import platformdirs
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    _CacheLocator,
)
from numba.core.codegen import get_host_cpu_features
from numba.core.event import Listener, register

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.built_files import build_alone
from gammond.engine.runtime.compilation import COMPILATION, check_may_wait
from gammond.engine.runtime.files import check_private_folder, make_private_folder
from gammond.engine.runtime.machine import is_disk_full
from gammond.engine.runtime.version import hash_modules

_PARTS = "parts"
_STALE_AFTER_S = 30 * 24 * 3600.0
_PATIENCE_S = 300.0
"""For how long a process waits for a kernel that another one compiles, which may have been stopped."""

_READABLE = 0o755
"""The mode of folders whose kernels all users may run: only who can write them decides what is run."""

_FOLDER_LOCK = threading.Lock()


class KernelCache:
    """The cache of one kernel, in place of numba's own; it opens its folder on first use.

    Args:
        function: The Python function of the kernel.
        is_part: Whether it is for the kernel as a part of others.

    Attributes:
        name: Of the kernel, and whether it is a part.
    """

    def __init__(self, function: Callable[..., Any], is_part: bool) -> None:
        self.name = f"{function.__module__}.{function.__qualname__}{' as a part' if is_part else ''}"
        self._function = function
        self._is_part = is_part
        self._files: tuple[_Files, ...] | None = None
        self._claims = contextlib.ExitStack()
        self._is_claimed = False

    def load_overload(self, signature: Any, target_context: Any) -> Any:  # noqa: ANN401  (numba's)
        """Return the compiled form of a signature, None if it must be compiled.

        While another process compiles the kernel, this one waits for the result.

        Raises:
            UncompiledKernel: It must be, and the calling thread does not wait for that.
        """
        compiled = self._read(signature, target_context)
        if compiled is None:
            check_may_wait()
            _report_compiling()
            self._claim()
            compiled = self._read(signature, target_context)
        return compiled

    def _read(self, signature: Any, target_context: Any) -> Any:  # noqa: ANN401
        for files in self._find_files():
            compiled = _read_overload(files, signature, target_context)
            if compiled is not None:
                COMPILATION.known.add(self.name)
                return compiled
        return None

    def _claim(self) -> None:
        """Wait for another process that compiles the kernel; make others wait until `release`."""
        waits: list[bool] = []

        def note_wait() -> None:
            waits.append(True)
            COMPILATION.begin(self.name)

        for files in () if self._is_claimed else self._find_files()[-1:]:
            self._claims.enter_context(build_alone(files.index, note_wait, silent_s=0.0, most_s=_PATIENCE_S))
            self._is_claimed = True
        if waits:
            COMPILATION.end(self.name)
        if not COMPILATION.claims_kernels:
            self.release()

    def release(self) -> None:
        """Let other processes have what this one has compiled, or could not."""
        self._claims.close()
        self._is_claimed = False

    def save_overload(self, signature: Any, compiled: Any) -> None:  # noqa: ANN401  (numba's)
        """Store the compiled form of a signature, if a folder can be written."""
        for files in self._find_files()[-1:]:
            try:
                files.save_overload(signature, compiled)  # type: ignore[no-untyped-call]
            except OSError as error:
                _report_unsaved(error)

    def _find_files(self) -> tuple[_Files, ...]:
        with _FOLDER_LOCK:
            if self._files is None:
                folders = find_folders(self._function.__module__)
                if self._is_part:
                    folders = _make_folders([folder / _PARTS for folder in folders])
                self._files = tuple(_Files(folder, self._function) for folder in folders)
            return self._files


class _Contents(CompileResultCacheImpl, _CacheLocator):
    """The place and name of a function's files, and what is written of a compiled form.

    Args:
        folder: Where they are: it stands for the sources, wherever these are installed.
        function: The function.
    """

    def __init__(self, folder: Path, function: Callable[..., Any]) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._folder = str(folder)
        self._locator = self
        name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, getattr(sys, "abiflags", ""))  # type: ignore[no-untyped-call]

    def get_cache_path(self) -> str:
        """Return the folder."""
        return self._folder

    def get_source_stamp(self) -> None:
        """Return nothing: other sources have another folder."""

    def get_disambiguator(self) -> str:
        """Return the line of the function."""
        return str(self._lineno)

    def reduce(self, compiled: Any) -> Any:  # noqa: ANN401  (numba's)
        """Leave out environments without constants: they have no use, but reading one imports its module."""
        *fields, environments = super().reduce(compiled)  # type: ignore[no-untyped-call]
        return (*fields, tuple(each for each in environments if each.consts))


class _Writer(IndexDataCacheFile):
    """numba's writer of files; only their user can change them, whatever his umask allows."""

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[BinaryIO]:
        part = f"{filepath}.tmp.{uuid.uuid4().hex[:16]}"
        try:
            with open(part, "xb", opener=lambda name, flags: os.open(name, flags, 0o644)) as file:
                yield file
            os.replace(part, filepath)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(part)
            raise


class _Files(FunctionCache):
    """numba's cache files of a function.

    Args:
        folder: Where they are.
        function: The function.

    Attributes:
        index: The file that lists the others.
    """

    def __init__(self, folder: Path, function: Callable[..., Any]) -> None:
        self._impl_class = functools.partial(_Contents, folder)  # type: ignore[assignment]
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._cache_file.__class__ = _Writer
        self.index = Path(self._cache_file._index_path)


def hash_sources(module: str) -> str:
    """Return a hash of a module's source, of all its imports from this program, and the compiler's version.

    Args:
        module: The module's full name.

    Returns:
        16 hexadecimal digits.
    """
    compiler = f"numba {numba.__version__} python {sys.version}"
    return hashlib.sha256(f"{compiler}\n{hash_modules(module)}".encode()).hexdigest()[:16]


def cache_root() -> Path:
    """Return the folder of all caches of this program: ``GAMMOND_CACHE``, or the system's cache folder."""
    return Path(os.environ.get("GAMMOND_CACHE") or platformdirs.user_cache_dir("gammond"))


def processor_name() -> str:
    """Return the compiler's name of the processor that kernels are compiled for."""
    name: str = numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name()  # type: ignore[attr-defined]
    return name


def _list_features() -> str:
    features = numba.config.CPU_FEATURES  # type: ignore[attr-defined]
    return str(get_host_cpu_features() if features is None else features)  # type: ignore[no-untyped-call]


@functools.cache
def identify_target() -> str:
    """Return the processor that kernels are compiled for, and a hash of its features: both decide on bits.

    A virtual machine may hide features of the processor whose name it shows.
    """
    return f"{processor_name()}-{hashlib.sha256(_list_features().encode()).hexdigest()[:8]}"


def identify_rounding() -> str:
    """Return the family of the processor, as far as sums of evaluations differ with it in their last bits.

    It is empty on x86-64 with fused multiplication and addition, whatever the width of its vectors.
    """
    machine = platform.machine().lower()
    is_usual = machine in ("x86_64", "amd64") and "+fma" in _list_features().split(",")
    return "" if is_usual else machine


@functools.cache
def find_folders(module: str) -> tuple[Path, ...]:
    """Return the folders with a module's kernels, made if needed: the last one is for what is compiled.

    Args:
        module: The module's full name.

    Returns:
        The cache folder; where that can only be read, it and a folder of this process; where it cannot be
        trusted, the latter; none where none can be made.
    """
    name = f"{module}-{hash_sources(module)}"
    folders = _make_folders([parent / name for parent in _prepare_parents(cache_root() / "kernels")])
    for folder in folders:
        with contextlib.suppress(OSError):
            os.utime(folder)
    return folders


def _make_folders(wanted: Sequence[Path]) -> tuple[Path, ...]:
    """Make folders; return those that are there."""
    for folder in wanted:
        with contextlib.suppress(OSError):
            folder.mkdir(mode=_READABLE, exist_ok=True)
    return tuple(folder for folder in wanted if folder.is_dir())


@functools.cache
def _prepare_parents(parent: Path) -> tuple[Path, ...]:
    """Return the folders of all modules, and delete what was unused for a month.

    Compiled kernels are code that is run: a folder that others can write is not used.
    """
    try:
        make_private_folder(parent.parent, _READABLE)
        make_private_folder(parent, _READABLE)
        check_private_folder(parent)
    except (OSError, DataFileError) as error:
        COMPILATION.keeps_kernels = False
        reason = error.message if isinstance(error, DataFileError) else error.strerror
        sys.stderr.write(
            f"gammond: cannot use {parent} ({reason}), so kernels are compiled at each start; set "
            "GAMMOND_CACHE to a folder that you alone can write\n"
        )
        return _make_temporary_folder()
    try:
        with tempfile.TemporaryFile(dir=parent):
            pass
    except OSError:  # what others prepared, as in an image
        COMPILATION.keeps_kernels = False
        return parent, *_make_temporary_folder()
    for other in parent.iterdir():
        with contextlib.suppress(OSError):  # another process may drop it at the same time
            if time.time() - other.stat().st_mtime > _STALE_AFTER_S:
                shutil.rmtree(other, ignore_errors=True)
    return (parent,)


def _report_unsaved(error: OSError) -> None:
    """Say once that compiled kernels cannot be kept."""
    if COMPILATION.keeps_kernels and not COMPILATION.is_silent:
        COMPILATION.keeps_kernels = False
        advice = "make room for 20 MB there" if is_disk_full(error) else "let this user write it"
        sys.stderr.write(
            f"gammond: cannot write into {cache_root()} ({error.strerror}), so kernels are compiled at each "
            f"start; {advice}, or set GAMMOND_CACHE to another folder\n"
        )


def _make_temporary_folder() -> tuple[Path, ...]:
    """Make a folder of this process; return nothing if none can be made."""
    try:
        folder = tempfile.mkdtemp(prefix="gammond-kernels-")
    except OSError:
        return ()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return (Path(folder),)


def _read_overload(files: Any, signature: Any, target_context: Any) -> Any:  # noqa: ANN401  (numba's)
    """Read a compiled form, None if there is none, without the tables that only compiling needs.

    ``files.load_overload`` first fills numba's tables of types and operations, which takes longer than
    loading all kernels of an answer; the compiler fills them itself.
    """
    try:
        return files._load_overload(signature, target_context)
    except Exception:  # a file that was cut short raises anything; what is compiled takes its place
        with contextlib.suppress(OSError):
            files.flush()
        return None


class _CompileListener(Listener):
    """Hands the beginning and the end of compiling a kernel, failures included, to the report."""

    def on_start(self, event: Any) -> None:  # noqa: ANN401  (numba's)
        """Report a beginning."""
        if isinstance(event.data["dispatcher"]._cache, KernelCache):
            COMPILATION.begin(event.data["dispatcher"]._cache.name)

    def on_end(self, event: Any) -> None:  # noqa: ANN401  (numba's)
        """Report an end."""
        if isinstance(event.data["dispatcher"]._cache, KernelCache):
            COMPILATION.end(event.data["dispatcher"]._cache.name)


@functools.cache
def _report_compiling() -> None:
    """Report on stderr, from the kernel on that numba is about to compile."""
    parent = cache_root() / "kernels"
    if len(_prepare_parents(parent)) > 1 and not COMPILATION.is_silent:
        sys.stderr.write(
            f"gammond: {parent} lacks kernels and cannot be written, so they are compiled at each start; "
            "`gammond prepare` as a user who can write it compiles them once\n"
        )
    register("numba:compile", _CompileListener())  # type: ignore[no-untyped-call]
