"""Writing and removing nets of one's own, in the data folder; `gammond.nets.manifest` reads them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from gammond.engine.errors import DataFileError, StateError, ValueRangeError
from gammond.nets.manifest import MANIFEST_NAME, find_own_folder, list_own_folders
from gammond.tools.common.files import name_in_errors, write_atomically
from gammond.tools.common.locks import hold_lock


def check_not_registered(name: str) -> None:
    """Check that no evaluator in the data folder has a name.

    Raises:
        StateError: One has.
    """
    if name in list_own_folders():
        raise StateError(
            f"a net {name} is there already, in {find_own_folder(name)}: choose another --name, or replace "
            "it with --force",
            field="name",
        )


def write_own_net(name: str, files: Mapping[str, bytes], *, force: bool = False) -> Path:
    """Write an evaluator into the data folder, whole or not at all.

    Args:
        name: Of the evaluator.
        files: Contents by name. Other contents of a net have another name, so that an evaluator which is
            replaced stays whole until the new manifest is in place, which is written last.
        force: Whether one of this name may be replaced.

    Returns:
        Its folder.

    Raises:
        StateError: One of this name is there, or another process writes it.
        DataFileError: A file cannot be written.
    """
    folder = find_own_folder(name)
    with hold_lock(folder, "name"):
        if not force:
            check_not_registered(name)
        is_new = not folder.exists()
        try:
            for file in sorted(files, key=lambda file: file == MANIFEST_NAME):
                write_atomically(folder / file, files[file])
        except DataFileError as error:
            if is_new:
                shutil.rmtree(folder, ignore_errors=True)
            raise DataFileError(
                f"{error.message}; GAMMOND_DATA names another data folder", field="name"
            ) from error
        for former in folder.iterdir():
            if former.suffix in (".onnx", ".bin") and former.name not in files:
                former.unlink()
    return folder


def remove_own_net(name: str) -> Path:
    """Remove an evaluator from the data folder, faulty or not; return where it was.

    Raises:
        ValueRangeError: There is none of this name.
        StateError: Another process writes it.
        DataFileError: It cannot be removed.
    """
    folder = find_own_folder(name)
    known = list_own_folders()
    if name not in known:
        raise ValueRangeError(
            f"expected a net of the data folder ({', '.join(known) or 'there is none'}), got {name[:40]!r}; "
            "shipped nets stay",
            field="name",
        )
    with hold_lock(folder, "name"), name_in_errors(folder, "removed", "name"):
        if folder.is_symlink():  # what it leads to stays
            folder.unlink()
            return folder
        manifest = folder / MANIFEST_NAME
        if not manifest.is_dir():
            manifest.unlink(missing_ok=True)  # from here on nobody finds it
        shutil.rmtree(folder)
    return folder
