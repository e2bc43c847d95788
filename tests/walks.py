"""The modules of the engine that a request passes, once it has been asked before: ``python -m tests.walks``.

Compiled code passes no modules: of a kernel the module counts that Python calls.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import gammond

ROOT = Path(__file__).resolve().parents[1]
ROOMS = tuple(f"{ROOT / package}/" for package in ("engine", "nets"))
GAME = """ 5 point match

 Game 1
 ann : 0                             bob : 0
  1) 31: 8/5 6/5                      64: 24/14
  2) 52: 13/8 13/11                   66: 24/18 14/8(2)
  3)  Doubles => 2                     Drops
      Wins 1 point
"""


def list_walks() -> dict[str, Callable[[], object]]:
    """Return the requests, each answered once so that files and kernels are loaded."""
    one, two = gammond.Engine(threads=1), gammond.Engine(threads=2)
    start, match = gammond.Position.start(), gammond.read_match(GAME.encode())
    walks: dict[str, Callable[[], object]] = {
        "a 0-ply evaluation": lambda: one.evaluate(start),
        "a 2-ply ranking": lambda: one.rank(start, (3, 1), plies=2),
        "the same, two threads": lambda: two.rank(start, (3, 1), plies=2),
        "a rollout": lambda: one.rollout(start, trials=36, truncation=7),
        "a match file": lambda: gammond.read_match(GAME.encode()),
        "a match analysis": lambda: one.analyse(match, plies=1),
    }
    for walk in walks.values():
        walk()
    return walks


def list_modules(walk: Callable[[], object]) -> list[str]:
    """Return the modules of engine and nets whose functions a request calls, in any thread."""
    passed: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(ROOMS):
            passed.add(frame.f_code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        walk()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return sorted(str(Path(each).relative_to(ROOT)) for each in passed)


def main() -> None:
    """Print the number of modules of each walk, or their names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--names", action="store_true", help="name the modules")
    args = parser.parse_args()
    for name, walk in list_walks().items():
        modules = list_modules(walk)
        names = "".join(f"  {module}\n" for module in modules) if args.names else ""
        sys.stdout.write(f"{name:<24}{len(modules):>4}\n{names}")


if __name__ == "__main__":
    main()
