"""gammond beside projects whose packages have the same names, installed from its wheel."""

from __future__ import annotations

import zipfile

import pytest

pytest.importorskip("hatchling")

from tests.packaging.conftest import CHECKOUT
from tests.packaging.environments import Environment

SESSION = "position startpos\neval\nquit\n"
USE = "import gammond, tools.batch; print(tools.batch.__file__)"

pytestmark = pytest.mark.slow


def check_everything(environment: Environment) -> None:
    """Version, an evaluation, a tournament in two processes, the API."""
    assert environment.run("-m", "gammond", "--version").startswith("gammond ")
    assert "eval win=0.526" in environment.run("-m", "gammond", lines=SESSION)
    games = ("tournament", "pubeval", "random", "--games", "200", "--threads", "2")
    assert "pubeval" in environment.run("-m", "gammond", *games)
    assert str(environment.packages) in environment.run("-c", USE)


def test_foreign_packages_of_the_same_names_do_no_harm(wheel, tmp_path):
    environment = Environment(tmp_path / "before")
    environment.install_foreign("tools")
    environment.install(wheel)
    environment.install_foreign("engine")
    check_everything(environment)
    environment.uninstall("tools")
    environment.uninstall("engine")
    check_everything(environment)


def test_a_foreign_package_that_is_already_imported_is_named(wheel, tmp_path):
    environment = Environment(tmp_path / "late")
    environment.install(wheel)
    (environment.packages / "engine").mkdir()
    (environment.packages / "engine" / "__init__.py").write_text("")
    late = "import engine\ntry:\n    import gammond\nexcept ImportError as error:\n    print(error)"
    said = environment.run("-c", late)
    assert "'engine'" in said
    assert str(environment.packages / "engine") in said


def test_a_wheel_has_the_files_of_the_page_and_finds_them(wheel, tmp_path):
    pytest.importorskip("starlette", reason="needs the extra 'web'")
    page = CHECKOUT / "protocol" / "web" / "page"
    in_checkout = {file.relative_to(page).as_posix() for file in page.rglob("*.*") if file.is_file()}
    environment = Environment(tmp_path / "page")
    environment.install(wheel)
    code = "import gammond; from protocol.transports.web.page_files import read_page; print(*read_page())"
    assert set(environment.run("-c", code).split()) == in_checkout


def test_a_wheel_puts_one_name_into_site_packages(wheel):
    with zipfile.ZipFile(wheel) as archive:
        files = archive.namelist()
    assert {name.split("/")[0].split("-")[0] for name in files} == {"gammond"}
    inside = {name.split("/")[2] for name in files if name.startswith("gammond/_packages/")}
    assert inside == {"engine", "nets", "protocol", "tools"}
    assert "gammond/_packages/nets/manifest.toml" in files
    assert not [name for name in files if "test" in name or name.endswith(".pyc")]
