"""Files that are not gammond's, named to every option that writes: refused, and left as they are."""

from __future__ import annotations

import argparse
import multiprocessing.connection
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from gammond.__main__ import main
from gammond.tools.common.command_options import written_path
from gammond.tools.completion import build_parser
from tests.attacks.server import ROOT, Home
from tests.attacks.trial import Attack, Trial, expect
from tests.engine.store.samples import ENGINE, make_entry, make_question

_NOTES = "notes of mine\n" * 500
_TRIES_AT_ONCE = 2
_ENDS_S = 120.0

_RUN_FILES = ("run.toml.old", "checkpoint.npz", "best.npz", "log.jsonl", "mine-contact.onnx", "money-0.sgf")
"""What a folder of somebody else may have that tools write, too."""


class Output(NamedTuple):
    """An option that names what is written, in a command that comes as far as that.

    Attributes:
        words: The command; FILE is the value of the option, other words in capitals are files of `_INPUTS`.
        name: A name that the option takes.
        read: The input that the option must not name either.
        is_folder: Whether it names a folder.
        is_database: Whether it names a file of SQLite.
    """

    words: str
    name: str = "mine"
    read: str = ""
    is_folder: bool = False
    is_database: bool = False


_STORES = {
    f"{tool} --store": Output(f"{tool} 4HPwATDgc/ABMA{dice} --store file=FILE", is_database=True)
    for tool, dice in (("eval", ""), ("hint", " --dice 3 1"), ("cube", ""), ("matrix", ""))
}

OUTPUTS = {
    **_STORES,
    "rollout --state": Output("rollout 4HPwATDgc/ABMA --dice 3 1 --trials 36 --state FILE"),
    "analyse --output": Output("analyse MATCH --plies 0 --output FILE", read="MATCH"),
    "convert --output": Output("convert MATCH --to mat --output FILE", read="MATCH"),
    "batch --output": Output("batch POSITIONS --output FILE", "mine.csv", "POSITIONS"),
    "serve --archive": Output("serve --web 127.0.0.1:0 --archive FILE", is_database=True),
    "serve --store": Output("serve --tcp 127.0.0.1:0 --store file=FILE", is_database=True),
    "bearoff make --output": Output("bearoff make --kind one-sided --points 1 --output FILE"),
    "hypergammon build --output": Output("hypergammon build --checkers 1 --output FILE"),
    "store status --file": Output("store status --file FILE", is_database=True),
    "store export --file": Output("store export --file FILE", is_database=True),
    "store export --output": Output("store export --file STORE --output FILE", read="STORE"),
    "store import --file": Output("store import ENTRIES --file FILE", read="ENTRIES", is_database=True),
    "store verify --file": Output("store verify --file FILE", is_database=True),
    "store book --output": Output("store book --output FILE"),
    "store deepen --file": Output("store deepen --for 1s --file FILE", is_database=True),
    "accounts list --file": Output("accounts list --file FILE", is_database=True),
    "accounts reset --file": Output("accounts reset Ann --file FILE", is_database=True),
    "accounts remove --file": Output("accounts remove Ann --file FILE", is_database=True),
    "tournament --keep": Output("tournament random pubeval --games 4 --keep FILE"),
    "tournament --records": Output("tournament random pubeval --games 4 --records FILE", is_folder=True),
    "tournament --csv": Output("tournament random pubeval --games 4 --csv FILE"),
    "tournament --plot": Output("tournament random pubeval --games 4 --plot FILE", "mine.png"),
    "gnubg-match --records": Output("gnubg-match --games 2 --matches 0 --records FILE", is_folder=True),
    "measure frontier --plot": Output("measure frontier pubeval --decisions 4 --plot FILE", "mine.svg"),
    "train label out": Output("train label FILE --positions 64", is_folder=True),
    "train validation-set out": Output("train validation-set FILE --classes race=2", is_folder=True),
    "train cube-set out": Output("train cube-set FILE --trials 0", is_folder=True),
    "train vary mimic folder": Output("train vary mimic FILE seed=3 --method play", is_folder=True),
    "train plot --output": Output("train plot RUN --output FILE", "mine.pdf"),
    "train validate-cube --output": Output("train validate-cube SET default --output FILE", read="SET"),
    "export --folder": Output("export RUN --name mine --folder FILE", is_folder=True),
    "heritage expert-moves --output": Output(
        "heritage expert-moves MATCH --output FILE", "mine.npz", "MATCH"
    ),
}
"""Each option, by its command and its name; those of trainers are alike (`find_output`)."""


