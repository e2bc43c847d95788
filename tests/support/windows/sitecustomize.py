"""Takes from gammond what Windows lacks, in every process that has this folder on its PYTHONPATH.

Modules of POSIX cannot be imported by gammond, `os`, `signal`, `select`, `socket` and `sys` are to it as on
Windows, event loops take no signals and watch no pipes, and a file that some process has open can be neither
replaced nor removed. What only a real Windows does (its console, its paths) no test here sees.
"""

import asyncio
import builtins
import glob
import os
import select
import signal
import socket
import sys
import types

_MISSING_MODULES = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
_MISSING = {
    os: (
        "chown fchmod fchown fork forkpty getegid geteuid getgid getgrouplist getgroups getloadavg "
        "getpgid getpgrp getpriority getsid getuid initgroups killpg lchown mkfifo mknod nice "
        "openpty pathconf posix_fadvise posix_spawn pread pwrite register_at_fork sched_getaffinity "
        "sched_setaffinity sendfile setpriority setsid setuid statvfs sync sysconf tcgetpgrp uname "
        "wait O_NONBLOCK O_CLOEXEC O_DIRECTORY O_NOFOLLOW WNOHANG"
    ),
    signal: (
        "SIGHUP SIGKILL SIGPIPE SIGUSR1 SIGUSR2 SIGALRM SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN "
        "SIGTTOU SIGWINCH SIGQUIT alarm pause pthread_kill pthread_sigmask setitimer siginterrupt "
        "sigwait sigtimedwait"
    ),
    select: "poll epoll kqueue devpoll PIPE_BUF",
    socket: "AF_UNIX SO_REUSEPORT send_fds recv_fds",
    sys: "",
}
"""What Windows has not, by module."""


def _set_wakeup_fd(fd, **options):
    """Take a pipe that blocks, as on Windows."""
    if fd >= 0:
        os.set_blocking(fd, False)
    return signal.set_wakeup_fd(fd, **options)


_OTHERWISE = {
    os: {"name": "nt"},
    signal: {"set_wakeup_fd": _set_wakeup_fd},
    sys: {"platform": "win32"},
}


class _Windows(types.ModuleType):
    """A module of the library as gammond finds it on Windows."""

    def __init__(self, real):
        super().__init__(real.__name__)
        self.__dict__["_real"] = real

    def __getattr__(self, name):
        real = self.__dict__["_real"]
        if name in _MISSING[real].split():
            raise AttributeError(f"module {real.__name__!r} has no attribute {name!r} on Windows")
        return _OTHERWISE.get(real, {}).get(name, getattr(real, name))

    def __setattr__(self, name, value):
        setattr(self.__dict__["_real"], name, value)


_windows = {real.__name__: _Windows(real) for real in _MISSING}
_import = builtins.__import__


def _import_as_on_windows(name, globals=None, locals=None, fromlist=(), level=0):
    if (globals or {}).get("__name__", "").partition(".")[0] == "gammond":
        if name in _MISSING_MODULES:
            raise ImportError(f"No module named {name!r} on Windows", name=name)
        if name in _windows:
            return _windows[name]
    return _import(name, globals, locals, fromlist, level)


builtins.__import__ = _import_as_on_windows


asyncio.ProactorEventLoop = asyncio.SelectorEventLoop  # the loop of Windows, which has processes


def _refuse(*_, **__):
    raise NotImplementedError


asyncio.SelectorEventLoop.add_signal_handler = _refuse
asyncio.SelectorEventLoop.connect_read_pipe = asyncio.SelectorEventLoop.connect_write_pipe = _refuse


def _is_open(path):
    """Return whether a process of this group has a file open, or mapped into memory."""
    real = os.path.realpath(path)
    for process in glob.iglob("/proc/[0-9]*"):
        try:
            if os.getpgid(int(process[6:])) != os.getpgid(0):
                continue
            for descriptor in os.listdir(f"{process}/fd"):
                if os.readlink(f"{process}/fd/{descriptor}") == real:
                    return True
            with open(f"{process}/maps") as lines:
                if any(line.rstrip("\n").endswith(real) for line in lines):
                    return True
        except OSError:  # it has ended
            continue
    return False


def _unless_open(act, *places):
    """Return the same act of the system on files, refused where one of these arguments is an open file."""

    def guarded(*arguments, **options):
        held = [arguments[place] for place in places if len(arguments) > place] if not options else []
        for path in filter(os.path.isfile, held):
            if _is_open(path):
                raise PermissionError(13, "another program uses the file", path)
        return act(*arguments, **options)

    return guarded


os.replace = _unless_open(os.replace, 0, 1)
os.rename = _unless_open(os.rename, 0)
os.unlink = os.remove = _unless_open(os.unlink, 0)
