"""Our modules import on systems without POSIX: nothing at import takes a module that Windows lacks."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

CHECK = """
import builtins, importlib, pkgutil, sys

PACKAGES = ("engine", "nets", "protocol", "tools")
POSIX = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
EXTRAS = {"gnubg_nn", "h11", "matplotlib", "onnx", "starlette", "torch", "uvicorn", "websockets"}
real_import = builtins.__import__


def guarded_import(name, globals=None, *rest):
    importer = (globals or {}).get("__name__", "")
    if name in POSIX and importer.partition(".")[0] == "gammond":
        raise ImportError(f"{importer} imports {name}")
    return real_import(name, globals, *rest)


builtins.__import__ = guarded_import
imported = 0
for package in PACKAGES:
    path = importlib.import_module(f"gammond.{package}").__path__
    for module in pkgutil.walk_packages(path, f"gammond.{package}."):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if error.name.partition(".")[0] not in EXTRAS:
                raise
        imported += 1
print(imported)
"""


def test_every_module_imports_without_posix_modules():
    ended = subprocess.run(
        [sys.executable, "-c", CHECK], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 300
