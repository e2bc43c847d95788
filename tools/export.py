"""`gammond export`: make the nets of a training run a net by name.

It is registered in the data folder: `--net NAME` of any tool, `set engine.net NAME` and `play against NAME`
find it from then on, and `gammond nets` lists, checks and removes it. The nets are ONNX files, compared with
their training weights before anything is written. With --folder the files go there instead, nothing is
registered, and the entries that nets/manifest.toml and nets/provenance.toml need are printed: for nets that
are to be shipped with gammond.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Struct

from gammond.engine.errors import DataFileError, GammondError, UnsupportedError
from gammond.engine.formats.array_file import load_arrays, read_array_file
from gammond.engine.options import convert
from gammond.engine.runtime.files import check_output, open_output
from gammond.nets.manifest import (
    CONTACT_CLASSES,
    MANIFEST_FILE,
    MANIFEST_NAME,
    EvaluatorEntry,
    NetEntry,
    ScorerEntry,
    check_free_name,
    check_name,
    read_manifest,
)
from gammond.tools.common.command_options import ToolCommand, force_option, option, read_file, written_file
from gammond.tools.common.net_records import (
    PROVENANCE_FILE,
    EvaluatorStrength,
    StrengthRecord,
    TrainingRecord,
    format_entry,
)
from gammond.tools.common.opponents import RUN_PREFIX, find_reader, find_run_file, load_opponent
from gammond.tools.common.own_nets import check_not_registered, write_own_net
from gammond.tools.common.wings import ExportedNet, ExportedScorer, find_wings
from gammond.tools.train.runs.run import BEST_FILE, CHECKPOINT_FILE
from gammond.tools.train.runs.run_folder import Provenance, read_run_provenance
from gammond.tools.train.runs.strength_games import strengths_from_arrays
from gammond.tools.train.weights.net_set import NET_NAMES
from gammond.tools.train.weights.onnx_files import compute_max_difference, share_tensors

SUMMARY = "make a training run a net by name, for --net and 'play against'"

TOLERANCE = 5e-6
"""The most that an exported net may differ from its training weights, in any output: sums are rounded."""

MANIFEST_HEADING = "# for nets/manifest.toml\n"
PROVENANCE_HEADING = "# for nets/provenance.toml\n"
"""What is printed before the entries for each file."""

_WRITTEN_BY = "# Written by `gammond export`; `gammond nets` lists, checks and removes it.\n"


class ExportOptions(Struct, frozen=True, kw_only=True):
    """Which nets of a run get which name, and where they go."""

    run: Annotated[Path, read_file("folder of a training run", "run", count="")]
    name: Annotated[str, option("what the net is to be called: letters a-z, digits, . and -")]
    force: Annotated[bool, force_option("replace a net of this name")] = False
    best: Annotated[
        bool, option("take the best measured weights (default where there are any)", one_of="which")
    ] = False
    last: Annotated[bool, option("take the last weights", one_of="which")] = False
    phases: Annotated[
        tuple[str, ...],
        option(f"which nets, some of {','.join(NET_NAMES)} (default all that the run has)", shown=""),
    ] = ()
    folder: (
        Annotated[
            Path,
            written_file(
                "write NAME-contact.onnx and so on here, and print their entries, instead of registering "
                "them",
                "FOLDER",
            ),
        ]
        | None
    ) = None


def run(options: ExportOptions) -> int:
    """Export; prints what was made on stdout and what was checked on stderr; returns the exit status.

    Raises:
        GammondError: The name cannot be, it is taken and --force is not given, the run cannot be read or has
            no nets, or a net came out different; nothing is written then.
    """
    _check_names(options)
    is_best = options.best or (not options.last and (options.run / BEST_FILE).exists())
    source: Path = options.run / (BEST_FILE if is_best else CHECKPOINT_FILE)
    found = _read_nets(options.run, source)
    if isinstance(found, ExportedScorer):
        sys.stdout.write(_export_scorer(options, found, is_best))
        return 0
    nets = _select_nets(options.run, found, options.phases)
    contents = {phase: _make_checked_onnx(net, f"{options.name}-{phase}") for phase, net in nets.items()}
    made = read_run_provenance(options.run, source)
    training = _format_training(options, [f"{options.name}-{phase}" for phase in nets], made, is_best)
    if options.folder is not None:
        sys.stdout.write(_write_to_folder(options.folder, options.name, nets, contents, training))
        return 0
    strengths = load_arrays(source, strengths_from_arrays)
    folder = _register(options, nets, contents, training, strengths)
    sys.stdout.write(
        f"{options.name} is made of {source} ({', '.join(nets)}) and kept in {folder}\n"
        f"    gammond tournament {options.name} pubeval\n"
        f"    gammond batch FILE --net {options.name}      and --net of any other tool\n"
        f"    set engine.net {options.name}                on the wire and in the terminal\n"
        f"    play against {options.name}                  in the terminal\n"
    )
    return 0


def _export_scorer(options: ExportOptions, net: ExportedScorer, is_best: bool) -> str:
    """Export the net of a run that only rates plays; return what was made, in words or as its entries."""
    content = net.make_onnx(options.name)
    provenance = read_run_provenance(options.run, options.run / "none")  # all that the run did led to it
    training = _format_training(options, [options.name], provenance, is_best)
    sha256 = hashlib.sha256(content).hexdigest()
    entry: dict[str, object] = {"name": options.name, "activation": net.activation, "sha256": sha256}
    if options.folder is not None:
        file = _check_net_file(options, options.folder, options.name)
        _write_files({file: content})
        scorer = convert({**entry, "file": _name_file(file)}, ScorerEntry)
        return MANIFEST_HEADING + format_entry("scorer", scorer) + PROVENANCE_HEADING + training
    file_name = f"{sha256[:16]}.onnx"
    scorer = convert({**entry, "file": file_name, "player": net.player}, ScorerEntry)
    files = {
        file_name: content,
        MANIFEST_NAME: (_WRITTEN_BY + format_entry("scorer", scorer)).encode(),
        PROVENANCE_FILE: training.encode(),
    }
    folder = write_own_net(options.name, files, force=options.force)
    return (
        f"{options.name} is made of {options.run} (it rates plays) and kept in {folder}\n"
        f"    gammond tournament {options.name} pubeval\n"
        f"    set engine.player {options.name}             on the wire and in the terminal\n"
        f"    play against {options.name}                  in the terminal\n"
    )


def _write_to_folder(
    folder: Path,
    name: str,
    nets: Mapping[str, ExportedNet],
    contents: Mapping[str, bytes],
    training: str,
) -> str:
    """Write the files of nets into a folder; return their entries."""
    files = {phase: folder / f"{name}-{phase}.onnx" for phase in nets}
    contents, tensors = share_tensors(contents)
    _write_files(
        {folder / tensor: content for tensor, content in tensors.items()}
        | {files[phase]: content for phase, content in contents.items()}
    )
    entries = [
        _format_net(files[phase].stem, _name_file(files[phase]), phase, net, contents[phase])
        for phase, net in nets.items()
    ]
    return "".join([MANIFEST_HEADING, *entries, PROVENANCE_HEADING, training])


def _register(
    options: ExportOptions,
    nets: Mapping[str, ExportedNet],
    contents: Mapping[str, bytes],
    training: str,
    strengths: Sequence[StrengthRecord],
) -> Path:
    """Write nets into the data folder as an evaluator; return their folder."""
    contents, tensors = share_tensors(contents)
    names = {phase: f"{options.name}-{phase}" for phase in nets}
    files = {
        phase: f"{phase}-{hashlib.sha256(content).hexdigest()[:16]}.onnx"
        for phase, content in contents.items()
    }
    entries = [
        _format_net(names[phase], files[phase], phase, net, contents[phase]) for phase, net in nets.items()
    ]
    classes = {phase: name for phase, name in names.items() if phase in CONTACT_CLASSES}
    others = {phase: name for phase, name in names.items() if phase not in classes}
    evaluator = convert(
        {"name": options.name, **({"plans": classes} if classes else {}), **others}, EvaluatorEntry
    )
    manifest = "".join(
        [_WRITTEN_BY, f'default = "{options.name}"\n\n', *entries, format_entry("evaluator", evaluator)]
    )
    measured = [
        format_entry("strength", EvaluatorStrength(**msgspec.structs.asdict(each), evaluator=options.name))
        for each in strengths
    ]
    content = {
        **tensors,
        **{files[phase]: content for phase, content in contents.items()},
        MANIFEST_NAME: manifest.encode(),
        PROVENANCE_FILE: "".join([training, *measured]).encode(),
    }
    return write_own_net(options.name, content, force=options.force)


def _check_names(options: ExportOptions) -> None:
    """Refuse runs and phases that there are not, names that cannot be, and what exists unless replaced."""
    for phase in options.phases or ():
        if phase not in NET_NAMES:
            raise UnsupportedError(
                f"expected phases of {', '.join(NET_NAMES)}, got {phase!r}", field="phases"
            )
    if options.folder is None:
        check_free_name(options.name, read_manifest())
        if not options.force:
            check_not_registered(options.name)
    for phase in options.phases or NET_NAMES:
        name = f"{options.name}-{phase}"
        if options.folder is None:
            check_name(name)
        else:
            _check_net_file(options, options.folder, name)
    if not options.run.is_dir():
        raise DataFileError(
            f"expected the folder of a training run, got {options.run}: no such folder", field="run"
        )


def _read_nets(run: Path, source: Path) -> Mapping[str, ExportedNet] | ExportedScorer:
    """Read the nets of a run: of its file without arrays if that plays for it, else of one with.

    Raises:
        UnsupportedError: The run is that of a player without nets.
        DataFileError: It cannot be read.
    """
    readers = {kind: read for wing in find_wings() for kind, read in wing.net_readers.items()}
    playing = find_run_file(str(run))
    try:
        if read := readers.get(playing.suffix):
            return read(playing)
        return find_reader(readers, read_array_file(source))(source)
    except DataFileError:
        if not _plays(run):
            raise
    raise UnsupportedError(
        f"{run} is the run of a player without nets, so there is none to have a name: it plays wherever "
        f"players play, as {RUN_PREFIX}{run}",
        field="run",
    )


def _plays(run: Path) -> bool:
    """Return whether a run is that of a player."""
    with suppress(GammondError):
        load_opponent(f"{RUN_PREFIX}{run}")
        return True
    return False


def _select_nets(run: Path, nets: Mapping[str, ExportedNet], phases: Sequence[str]) -> dict[str, ExportedNet]:
    if missing := [phase for phase in phases if phase not in nets]:
        raise UnsupportedError(f"{run.name} has no net for {', '.join(missing)}", field="phases")
    return {phase: net for phase, net in nets.items() if not phases or phase in phases}


def _make_checked_onnx(net: ExportedNet, name: str) -> bytes:
    """Make the ONNX file of a net and compare it with the training weights."""
    content = net.make_onnx(name)
    difference = compute_max_difference(net, content)
    sys.stderr.write(f"{name}: differs from the training weights by at most {difference:.1e}\n")
    if not difference <= TOLERANCE:
        raise DataFileError(
            f"{name} differs from the training weights by {difference}, more than {TOLERANCE}"
        )
    return content


def _write_files(contents: dict[Path, bytes]) -> None:
    """Write files aside, and put them in place when all are written."""
    try:
        with ExitStack() as opened:
            for file, content in contents.items():
                file.parent.mkdir(parents=True, exist_ok=True)
                opened.enter_context(open_output(file)).write(content)
    except OSError as error:
        raise DataFileError(
            f"{error.filename} cannot be written: {error.strerror}", field="folder"
        ) from error


def _format_training(
    options: ExportOptions, nets: Sequence[str], provenance: Provenance, is_best: bool
) -> str:
    """Format how nets were made."""
    last = f"gammond export {options.run} --name {options.name} --{'best' if is_best else 'last'}"
    if options.phases:
        last += f" --phases {','.join(options.phases)}"
    record = TrainingRecord(
        options.name,
        (*(step.command for step in provenance), last),
        games=sum(step.games for step in provenance),
        hours=round(sum(step.hours for step in provenance), 2),
        positions=sum(step.positions for step in provenance),
        nets=tuple(nets),
    )
    return format_entry("training", record)


def _format_net(name: str, file: str, phase: str, net: ExportedNet, content: bytes) -> str:
    """Format the entry of a file of a net."""
    entry = {
        "name": name,
        "file": file,
        "phase": phase,
        "encoder": net.encoder_id,
        "hidden": net.hidden,
        "outputs": "cumulative5",
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    return format_entry("net", convert(entry, NetEntry))


def _name_file(file: Path) -> str:
    """Return how the shipped manifest names a file: from its folder if it is below it, absolute otherwise."""
    place, home = file.resolve(), MANIFEST_FILE.parent
    return (place.relative_to(home) if place.is_relative_to(home) else place).as_posix()


def _check_net_file(options: ExportOptions, folder: Path, name: str) -> Path:
    """Return where in a folder a net is to lie.

    Raises:
        ValueRangeError: The manifest would refuse the name.
        StateError: The file exists and is not to be replaced.
        DataFileError: It is a folder.
    """
    check_name(name)
    file = folder / f"{name}.onnx"
    check_output(file, force=options.force, field="name", instead="choose another --name", new_folder=folder)
    return file


COMMAND = ToolCommand(ExportOptions, run)
