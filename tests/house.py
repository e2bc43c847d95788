"""The weight of the source by room: ``python -m tests.house [--since COMMIT] [--tree COMMIT]``.

A row is a room: a folder below one of the packages, or the modules beside the folders. Files are
modules with ``__init__.py``, which modules do not count; classes and functions count those inside others too.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

PACKAGES = ("engine", "nets", "protocol", "tools", "gammond", "tests")
WINGS = (
    *("engine/hypergammon", "tools/hypergammon", "nets/heritage", "tools/heritage"),
    *("tools/train", "tools/measure", "tools/gnubg", "tools/bench"),
)
"""What somebody who works on the product need not know, with other games: heritage, training, laboratory."""

COUNTS = ("lines", "files", "modules", "classes", "functions")

Weights = Mapping[str, Counter[str]]


def read_tree(commit: str) -> dict[str, str]:
    """Return the text files of a commit by path; of the working tree for an empty string."""
    listing = ["git", "ls-tree", "-r", "--name-only", commit] if commit else ["git", "ls-files"]
    names = [name for name in _run(listing).splitlines() if name.endswith((".py", ".js", ".md", ".toml"))]
    if not commit:
        found = {}
        for name in names:
            try:
                with open(name, encoding="utf-8") as file:
                    found[name] = file.read()
            except FileNotFoundError:
                continue
        return found
    request = "".join(f"{commit}:{name}\n" for name in names)
    answer = subprocess.run(
        ["git", "cat-file", "--batch"], input=request.encode(), capture_output=True, check=True
    )
    return dict(zip(names, _split_batch(answer.stdout), strict=True))


def weigh(files: Mapping[str, str]) -> dict[str, Counter[str]]:
    """Return lines, files, modules, classes and functions by room, and of the page's scripts."""
    weights: dict[str, Counter[str]] = {}
    for name, text in files.items():
        path = PurePosixPath(name)
        if path.parts[0] not in PACKAGES or path.suffix not in (".py", ".js"):
            continue
        if path.suffix == ".js":
            room = "page (js)" if path.parts[0] == "protocol" else "tests (js)"
        else:
            room = "/".join(path.parts[:2]) if len(path.parts) > 2 else f"{path.parts[0]}/*.py"
        count = weights.setdefault(room, Counter())
        count["lines"] += text.count("\n")
        count["files"] += 1
        count["modules"] += path.name != "__init__.py"
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(text)):
                count["classes"] += isinstance(node, ast.ClassDef)
                count["functions"] += isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return weights


def find_game_rooms(rooms: Iterable[str]) -> tuple[str, ...]:
    """Return the rooms of other games than backgammon: those that have one in `engine` and in `protocol`."""
    by_floor = {floor: {room.split("/")[1] for room in rooms if room.startswith(floor)} for floor in PACKAGES}
    games = by_floor["engine"] & by_floor["protocol"] - {"*.py"}
    return tuple(f"{floor}/{game}" for floor in PACKAGES for game in sorted(games & by_floor[floor]))


def weigh_rest(files: Mapping[str, str]) -> Counter[str]:
    """Return what is not source: contracts and lines of ``pyproject.toml``, words of docs, glossary rows."""
    rest: Counter[str] = Counter()
    project = files["pyproject.toml"]
    rest["import contracts"] = len(tomllib.loads(project)["tool"]["importlinter"]["contracts"])
    rest["lines of pyproject.toml"] = project.count("\n")
    for name, text in files.items():
        if name == "README.md" or (name.startswith("docs/") and name.endswith(".md")):
            rest["words of docs"] += len(text.split())
    glossary = files.get("docs/reference/glossary.md", "")
    rest["glossary rows"] = sum(line.startswith("| ") and "---" not in line for line in glossary.splitlines())
    rest["glossary rows"] -= glossary.count("| word | meaning |")
    return rest


def sum_up(weights: Weights) -> Iterator[tuple[str, Counter[str]]]:
    """Yield the rows of the table: rooms, each package, all source, the source without wings."""
    python = {room: count for room, count in weights.items() if not room.endswith("(js)")}
    for package in PACKAGES:
        rooms = sorted(room for room in python if room.split("/")[0] == package)
        yield from ((room, python[room]) for room in rooms)
        yield package.upper(), _add(python[room] for room in rooms)
    source = {room: count for room, count in python.items() if not room.startswith("tests/")}
    yield "SOURCE", _add(source.values())
    wings = (*WINGS, *find_game_rooms(source))
    yield "WITHOUT WINGS", _add(count for room, count in source.items() if not room.startswith(wings))
    yield from ((room, weights[room]) for room in sorted(weights) if room.endswith("(js)"))


def format_table(files: Mapping[str, str], before: Mapping[str, str] | None) -> str:
    """Return the table as text, with the change of each number since the other tree, if there is one."""
    weights, rest = weigh(files), weigh_rest(files)
    old = dict(sum_up(weigh(before))) if before is not None else {}
    rows = [f"{'':24}" + "".join(f"{name:>20}" for name in COUNTS)]
    found = dict(sum_up(weights))
    for room in [*found, *(room for room in old if room not in found)]:
        count, former = found.get(room, Counter()), old.get(room, Counter())
        cells = (_format(count[name], former[name], before is not None) for name in COUNTS)
        rows.append(f"{room:24}" + "".join(f"{cell:>20}" for cell in cells))
    rest_before = weigh_rest(before) if before is not None else Counter()
    rows += (
        f"{name:24}{_format(number, rest_before[name], before is not None):>20}"
        for name, number in rest.items()
    )
    return "\n".join(rows)


def _format(number: int, before: int, is_compared: bool) -> str:
    change = f" ({number - before:+,})" if is_compared and number != before else ""
    return f"{number:,}{change}"


def _add(counts: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return total


def _split_batch(data: bytes) -> Iterator[str]:
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        size = int(data[at:end].split()[2])
        yield data[end + 1 : end + 1 + size].decode()
        at = end + 1 + size + 1


def _run(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", metavar="COMMIT", help="show how each number changed since a commit")
    parser.add_argument("--tree", metavar="COMMIT", default="", help="weigh a commit, not the working tree")
    options = parser.parse_args()
    before = read_tree(options.since) if options.since else None
    sys.stdout.write(format_table(read_tree(options.tree), before) + "\n")


if __name__ == "__main__":
    main()
