"""The examples of docs/reference/statistics.md."""

from __future__ import annotations

import doctest
from pathlib import Path


def test_the_examples_give_what_they_show():
    page = Path(__file__).parents[3] / "docs" / "reference" / "statistics.md"
    text = page.read_text("utf-8").replace("```", "\n")
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    failed, tried = doctest.DocTestRunner().run(examples)
    assert tried == 5
    assert not failed
