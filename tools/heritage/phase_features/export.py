"""Nets of ``gammond heritage heuristic-net`` as files for the manifest, with the entries that they need."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from engine.errors import UnsupportedError
from nets.heritage.phase_features.net import ACTIVATION, HIDDEN
from tools.heritage.phase_features.files import BEST, CHECKPOINT, read_phase_net
from tools.train.runs.manifest_entries import check_net_file, write_scorer


def export_phase_net(run: Path, name: str, folder: Path, *, best: bool, force: bool) -> str | None:
    """Write the net of a run as a NumPy file of its weights; nothing if the run has other nets.

    Args:
        run: The folder of the run.
        name: Of the net; the file is ``NAME.npy``.
        folder: The folder of the file.
        best: Whether to take the best measured net instead of the last.
        force: Whether to replace a net of this name.

    Returns:
        The entries of the manifest and the provenance file; None if the run has other nets.

    Raises:
        GammondError: The name is invalid, its file exists and ``force`` is not set, or the run cannot be
            read; nothing is written then.
    """
    source = run / (BEST if best else CHECKPOINT)
    if not source.is_file() or (net := read_phase_net(source)) is None:
        return None
    if net.hidden != HIDDEN:
        sizes = " and ".join(map(str, net.hidden))
        raise UnsupportedError(
            f"expected hidden layers of 64 and 64 to export, got {sizes}: play it as run:{run}"
        )
    file = check_net_file(folder, name, ".npy", force=force)
    content = io.BytesIO()
    np.save(content, net.flat_weights, allow_pickle=False)
    return write_scorer(run, file, content.getvalue(), ACTIVATION, best=best)
