"""The unit file: systemd accepts it, and the server works within its sandbox, from empty folders on."""

import json
import shutil
import subprocess
import sys

import pytest

from tests.tools.serve.unit_sandbox import DEPLOY, ROOT, find_missing, make_command, make_filter, read_unit

PROGRAM = "/opt/gammond/bin/gammond"

needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd")


@needs_systemd
def test_systemd_accepts_the_units(tmp_path):
    for name in ("gammond.service", "gammond.socket", "gammond-web.socket"):
        text = (DEPLOY / name).read_text("utf-8").replace(PROGRAM, sys.executable)
        (tmp_path / name).write_text(text, "utf-8")
    files = sorted(map(str, tmp_path.iterdir()))
    done = subprocess.run(["systemd-analyze", "verify", *files], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_systemd_finds_little_to_object_to_in_the_sandbox(tmp_path):
    unit = tmp_path / "gammond.service"
    unit.write_text((DEPLOY / unit.name).read_text("utf-8").replace(PROGRAM, sys.executable), "utf-8")
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=25", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_unit_waits_for_the_server_and_leaves_it_the_time_it_takes():
    settings = read_unit()
    assert settings["Type"] == "notify"
    assert int(settings["TimeoutStopSec"]) >= 12  # at worst it takes that long
    assert settings["User"] not in ("", "root")


def test_a_mistake_leaves_the_sockets_open_and_is_tried_again_until_it_is_mended():
    settings = read_unit()
    assert settings["Restart"] == "on-failure"
    assert "RestartPreventExitStatus" not in settings  # clients at the sockets would start it without a pause
    assert settings["StartLimitIntervalSec"] == "0"  # beyond a limit systemd closes the sockets
    assert int(settings["RestartSec"]) >= 5


SERVICE = """
import json, os, socket, subprocess, sys, time
found = {"user": os.getuid(), "rights": open("/proc/self/status").read().split("CapEff:")[1].split()[0]}
found["writable"] = sorted(f for f in ("/", "/opt", "/etc", "/tmp", "/var/lib", "/var/cache", *sys.argv[2:])
    if os.access(f, os.W_OK) and not os.statvfs(f).f_flag & os.ST_RDONLY)
try:
    os.chroot("/")
    found["chroot"] = "allowed"
except PermissionError:
    found["chroot"] = "refused"
notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notices.bind("/tmp/notify")
notices.settimeout(120)
options = ["--config", "deploy/gammond.toml", "--log-format", "json"]
server = subprocess.Popen([sys.executable, "-m", "gammond.tools.cli", "serve", *options],
    env=os.environ | {"NOTIFY_SOCKET": "/tmp/notify"})
found["notice"] = notices.recv(99).decode()
for _ in range(40):
    check = [sys.executable, sys.argv[1], "4321"]
    found["check"] = subprocess.run(check, stderr=subprocess.DEVNULL).returncode
    if found["check"] == 0:
        break
    time.sleep(1)
server.terminate()
found["status"] = server.wait(30)
print(json.dumps(found))
"""


@pytest.mark.slow
@pytest.mark.skipif(bool(find_missing()), reason=f"no sandbox here: {find_missing()}")
def test_the_server_works_within_the_sandbox_from_empty_folders_on(tmp_path):
    folders = {name: tmp_path / name for name in ("cache", "data")}
    for folder in folders.values():
        folder.mkdir(mode=0o700)
    inside = ["/var/cache/gammond", "/var/lib/gammond"]
    program = [sys.executable, "-c", SERVICE, str(DEPLOY / "check.py"), *inside]
    with make_filter(read_unit()) as seccomp:
        command = make_command(program, *folders.values(), seccomp.fileno())
        done = subprocess.run(
            command,
            cwd=ROOT,
            pass_fds=[seccomp.fileno()],
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found == {
        "user": 10001,
        "rights": "0000000000000000",
        "writable": ["/tmp", *inside],
        "chroot": "refused",
        "notice": "READY=1",
        "check": 0,
        "status": 0,
    }
    events = [json.loads(line)["event"] for line in done.stderr.splitlines()]
    assert events.count("listening") == 2
    assert events[-1] == "ended"
    assert (folders["cache"] / "kernels").is_dir()
    assert (folders["data"] / "games.sqlite").is_file()
