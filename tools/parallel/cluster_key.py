"""The key of a user's clusters: whoever has it is let in, and nobody else.

Whoever reaches a scheduler or a worker could run any program there, so all parts of a cluster speak TLS, show
this key and demand it of each other. It is one file: a private key, and a certificate that it has signed
itself. A cluster within one command has a key of its own, in memory.
"""

from __future__ import annotations

import os
import ssl
import stat
from datetime import datetime
from pathlib import Path

from gammond.engine.errors import DataFileError, StateError
from gammond.engine.runtime.files import data_folder, make_private_folder

KEY_FILE = "cluster.pem"

_VALID = datetime(2000, 1, 1), datetime(2100, 1, 1)
"""Clocks of machines may differ; a key ends when its file is removed."""

_PRIVATE = 0o600
_OTHERS = 0o077


def find_key_file() -> Path:
    """Return the key, in the data folder.

    Raises:
        StateError: There is none.
        DataFileError: Others can read it, or it is no key.
    """
    file = data_folder() / KEY_FILE
    try:
        found = file.stat()
    except OSError:
        raise StateError(
            f"the key of the cluster is not at {file}: `gammond cluster start` makes one on the machine of "
            "the scheduler; copy that file to here",
            field="cluster",
        ) from None
    if hasattr(os, "getuid") and (found.st_mode & _OTHERS or found.st_uid != os.getuid()):
        raise DataFileError(
            f"{file} is the key of a cluster, and others can read it: chmod 600, or remove it everywhere for "
            "a new one",
            field="cluster",
        )
    try:
        if not stat.S_ISREG(found.st_mode):
            raise OSError("no regular file")
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(file, password="")
    except (OSError, ssl.SSLError) as error:
        raise DataFileError(
            f"{file} is no key of a cluster ({error}): remove it everywhere for a new one",
            field="cluster",
        ) from error
    return file


def make_key_file() -> Path:
    """Return the key, and make it if there is none.

    Raises:
        DataFileError: It cannot be made, or as `find_key_file`.
    """
    file = data_folder() / KEY_FILE
    if not file.exists():
        content = _make_key()
        try:
            make_private_folder(file.parent)
            with open(file, "xb", opener=lambda path, flags: os.open(path, flags, _PRIVATE)) as out:
                try:
                    out.write(content)
                    out.flush()
                except OSError:
                    file.unlink()
                    raise
        except FileExistsError:
            pass
        except OSError as error:
            raise DataFileError(
                f"the key of the cluster cannot be written to {file}: {error}", field="cluster"
            ) from error
    return find_key_file()


def _make_key() -> bytes:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "gammond cluster")])
    first, last = _VALID
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(first)
        .not_valid_after(last)
        .sign(key, hashes.SHA256())
    )
    pem: bytes = certificate.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return pem
