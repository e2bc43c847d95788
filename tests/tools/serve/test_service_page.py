"""The page for administrators, and the files that it names: they fit the program and each other."""

import re
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.support.processes import serving
from tests.tools.serve.test_config_file import check, configured
from tests.tools.serve.unit_sandbox import DEPLOY, ROOT, read_unit

PAGE = (ROOT / "docs" / "guide" / "service.md").read_text("utf-8")
DOCKERFILE = (DEPLOY / "Dockerfile").read_text("utf-8")


def test_the_files_that_the_page_names_are_there_and_all_are_named():
    named = set(re.findall(r"`deploy/([\w.-]+)`", PAGE))
    assert named == {each.name for each in Path(DEPLOY).iterdir() if each.suffix != ".dockerignore"}


def test_the_configuration_of_the_page_is_right(tmp_path):
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    configuration = configured(tmp_path, text)
    assert configuration.faults == ()
    check(configuration)
    wrong = configured(tmp_path, text.replace("clients =", "client ="))
    shown = re.findall(r"```text\ngammond: /etc/gammond/gammond.toml(.*)\n```", PAGE)
    assert [f"{tmp_path / 'gammond.toml'}{each}" for each in shown] == list(wrong.faults)


def run_check(port):
    command = [sys.executable, str(DEPLOY / "check.py"), str(port)]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=60, check=False)


def test_the_health_check_succeeds_beside_a_server_and_fails_without_one():
    with serving("--tcp", "0", "--quiet") as (_, _, port):
        with socket.create_connection(("127.0.0.1", port)) as warm:  # loads the net
            warm.sendall(b"position startpos\neval\nquit\n")
            assert "eval win=" in warm.makefile().read()
        assert run_check(port).returncode == 0
    done = run_check(port)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith(f"no answer on port {port}: ")


def test_the_image_and_the_unit_run_the_same_server():
    unit = read_unit()
    folders = dict(each.split("=") for each in unit["Environment"].split())
    for name, folder in folders.items():
        assert f"{name}={folder}" in DOCKERFILE
    assert f'VOLUME ["{folders["GAMMOND_DATA"]}"]' in DOCKERFILE  # kernels are the image's own
    assert re.search(r"^USER [1-9]", DOCKERFILE, re.MULTILINE)
    ports = re.search(r"^EXPOSE (.*)$", DOCKERFILE, re.MULTILINE)[1].split()
    listen = tomllib.loads((DEPLOY / "gammond.toml").read_text("utf-8"))["listen"]
    assert ports == [str(listen["tcp"]), str(listen["web"])]
    for name, port in zip(("gammond.socket", "gammond-web.socket"), ports, strict=True):
        assert read_unit(name)["ListenStream"] == f"127.0.0.1:{port}"


def test_compose_starts_the_container_of_the_page_with_its_volume():
    compose = (DEPLOY / "compose.yaml").read_text("utf-8")
    container = re.search(r"--name (\w+)", PAGE)[1]
    assert f"container_name: {container}\n" in compose
    ((name, key, folder),) = set(re.findall(r"--volume (gammond-(\w+)):(/[\w/]+)", PAGE))
    assert f'volumes: ["{key}:{folder}"]' in compose
    assert f"  {key}: {{name: {name}}}\n" in compose
