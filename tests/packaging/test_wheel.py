"""gammond beside projects whose packages have the same names, installed from its wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling")

CHECKOUT = Path(__file__).resolve().parents[2]
SESSION = "position startpos\neval\nquit\n"
USE = "import gammond, tools.batch; print(tools.batch.__file__)"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=CHECKOUT, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    return file


class Environment:
    """A virtual environment with this one's packages, but for gammond, which it has from the wheel."""

    def __init__(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
        self.packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
        self.scripts = Path(sysconfig.get_path("scripts", "venv", {"base": str(folder)}))
        (self.packages / "zz_shared.pth").write_text(sysconfig.get_path("purelib") + "\n")
        self.cwd = folder

    def install(self, wheel: Path) -> None:
        """Unpack a wheel: what pip does, without pip."""
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.packages)

    def install_foreign(self, name: str) -> None:
        """Install another project's package that must never be imported."""
        (self.packages / name).mkdir()
        (self.packages / name / "__init__.py").write_text(f"raise RuntimeError('foreign {name}')\n")

    def uninstall(self, name: str) -> None:
        shutil.rmtree(self.packages / name)

    def run(self, *arguments: str, lines: str = "") -> str:
        """Run its Python, and return what it wrote on stdout."""
        ran = subprocess.run(
            [str(self.scripts / "python"), *arguments],
            input=lines,
            cwd=self.cwd,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def check_everything(self) -> None:
        """Version, an evaluation, a tournament in two processes, the API."""
        assert self.run("-m", "gammond", "--version").startswith("gammond ")
        assert "eval win=0.526" in self.run("-m", "gammond", lines=SESSION)
        games = ("tournament", "pubeval", "random", "--games", "200", "--threads", "2")
        assert "pubeval" in self.run("-m", "gammond", *games)
        assert str(self.packages) in self.run("-c", USE)


def test_foreign_packages_of_the_same_names_do_no_harm(wheel, tmp_path):
    environment = Environment(tmp_path / "before")
    environment.install_foreign("tools")
    environment.install(wheel)
    environment.install_foreign("engine")
    environment.check_everything()
    environment.uninstall("tools")
    environment.uninstall("engine")
    environment.check_everything()


def test_a_foreign_package_that_is_already_imported_is_named(wheel, tmp_path):
    environment = Environment(tmp_path / "late")
    environment.install(wheel)
    (environment.packages / "engine").mkdir()
    (environment.packages / "engine" / "__init__.py").write_text("")
    late = "import engine\ntry:\n    import gammond\nexcept ImportError as error:\n    print(error)"
    said = environment.run("-c", late)
    assert "'engine'" in said
    assert str(environment.packages / "engine") in said


def test_a_wheel_puts_one_name_into_site_packages(wheel):
    with zipfile.ZipFile(wheel) as archive:
        files = archive.namelist()
    assert {name.split("/")[0].split("-")[0] for name in files} == {"gammond"}
    inside = {name.split("/")[2] for name in files if name.startswith("gammond/_packages/")}
    assert inside == {"engine", "nets", "protocol", "tools"}
    assert "gammond/_packages/nets/manifest.toml" in files
    assert not [name for name in files if "test" in name or name.endswith(".pyc")]
