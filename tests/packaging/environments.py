"""Virtual environments that have gammond from its wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path


class Environment:
    """A virtual environment with this one's packages, but for gammond, which it has from the wheel."""

    def __init__(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
        self.packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
        self.scripts = Path(sysconfig.get_path("scripts", "venv", {"base": str(folder)}))
        shared = [place for place in sys.path if Path(place).name == "site-packages"]
        (self.packages / "zz_shared.pth").write_text("".join(f"{place}\n" for place in shared))
        self.cwd = folder

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.scripts / "python"

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
            [str(self.python), *arguments],
            input=lines,
            cwd=self.cwd,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout
