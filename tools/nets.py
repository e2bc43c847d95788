"""`gammond nets`: list, check and remove nets.

The nets of one's own are in the data folder (GAMMOND_DATA, or the system's folder for user data), below
nets/: `gammond export` writes them, and they are found by name wherever shipped nets are.

    gammond nets                   all nets: origin, sizes, how they were made
    gammond nets check [NAME ...]  read and run all nets, or these
    gammond nets remove NAME ...   remove nets of one's own
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from engine.errors import GammondError, UnsupportedError, ValueRangeError
from engine.options import did_you_mean
from engine.rules.rules import STANDARD_RULES
from engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from engine.wording import format_count
from nets.catalogue import FoundEvaluator, find_evaluator
from nets.compiled_net import CompiledNet
from nets.manifest import MANIFEST_FILE, MANIFEST_NAME, read_manifest
from nets.own_nets import find_own_folder, find_own_kind, list_own_folders
from nets.player_kinds import NoOptions
from nets.provenance import StrengthRecord, read_provenance
from tools.common.own_nets import remove_own_net

SUMMARY = "list, check and remove nets, the shipped ones and one's own"

_ROLL = (3, 1)

_LIST, _CHECK, _REMOVE = "list", "check", "remove"


@dataclass(frozen=True)
class NetListing:
    """A net by name.

    Attributes:
        name: Its name.
        is_own: Whether it is in the data folder.
        nets: Its parts: what each was trained on, its encoder and the sizes of its hidden layers.
        commands: How it was made.
        strengths: As measured.
        problem: Why it cannot be used; empty if nothing is wrong.
    """

    name: str
    is_own: bool
    nets: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    strengths: tuple[StrengthRecord, ...] = ()
    problem: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "action", nargs="?", choices=(_LIST, _CHECK, _REMOVE), default=_LIST, help="what to do (default list)"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="nets (default all; remove needs them)")
    parser.add_argument("--json", action="store_true", help="list as one JSON object instead of text")


def main(args: argparse.Namespace) -> int:
    """List, check or remove.

    Returns:
        0; 1 where a net that was checked has a fault.

    Raises:
        GammondError: A name is unknown, or a net cannot be removed.
    """
    if args.action == _REMOVE:
        return _remove(args.names)
    known = list_all_names()
    for name in args.names:
        if name not in known:
            raise ValueRangeError(
                f"expected a net ({', '.join(known)}), got {name[:40]!r}{did_you_mean(name, known)}",
                field="name",
            )
    names = args.names or known
    if args.action == _CHECK:
        return _check(names)
    listings = [describe_net(name) for name in names]
    if args.json:
        sys.stdout.write(msgspec.json.encode(listings).decode() + "\n")
    else:
        sys.stdout.write("".join(map(_format_listing, listings)))
    return 0


def list_all_names() -> list[str]:
    """List all nets by name, those with a fault too; the default first and one's own last."""
    manifest = read_manifest()
    shipped = sorted((each.name for each in manifest.evaluators), key=lambda name: name != manifest.default)
    return shipped + list_own_folders()


def describe_net(name: str) -> NetListing:
    """Describe a net from its manifest; its files are not read."""
    is_own = name in list_own_folders()
    try:
        parts: tuple[str, ...]
        if kind := find_own_kind(name):
            file, names, parts = find_own_folder(name) / MANIFEST_NAME, {name}, (kind.summary,)
        else:
            found = find_evaluator(name)
            file, names, parts = found.file, set(found.net_hashes), _describe_parts(found)
        provenance = read_provenance(file)
        made = dict.fromkeys(
            command
            for training in provenance.trainings
            if not names.isdisjoint(training.nets)
            for command in training.commands
        )
        strengths = tuple(
            StrengthRecord(each.opponent, each.points_per_game, each.standard_error, each.games)
            for each in provenance.strengths
            if each.evaluator == name
        )
    except GammondError as error:
        return NetListing(name, is_own, problem=error.message)
    return NetListing(name, is_own, parts, tuple(made), strengths)


def check_net(name: str) -> str:
    """Read the nets of an evaluator, compare them with the manifest, and evaluate the opening position.

    A net that plays as a player chooses an opening play.

    Returns:
        What was checked, in words.

    Raises:
        GammondError: A net is missing, altered or of another shape than the manifest says.
    """
    if kind := find_own_kind(name):
        kind.make(NoOptions(), MANIFEST_FILE).choose_one(STANDARD_RULES.starting_position, _ROLL)
        return "1 net as the manifest says (it plays)"
    found = find_evaluator(name)
    opening = STANDARD_RULES.starting_position.board[None]
    kinds = []
    for net_name in found.net_hashes:
        net = found.load_net(net_name)
        net.evaluate(opening)
        kinds.append("compiled" if isinstance(net, CompiledNet) else "by onnxruntime")
    runs = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    return f"{format_count(len(kinds), 'net')} as the manifest says ({runs})"


def _check(names: Sequence[str]) -> int:
    faults = 0
    for name in names:
        try:
            result = check_net(name)
        except GammondError as error:
            faults += 1
            result = f"cannot be used: {error.message}"
        sys.stdout.write(f"{name}: {result}\n")
    return EXIT_FAULTS if faults else EXIT_OK


def _remove(names: Sequence[str]) -> int:
    if not names:
        raise UnsupportedError("expected the names of the nets to remove", field="name")
    for name in names:
        sys.stdout.write(f"{name}: removed from {remove_own_net(name).parent}\n")
    return 0


def _describe_parts(found: FoundEvaluator) -> tuple[str, ...]:
    parts = []
    for phase, name in found.entry.nets_by_phase.items():
        net = found.manifest.find_net(name)
        parts.append(f"{phase} {net.encoder} {'-'.join(map(str, net.hidden))}")
    return tuple(parts)


def _format_listing(listing: NetListing) -> str:
    lines = [f"{listing.name}: {'your own' if listing.is_own else 'shipped'}"]
    if listing.problem:
        lines.append(f"cannot be used: {listing.problem}")
    lines += [
        *listing.nets,
        *(
            f"{each.points_per_game:+.3f} ± {each.standard_error:.3f} points per game against "
            f"{each.opponent} ({each.games:,} games)"
            for each in listing.strengths
        ),
    ]
    if listing.is_own:
        lines += listing.commands
    return "\n    ".join(lines) + "\n"
