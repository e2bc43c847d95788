"""The examples of docs/reference/formats.md."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

TEXT = (Path(__file__).parents[3] / "docs" / "reference" / "formats.md").read_text("utf-8")


def test_the_examples_give_what_they_show():
    source = "\n".join(re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
    examples = doctest.DocTestParser().get_doctest(source, {}, "formats.md", "docs/reference/formats.md", 0)
    runner = doctest.DocTestRunner()
    output: list[str] = []
    failed, tried = runner.run(examples, out=output.append)
    assert tried > 20
    assert not failed, "".join(output)
