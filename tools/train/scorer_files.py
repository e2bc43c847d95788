"""Nets with one output as files for the manifest: what all of their exporters do."""

from __future__ import annotations

from pathlib import Path

from tools.train.files import write_whole
from tools.train.manifest_entries import scorer_entry, training_entry
from tools.train.stage import pedigree_of_run


def write_scorer(run: Path, file: Path, content: bytes, activation: str, *, best: bool = False) -> str:
    """Write the net of a run, all of which led to it.

    Args:
        run: Its folder.
        file: Where the net is to lie, under its name.
        content: The net.
        activation: What its hidden units do.
        best: Whether it is the best measured net instead of the last.

    Returns:
        The ``[[training]]`` and ``[[scorer]]`` entries of the manifest.

    Raises:
        DataFileError: The run cannot be read, and nothing is written then; or the file cannot be written.
    """
    name = file.stem
    every_record = run / "none"
    last = f"gammond export {run}{' --best' if best else ''} --name {name}"
    training = training_entry(name, pedigree_of_run(run, every_record), last)
    write_whole(file, content)
    return training + scorer_entry(file, activation, content, name)
