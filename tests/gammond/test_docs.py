"""The Python examples of the README and docs/reference/api.md, with the shipped nets."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gammond

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "reference" / "api.md").read_text("utf-8")


@pytest.mark.parametrize(("page", "least"), [("docs/reference/api.md", 50), ("README.md", 6)])
def test_the_examples_give_what_they_show(page, least):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0)
    output: list[str] = []
    failed, tried = doctest.DocTestRunner().run(examples, out=output.append)
    assert tried >= least
    assert not failed, "".join(output)


def test_the_program_for_several_processes_runs(tmp_path):
    (program,) = [
        block for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL) if ">>>" not in block
    ]
    file = tmp_path / "program.py"
    file.write_text(program)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ran = subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("8/5 6/5")


def test_each_public_name_is_in_the_reference():
    reference = (ROOT / "docs" / "reference" / "api-reference.md").read_text("utf-8")
    for name in set(gammond.__all__) - {"__version__"}:
        assert re.search(rf"^::: gammond\.api\.\w+\.{name}$", reference, re.MULTILINE), name


def test_each_error_has_a_row():
    for name in gammond.__all__:
        public = getattr(gammond, name)
        if isinstance(public, type) and issubclass(public, gammond.GammondError):
            assert f"| `{name}` |" in TEXT or name == "GammondError"