def list_options() -> Iterator[tuple[str, argparse.Action, bool]]:
    """Yield all options that name what is written, each with its command and whether that takes --force.

    The parsers of the program say which they are: by the type of the option, or by a field for a file.
    """

    def walk(command: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.Action, bool]]:
        has_force = any("--force" in action.option_strings for action in parser._actions)
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for name, each in action.choices.items():
                    yield from walk(f"{command} {name}".strip(), each)
            elif action.type is written_path or any(
                field.name == "file" for field in getattr(action, "fields", ())
            ):
                yield command, action, has_force

    yield from walk("", build_parser())


def name_option(command: str, action: argparse.Action) -> str:
    """Return the name of an option in `OUTPUTS`."""
    return f"{command} {action.option_strings[-1] if action.option_strings else action.dest}"


def find_output(command: str, action: argparse.Action) -> Output | None:
    """Return how an option is tried; None if nobody has said."""
    vary = " seed=3" if command.startswith("train vary ") else ""
    if (output := OUTPUTS.get(name_option(command, action))) is not None:
        return output
    if action.dest in ("run", "folder") and not action.option_strings:
        return Output(f"{command} FILE{vary}", is_folder=True)
    return Output(f"{command} RUN{vary} --plot FILE", "mine.png") if action.dest == "plot" else None


_INPUTS: dict[str, Callable[[Path], object]] = {
    "MATCH": lambda file: file.write_text(" 1 point match\n\n Game 1\n a : 0   b : 0\n  1) 31: 8/5 6/5\n"),
    "POSITIONS": lambda file: file.write_text("4HPwATDgc/ABMA\n"),
    "STORE": lambda file: _write_store(file),
    "ENTRIES": lambda file: file.write_text('{"format": "gammond store 1"}\n'),
    "SET": lambda file: file.write_text("# no decision\n"),
    "RUN": lambda file: None,
}
"""What commands read, by the word for it."""


def _write_store(file: Path) -> None:
    from gammond.engine.store.database import StoreDatabase

    database = StoreDatabase(file)
    with database.write():
        database.put(make_question(), ENGINE, make_entry(), 0)
    database.close()


