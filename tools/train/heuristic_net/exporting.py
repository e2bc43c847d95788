"""Nets of ``gammond train heuristic-net`` as files for the manifest, with the entries that they need."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import numpy as np

from engine.errors import StateError
from nets.manifest import MANIFEST_FILE, check_name
from tools.train.files import write_whole
from tools.train.heuristic_net.files import BEST, CHECKPOINT, phase_net_of
from tools.train.stage import pedigree_of_run, training_entry


def export_phase_net(run: Path, name: str, folder: Path, *, best: bool, force: bool) -> str | None:
    """Write the net of a run as a numpy file of its weights; nothing where the run has other nets.

    Args:
        run: Its folder.
        name: Of the net; the file is ``NAME.npy``.
        folder: Where to.
        best: Whether to take the best measured net instead of the last.
        force: Whether to replace a net of this name.

    Returns:
        The ``[[training]]`` and ``[[scorer]]`` entries of the manifest; None where the run has other nets.

    Raises:
        GammondError: The name cannot be, its file exists and is not to be replaced, or the run cannot be
            read; nothing is written then.
    """
    source = run / (BEST if best else CHECKPOINT)
    if not source.is_file() or (net := phase_net_of(source)) is None:
        return None
    check_name(name)
    file = folder / f"{name}.npy"
    if file.exists() and not force:
        raise StateError(f"{file} exists; choose another --name, or replace it with --force", field="name")
    content = io.BytesIO()
    np.save(content, net.flat, allow_pickle=False)
    pedigree = pedigree_of_run(run, run / "none")
    last = f"gammond export {run}{' --best' if best else ''} --name {name}"
    write_whole(file, content.getvalue())
    return training_entry(name, pedigree, last) + _entry(name, file, content.getvalue())


def _entry(name: str, file: Path, content: bytes) -> str:
    home, place = MANIFEST_FILE.parent, file.resolve()
    shown = place.relative_to(home) if place.is_relative_to(home) else place
    return "\n".join(
        [
            "[[scorer]]",
            f'name = "{name}"',
            f"file = {json.dumps(shown.as_posix(), ensure_ascii=False)}",
            'activation = "relu"',
            f'sha256 = "{hashlib.sha256(content).hexdigest()}"',
            f'trained = "{name}"',
            "",
            "",
        ]
    )
