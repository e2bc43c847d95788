"""gammond installed beside programs and projects that have modules named as its packages."""

from __future__ import annotations

import subprocess
import sys
import zipfile

import pytest

pytest.importorskip("hatchling")

from tests.packaging.conftest import CHECKOUT
from tests.packaging.environments import Environment

pytestmark = pytest.mark.slow

NAMES = ("engine", "nets", "protocol", "tools")
SESSION = "position startpos\neval\nquit\n"

HOST = """
import pickle
import sys
from multiprocessing import get_context

if __name__ == "__main__":
    path, finders = list(sys.path), list(sys.meta_path)
    if sys.argv[1] == "before":
        import engine, nets, protocol, tools
    import gammond
    gammond.Engine()
    assert (sys.path, sys.meta_path) == (path, finders)

import gammond
import engine, nets, protocol, tools


def ask(board):
    assert all(each.WHOSE == "the host's" for each in (engine, nets, protocol, tools))
    return board, gammond.Engine().rank(gammond.Position.start(), (3, 1)).best


if __name__ == "__main__":
    board, best = ask(engine.Board(7))
    with get_context("spawn").Pool(1) as pool:
        asked, found = pool.apply(ask, (board,))
    assert pickle.loads(pickle.dumps((board, best))) == (board, best)
    assert (asked, found.play, found.equity) == (board, best.play, best.equity)
    print(best.play)
"""
"""A program with an ``engine`` of its own, told whether it imports that before gammond."""


@pytest.fixture(scope="module", params=["wheel", "editable"])
def environment(request, wheel, tmp_path_factory):
    """An environment with gammond, beside packages of other projects that must never be imported."""
    folder = tmp_path_factory.mktemp(request.param)
    environment = Environment(folder / "environment")
    if request.param == "wheel":
        environment.install(wheel)
    else:
        build = f"from hatchling.build import build_editable; build_editable({str(folder)!r})"
        subprocess.run([sys.executable, "-c", build], cwd=CHECKOUT, check=True, capture_output=True)
        environment.install(next(folder.glob("*.whl")))
    for name in NAMES:
        environment.install_foreign(name)
    return environment


def test_packages_of_other_projects_do_no_harm(environment):
    assert environment.run("-m", "gammond", "--version").startswith("gammond ")
    assert "eval win=0.526" in environment.run("-m", "gammond", lines=SESSION)
    games = ("tournament", "pubeval", "random", "--games", "200", "--threads", "2")
    assert "pubeval" in environment.run("-m", "gammond", *games)


@pytest.mark.parametrize("order", ["before", "after"])
def test_a_program_keeps_its_own_modules_of_these_names(environment, order, tmp_path):
    (tmp_path / "engine").mkdir()
    for file in ("engine/__init__.py", "nets.py", "protocol.py", "tools.py"):
        (tmp_path / file).write_text('WHOSE = "the host\'s"\n')
    with (tmp_path / "engine" / "__init__.py").open("a") as own:
        own.write("from dataclasses import dataclass\n\n@dataclass\nclass Board:\n    number: int\n")
    (tmp_path / "host.py").write_text(HOST)
    assert environment.run(str(tmp_path / "host.py"), order) == "8/5 6/5\n"


def test_a_wheel_has_the_files_of_the_page_and_finds_them(wheel, tmp_path):
    pytest.importorskip("starlette", reason="needs the extra 'web'")
    page = CHECKOUT / "protocol" / "web" / "page"
    in_checkout = {file.relative_to(page).as_posix() for file in page.rglob("*.*") if file.is_file()}
    environment = Environment(tmp_path / "page")
    environment.install(wheel)
    code = "from gammond.protocol.transports.web.page import read_page; print(*read_page())"
    assert set(environment.run("-c", code).split()) == in_checkout


def test_a_wheel_puts_one_name_into_site_packages(wheel):
    with zipfile.ZipFile(wheel) as archive:
        files = archive.namelist()
    assert {name.split("/")[0].split("-")[0] for name in files} == {"gammond"}
    inside = {name.split("/")[1] for name in files if name.startswith("gammond/") and name.count("/") > 1}
    assert inside == {"api", *NAMES}
    assert "gammond/nets/manifest.toml" in files
    assert not [name for name in files if "test" in name or name.endswith(".pyc")]


def test_a_wheel_of_the_source_distribution_is_the_same(wheel, tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t"]
    subprocess.run([*build, "sdist", "-d", str(tmp_path)], cwd=CHECKOUT, check=True, capture_output=True)
    (source,) = tmp_path.glob("*.tar.gz")
    subprocess.run(["tar", "-xzf", source.name], cwd=tmp_path, check=True)
    (folder,) = (each for each in tmp_path.iterdir() if each.is_dir())
    for name in ("docs/index.md", "examples/play_match.py", "deploy/Dockerfile", "SECURITY.md"):
        assert (folder / name).is_file()
    subprocess.run([*build, "wheel", "-d", str(tmp_path)], cwd=folder, check=True, capture_output=True)
    (again,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert {each.filename: each.CRC for each in one.infolist()} == {
            each.filename: each.CRC for each in other.infolist()
        }