def _write_database(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE diary (day TEXT)")
    connection.execute("INSERT INTO diary VALUES (?)", (_NOTES,))
    connection.commit()
    connection.close()


class _Try(NamedTuple):
    """A command that must be refused.

    Attributes:
        what: What it is, for people.
        words: Its words.
        folder: Where all of it lies; nothing there may change.
        shown: What the message must name.
    """

    what: str
    words: list[str]
    folder: Path
    shown: str


def _list_tries(name: str, output: Output, *, has_force: bool, folder: Path) -> Iterator[_Try]:
    """Prepare all that is tried with an option, each in a folder of its own."""

    def prepare(kind: str) -> tuple[Path, list[str]]:
        place = folder / f"{name.replace(' ', '-')}-{kind}"
        place.mkdir()
        for word, write in _INPUTS.items():
            if word in output.words.replace("=", " ").split():
                write(place / word)
        return place, [str(place / word) if word in _INPUTS else word for word in output.words.split()]

    def fill_in(words: list[str], file: Path) -> list[str]:
        return [word.replace("FILE", str(file)) for word in words]

    place, words = prepare("foreign")
    target = place / output.name
    if output.is_folder:
        for each in (target, target / "3"):  # the second is for trainers that make a folder of each run
            each.mkdir()
            for file in _RUN_FILES:
                (each / file).write_text(_NOTES)
    else:
        target.write_text(_NOTES)
    yield _Try(f"{name} on a file of somebody else", fill_in(words, target), place, output.name)

    if output.is_database:
        place, words = prepare("database")
        _write_database(place / output.name)
        tried = fill_in(words, place / output.name)
        yield _Try(f"{name} on a database of somebody else", tried, place, output.name)

    if not output.is_folder:
        place, words = prepare("folder")
        tried = fill_in(words, place / "typo" / output.name)
        yield _Try(f"{name} in a folder that is not there", tried, place, "typo")

    if output.read:
        place, words = prepare("input")
        force = ["--force"] if has_force else []
        yield _Try(f"{name} on its input", fill_in([*words, *force], place / output.read), place, output.read)


def read_tree(folder: Path) -> dict[str, bytes | None]:
    """Return all that is below a folder: the bytes of files, None for folders."""
    return {
        str(file.relative_to(folder)): file.read_bytes() if file.is_file() else None
        for file in sorted(folder.rglob("*"))
    }


_PROCESSES = multiprocessing.get_context("forkserver")
_ASKING = threading.Lock()
"""Starting a process asks all others for their exit status, which only one thread can read."""

_PACKAGES = ("gammond", "pytest")


def _be_gammond(words: list[str], environment: dict[str, str], errors: Path) -> None:
    """Be the command in a process of its own, from the first line of the program on."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    for descriptor, file in enumerate((os.devnull, os.devnull, errors)):
        os.dup2(os.open(file, os.O_RDWR | os.O_CREAT), descriptor)
    sys.argv[1:] = words
    sys.exit(main())


def _check_try(home: Home, tried: _Try) -> None:
    before = read_tree(tried.folder)
    errors = tried.folder.with_name(f"{tried.folder.name}.log")
    process = _PROCESSES.Process(target=_be_gammond, args=(tried.words, home.environment, errors))
    with _ASKING:
        process.start()
    multiprocessing.connection.wait([process.sentinel], _ENDS_S)
    with _ASKING:
        process.join(0)
        if process.exitcode is None:
            process.kill()
            process.join()
    stderr = errors.read_text("utf-8")
    said = stderr[-400:]
    expect(process.exitcode == 2, f"{tried.what}: exit status {process.exitcode}, {said!r}")
    expect("Traceback" not in stderr, f"{tried.what}: {said!r}")
    expect(tried.shown in stderr, f"{tried.what}: {tried.shown} is not named in {said!r}")
    after = read_tree(tried.folder)
    changed = [name for name in {**before, **after} if before.get(name, 0) != after.get(name, 0)]
    expect(not changed, f"{tried.what}: {', '.join(changed)} changed")


def overwrite_files(trial: Trial) -> str:
    """Name files of somebody else, the input and missing folders to all options that name what is written."""
    tries: list[_Try] = []
    count = 0
    for command, action, has_force in list_options():
        output = find_output(command, action)
        expect(output, f"nobody has said how {name_option(command, action)} is tried: OUTPUTS")
        assert output is not None
        name, folder = name_option(command, action), trial.home.folder
        tries += _list_tries(name, output, has_force=has_force, folder=folder)
        count += 1
    # Importing takes a process as long as all it does: those below begin with what the parsers have imported.
    imported = [module for module in sys.modules if module.partition(".")[0] in _PACKAGES]
    _PROCESSES.set_forkserver_preload([__name__, *imported])
    with ThreadPoolExecutor(_TRIES_AT_ONCE) as threads:
        for done, _ in enumerate(threads.map(lambda each: _check_try(trial.home, each), tries), 1):
            trial.note(f"{done} of {len(tries)}")
    return f"{len(tries)} files named to {count} options, none of them changed"


ATTACKS = (
    Attack("outputs", "files of others and inputs, named to every option that writes", overwrite_files),
)
