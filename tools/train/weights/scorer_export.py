"""Nets with one output as files for the manifest: what all of their exporters do."""

from __future__ import annotations

from pathlib import Path

from tools.files import write_atomically
from tools.train.runs.run_folder import read_run_provenance
from tools.train.weights.manifest_entries import (
    MANIFEST_HEADING,
    PROVENANCE_HEADING,
    format_scorer_entry,
    format_training_entry,
)


def write_scorer(run: Path, file: Path, content: bytes, activation: str, *, best: bool = False) -> str:
    """Write the net of a run, all of which led to it.

    Args:
        run: Its folder.
        file: Where the net is to lie, under its name.
        content: The net.
        activation: What its hidden units do.
        best: Whether it is the best measured net instead of the last.

    Returns:
        The ``[[scorer]]`` entry of the manifest and the ``[[training]]`` entry of the provenance file.

    Raises:
        DataFileError: The run cannot be read, and nothing is written then; or the file cannot be written.
    """
    name = file.stem
    every_record = run / "none"
    last = f"gammond export {run}{' --best' if best else ''} --name {name}"
    training = format_training_entry(name, [name], read_run_provenance(run, every_record), last)
    write_atomically(file, content)
    scorer = format_scorer_entry(file, activation, content)
    return MANIFEST_HEADING + scorer + PROVENANCE_HEADING + training
