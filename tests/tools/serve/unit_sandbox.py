"""The sandbox of the unit file without systemd: bubblewrap with its folders, rights and system calls.

Of the settings it takes those that decide what a process can do: ``ProtectSystem=strict``, ``ProtectHome=``,
``PrivateTmp=``, ``PrivateDevices=``, the two folders, no capabilities and no new ones, a user of its own,
``LimitNOFILE=``, and ``SystemCallFilter=`` as a seccomp filter. There is no network but loopback.
"""

import ctypes
import ctypes.util
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
USER = 10001

_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EPERM = 1


def read_unit(name="gammond.service"):
    """Return the settings of a unit: name -> the last value."""
    return dict(re.findall(r"^(\w+)=(.*)$", (DEPLOY / name).read_text("utf-8"), re.MULTILINE))


def find_missing():
    """Return what a machine lacks for the sandbox; empty if nothing."""
    missing = [each for each in ("bwrap", "systemd-analyze") if shutil.which(each) is None]
    if ctypes.util.find_library("seccomp") is None:
        missing.append("libseccomp")
    if not missing:
        probe = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
        if subprocess.run(probe, capture_output=True, check=False).returncode:
            missing.append("namespaces")
    return " and ".join(missing)


def list_calls(group):
    """Return the names of the system calls of a group such as ``@system-service``."""
    text = subprocess.run(
        ["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, check=True
    ).stdout
    calls = set()
    for word in re.findall(r"^ {4}(@?[\w-]+)$", text, re.MULTILINE):
        calls |= list_calls(word) if word.startswith("@") else {word}
    return calls


def make_filter(settings):
    """Return a file with the compiled filter of ``SystemCallFilter=``, as seccomp takes it."""
    calls = set().union(*map(list_calls, settings["SystemCallFilter"].split()))
    library = ctypes.CDLL(ctypes.util.find_library("seccomp"))
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_rule_add.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint]
    library.seccomp_export_bpf.argtypes = [ctypes.c_void_p, ctypes.c_int]
    context = library.seccomp_init(_ERRNO | _EPERM)
    for call in calls:
        number = library.seccomp_syscall_resolve_name(call.encode())
        if number >= 0:  # the others are of other processors
            assert library.seccomp_rule_add(context, _ALLOW, number, 0) == 0
    file = tempfile.TemporaryFile()  # noqa: SIM115  (the caller closes it)
    assert library.seccomp_export_bpf(context, file.fileno()) == 0
    file.seek(0)
    return file


def make_command(command, cache, data, seccomp):
    """Return a command that runs another one as the unit's service.

    Args:
        command: What to run.
        cache: The folder that is ``CacheDirectory=``.
        data: The folder that is ``StateDirectory=``.
        seccomp: The number of the file of `make_filter`, which must be passed on.
    """
    settings = read_unit()
    assert (settings["ProtectSystem"], settings["CapabilityBoundingSet"]) == ("strict", "")
    variables = dict(each.split("=") for each in settings["Environment"].split())
    folders = {
        f"/var/cache/{settings['CacheDirectory']}": cache,
        f"/var/lib/{settings['StateDirectory']}": data,
    }
    assert set(folders) == set(variables.values())
    return [
        "prlimit",
        f"--nofile={settings['LimitNOFILE']}",
        "bwrap",
        *("--unshare-all", "--uid", str(USER), "--gid", str(USER), "--cap-drop", "ALL", "--die-with-parent"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *(
            "--tmpfs",
            "/home",
            "--tmpfs",
            "/var/cache",
            "--tmpfs",
            "/var/lib",
            "--tmpfs",
            "/tmp",
            "--tmpfs",
            "/var/tmp",
        ),
        *(word for folder in (ROOT, sys.prefix) for word in ("--ro-bind", str(folder), str(folder))),
        *(word for inside, outside in folders.items() for word in ("--bind", str(outside), inside)),
        *("--remount-ro", "/var/cache", "--remount-ro", "/var/lib"),
        *("--seccomp", str(seccomp), "--clearenv", "--setenv", "PATH", "/usr/bin:/bin"),
        *(word for name, value in variables.items() for word in ("--setenv", name, value)),
        "--",
        *command,
    ]
