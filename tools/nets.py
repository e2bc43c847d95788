"""`gammond nets`: list, check and remove nets.

The nets of one's own are in the data folder (GAMMOND_DATA, or the system's folder for user data), below
nets/: `gammond export` writes them, and they are found by name wherever shipped nets are.

    gammond nets                   all nets: origin, sizes, how they were made
    gammond nets check [NAME ...]  read and run all nets, or these
    gammond nets remove NAME ...   remove nets of one's own
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Struct

from gammond.engine.errors import GammondError, UnsupportedError, ValueRangeError
from gammond.engine.options import did_you_mean
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.wording import format_count
from gammond.nets.catalogue import SHIPPED, FoundEvaluator
from gammond.nets.compiled_net import CompiledNet
from gammond.nets.manifest import MANIFEST_NAME, find_own_folder, list_own_folders
from gammond.tools.common.command_options import ToolCommand, argument, option
from gammond.tools.common.net_records import StrengthRecord, read_provenance
from gammond.tools.common.own_nets import remove_own_net

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


class NetsOptions(Struct, frozen=True, kw_only=True):
    """What to do, and with which nets."""

    action: Annotated[
        str,
        argument(
            "ACTION",
            f"what to do: {_LIST}, {_CHECK} or {_REMOVE} (default {_LIST})",
            count="?",
            choices=(_LIST, _CHECK, _REMOVE),
        ),
    ] = _LIST
    names: Annotated[
        tuple[str, ...], argument("NAME", "nets (default all; remove needs them)", count="*")
    ] = ()
    json: Annotated[bool, option("list as one JSON object instead of text")] = False


def run(options: NetsOptions) -> int:
    """List, check or remove.

    Returns:
        0; 1 where a net that was checked has a fault.

    Raises:
        GammondError: A name is unknown, or a net cannot be removed.
    """
    if options.action == _REMOVE:
        return _remove(options.names)
    nets = list_nets()
    known = list(dict.fromkeys(name for name, _ in nets))
    for name in options.names:
        if name not in known:
            raise ValueRangeError(
                f"expected a net ({', '.join(known)}), got {name[:40]!r}{did_you_mean(name, known)}",
                field="name",
            )
    chosen = [each for name in options.names or known for each in nets if each[0] == name]
    if options.action == _CHECK:
        return _check(chosen)
    listings = [describe_net(*each) for each in chosen]
    if options.json:
        sys.stdout.write(msgspec.json.encode(listings).decode() + "\n")
    else:
        sys.stdout.write("".join(map(_format_listing, listings)))
    return 0


def list_nets() -> list[tuple[str, bool]]:
    """List all nets by name, those with a fault too, and whether each is one's own.

    The default is the first, and one's own are the last.
    """
    shipped = [(name, False) for name in SHIPPED.manifest.evaluator_names]
    return shipped + [(name, True) for name in list_own_folders()]


def describe_net(name: str, is_own: bool) -> NetListing:
    """Describe a net from its manifest; its files are not read."""
    try:
        found = SHIPPED.find_own(name) if is_own else SHIPPED.find_evaluator(name)
        parts: tuple[str, ...]
        if isinstance(found, type):
            file, names, parts = find_own_folder(name) / MANIFEST_NAME, {name}, (found.summary,)
        else:
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


def check_net(name: str, is_own: bool) -> str:
    """Read the nets of an evaluator, compare them with the manifest, and evaluate the opening position.

    A net that plays as a player chooses an opening play.

    Returns:
        What was checked, in words.

    Raises:
        GammondError: A net is missing, altered or of another shape than the manifest says.
    """
    found = SHIPPED.find_own(name) if is_own else SHIPPED.find_evaluator(name)
    if isinstance(found, type):
        found().make().choose_one(STANDARD_RULES.starting_position, _ROLL)
        return "1 net as the manifest says (it plays)"
    opening = STANDARD_RULES.starting_position.board[None]
    kinds = []
    for phase in found.nets:
        net = found.load_net(phase)
        net.evaluate(opening)
        kinds.append("compiled" if isinstance(net, CompiledNet) else "by onnxruntime")
    runs = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    return f"{format_count(len(kinds), 'net')} as the manifest says ({runs})"


def _check(nets: Sequence[tuple[str, bool]]) -> int:
    faults = 0
    for name, is_own in nets:
        try:
            result = check_net(name, is_own)
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
    return tuple(
        f"{phase} {net.encoder} {'-'.join(map(str, net.hidden))}" for phase, net in found.nets.items()
    )


def _format_listing(listing: NetListing) -> str:
    lines = [f"{listing.name}: {'your own' if listing.is_own else 'shipped'}"]
    if listing.problem:
        lines.append(f"cannot be used: {listing.problem}")
    lines += [
        *listing.nets,
        *(
            f"{each.points:+.3f} points per game against {each.opponent} ({each.games:,} games)"
            for each in listing.strengths
        ),
    ]
    if listing.is_own:
        lines += listing.commands
    return "\n    ".join(lines) + "\n"


COMMAND = ToolCommand(NetsOptions, run)
